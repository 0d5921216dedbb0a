package fsm

import "strings"

// start gives a queued handle its turn: a new one begins, a parked one goes on in the
// phase it was in (HND-24).
func (m *Machine) start(h *Handle) firing {
	if again := m.handle.phase(h.Resume).Again; h.Resume != "" && again != "" {
		return firing{on: again, resumes: true, write: func(h *Handle) { h.Resume = "" }}
	}
	if h.Kind == KindMemory {
		return firing{on: OnSummarize}
	}
	return firing{on: OnStart}
}

// begins is how a handle goes to the model: with the cognition question where there is
// a cognition.
func (m *Machine) begins(h *Handle) Event {
	if m.s.Config.Switches.NoCognition || h.Kind == KindInit || h.Kind == KindSubagent {
		return OnAct
	}
	return OnAsk
}

// inferAnswer asks for the handle's answer, over a conversation that is assembled first.
func (m *Machine) inferAnswer(i int) firing {
	h := &m.s.Handles[i]
	if len(h.Talk.Messages) == 0 {
		m.assemble(h)
	}
	return m.infer(i, h.purpose(), h.Talk, h.toolset())
}

// assemble makes the conversation (HND-3): the history, then the input, after the
// cognition question where there is a cognition.
func (m *Machine) assemble(h *Handle) {
	first := Message{Role: RoleUser, Text: h.Input, Images: h.Images} // INF-27
	if h.State == Cognition {
		first.Text = m.s.Config.Prompts.question(h.Input)
	}
	history := h.Sess.History
	if len(h.Context) > 0 {
		history = m.s.Config.Words.mend(h.Context) // SES-6
	}
	h.Talk = Conversation{}.add(history...)
	h.TurnAt = len(h.Talk.Messages)
	h.Talk = h.Talk.add(first)
	if h.Loaded {
		h.Turn = []Message{m.question(h)}
	}
}

// inferred hands the end of an inference to the handle that asked for it.
func (m *Machine) inferred(i int) firing {
	h := &m.s.Handles[i]
	if ends := m.handle.phase(h.State).ends; ends != nil {
		return ends(m, h)
	}
	return firing{}
}

// considered is the end of an inference that was asked the cognition question: it
// describes a need (HND-7), or it is an answer.
func (m *Machine) considered(h *Handle) firing {
	if need, ok := Need(h.Inf.Result); ok && h.Inf.State == Completed {
		return firing{on: OnNeed, write: func(h *Handle) {
			h.Talk = h.Inf.Talk
			h.Rounds++
			h.Need = need
		}}
	}
	return m.concluded(h)
}

// concluded turns the end of an answering inference into the handle's answer, or
// into its failure (INF-19).
func (m *Machine) concluded(h *Handle) firing {
	sw, p := &m.s.Config.Switches, &m.s.Config.Prompts
	answer := ""
	switch {
	case h.Inf.State == Completed:
		answer = withoutMarker(h.Inf.Result)
	case h.Inf.Outcome == OutcomeExhausted:
		answer = endedBy(sw.AtLimit, h.Inf.Said, p.atLimit(m.s.Config.Limits.capOf(h)))
	case h.Inf.Outcome == OutcomeCut:
		answer = endedBy(sw.AtLength, h.Inf.Said, p.AtLength)
	}
	if answer = strings.TrimSpace(answer); answer != "" {
		return m.withAnswer(h, answer)
	}
	reason, outcome := h.Inf.Result, h.Inf.Outcome
	if h.Inf.State == Completed {
		reason, outcome = m.word(WordEmptyAnswer), OutcomeFailed
	}
	return m.drop(h, outcome, reason).after(func(h *Handle) { h.Talk = h.Inf.Talk })
}

// withAnswer goes on from the answer: the turn is kept, then remembered, then the
// handle ends.
func (m *Machine) withAnswer(h *Handle, answer string) firing {
	on := OnAnswer
	switch {
	case h.Loaded:
		on = OnKeep
	case !m.s.Config.remembers(h):
		on = OnFinish
	case h.Kind == KindInit:
		on = OnReport
	}
	return firing{on: on, write: func(h *Handle) {
		h.Talk = h.Inf.Talk
		h.Answer, h.Outcome, h.Stop = answer, h.Inf.Outcome, false
		if on == OnReport {
			h.Summary = answer // the report is the memory (LIF-4)
		}
		m.close(h)
		if m.s.Config.Switches.ReplyFirst {
			m.deliver(h) // HND-28
		}
	}}
}

// endedBy is the answer of an inference that met a limit: none, the text so far with
// a notice, or the notice.
func endedBy(mode EndMode, said, notice string) string {
	switch {
	case mode == EndState || mode == EndNotice && said == "":
		return notice
	case mode == EndNotice:
		return said + "\n\n" + notice
	default:
		return ""
	}
}

// capOf is the cap that ended an inference, which a notice speaks of. The order is
// that in which they are looked for.
func (l *Limits) capOf(h *Handle) int {
	switch {
	case h.Inf.Iterations >= l.iterations(h):
		return l.iterations(h)
	case h.Inf.Capped:
		return l.MaxToolCalls
	case repeats(h.Inf.Seen, l.MaxRepeats):
		return l.MaxRepeats
	default:
		return l.MaxToolRounds
	}
}

// iterations is how many answers of the model an inference of the handle takes.
func (l *Limits) iterations(h *Handle) int {
	if h.Kind == KindSubagent {
		return min(l.MaxIterations, l.SubagentIterations)
	}
	return l.MaxIterations
}

// remembers reports whether a handle's own memory phase is due. Where turns are
// remembered together later, those that nobody will speak to again, the initial
// inference and the farewell, still go by themselves.
func (c *Config) remembers(h *Handle) bool {
	switch h.Kind {
	case KindSubagent:
		return false
	case KindInit, KindFarewell:
		return c.Switches.Remember != RememberOff
	default:
		return c.Switches.Remember == RememberEach && h.Command == ""
	}
}

// recall looks for the handle's need in memory (HND-7).
func (m *Machine) recall(i int) firing {
	h := &m.s.Handles[i]
	call := m.await(h, CallRecall)
	m.emit(Recall{Asked: Asked{Call: call, Handle: h.ID}, Session: h.Session, Need: h.Need, TopK: m.s.Config.Limits.RecallTopK, Own: m.s.Config.Switches.OwnMemory})
	return firing{}
}

// recalled injects what was found, or says that nothing was (HND-8, HND-9), and
// asks again; after the last round without the question (HND-10).
func (m *Machine) recalled(h *Handle, in Recalled) firing {
	text := m.remembered(h.Need, in.Entries)
	switch {
	case in.Error != "":
		text = m.word(WordRecallBroken, "need", h.Need, "reason", in.Error)
	case len(in.Entries) == 0:
		text = m.word(WordRecalledNothing, "need", h.Need)
	}
	on := OnRecalled
	if h.Rounds >= m.s.Config.Limits.MaxCognitionRounds {
		on = OnEnough
	}
	return firing{on: on, write: func(h *Handle) {
		h.Talk = h.Talk.add(Message{Role: RoleUser, Text: text, Aside: true})
	}}
}
