package machine

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// begins returns the event by which a handle goes to the model: with the cognition question
// if there is a cognition.
func (m *Machine) begins(h *state.Handle) state.Event {
	if m.s.Config.Switches.NoCognition || h.Kind == fsm.KindInit || h.Kind == fsm.KindSubagent || h.Compacts {
		return state.OnAct
	}
	return state.OnAsk
}

// inferAnswer assembles the conversation and asks for the handle's answer.
func (m *Machine) inferAnswer(i int) firing {
	h := &m.s.Handles[i]
	if len(h.Talk.Messages) == 0 {
		m.assemble(h)
	}
	return m.infer(i, h.Purpose(), h.Talk, h.Toolset())
}

// assemble makes the conversation (HND-3): the history, then the input, after the cognition
// question if there is a cognition.
func (m *Machine) assemble(h *state.Handle) {
	first := fsm.Message{Role: fsm.RoleUser, Text: turn.Opening(&m.s.Config, h, m.s.Now), Images: h.Images, Source: h.Source} // INF-27
	if h.State == state.Cognition {
		first.Text = m.s.Config.Prompts.Ask(first.Text)
	}
	history := h.Sess.History
	if len(h.Context) > 0 {
		history = m.s.Config.Words.Mend(h.Context) // SES-6
	}
	h.Talk = fsm.Conversation{}.Add(history...)
	h.TurnAt = len(h.Talk.Messages)
	h.Talk = h.Talk.Add(first)
	if h.Loaded {
		h.Turn = []fsm.Message{turn.Question(&m.s.Config, h)}
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

// considered takes the end of an inference that was asked the cognition question: a need
// (HND-7), or an answer.
func (m *Machine) considered(h *state.Handle) firing {
	if need, ok := fsm.Need(h.Inf.Result); ok && h.Inf.State == state.Completed {
		return firing{on: state.OnNeed, write: func(h *state.Handle) {
			h.Talk = h.Inf.Talk
			h.Rounds++
			h.Need = need
		}}
	}
	return m.concluded(h)
}

// concluded turns the end of an answering inference into the handle's answer, or
// into its failure (INF-19).
func (m *Machine) concluded(h *state.Handle) firing {
	switch {
	case h.Ahead && h.Inf.State == state.Completed: // nothing has changed
		return firing{on: state.OnFinish}
	case h.Ahead:
		return m.unread()
	case h.Compacts:
		return firing{on: state.OnKeep}
	}
	sw, p := &m.s.Config.Switches, &m.s.Config.Prompts
	answer := ""
	switch {
	case h.Inf.State == state.Completed:
		answer = fsm.WithoutNeed(h.Inf.Result)
	case h.Inf.Outcome == fsm.OutcomeExhausted:
		answer = endedBy(sw.AtLimit, h.Inf.Said, p.CapNotice(capOf(&m.s.Config.Limits, h)))
	case h.Inf.Outcome == fsm.OutcomeCut:
		answer = endedBy(sw.AtLength, h.Inf.Said, p.AtLength)
	}
	if answer = strings.TrimSpace(answer); answer != "" {
		return m.withAnswer(h, answer)
	}
	if h.Inf.State == state.Completed && sw.EmptyAnswers { // INF-32
		return m.withAnswer(h, "")
	}
	reason, outcome := h.Inf.Result, h.Inf.Outcome
	if h.Inf.State == state.Completed {
		reason, outcome = m.word(fsm.WordEmptyAnswer), fsm.OutcomeFailed
	}
	return m.drop(h, outcome, reason).after(func(h *state.Handle) { h.Talk = h.Inf.Talk })
}

// withAnswer goes on from the answer: the turn is kept, then remembered, then the
// handle ends.
func (m *Machine) withAnswer(h *state.Handle, answer string) firing {
	on := state.OnAnswer
	switch {
	case h.Loaded:
		on = state.OnKeep
	case answer == "", !remembers(&m.s.Config, h): // INF-32: there is nothing to remember
		on = state.OnFinish
	case h.Kind == fsm.KindInit:
		on = state.OnReport
	}
	return firing{on: on, write: func(h *state.Handle) {
		h.Talk = h.Inf.Talk
		h.Answer, h.Outcome, h.Stop = answer, h.Inf.Outcome, false
		if on == state.OnReport {
			h.Summary = answer // the report is the memory (LIF-4)
		}
		turn.Close(&m.s.Config, h)
		if m.s.Config.Switches.ReplyFirst {
			m.deliver(h) // HND-28
		}
	}}
}

// endedBy returns the answer of an inference that reached a limit: none, the text so far
// with a notice, or the notice.
func endedBy(mode fsm.EndMode, said, notice string) string {
	switch {
	case mode == fsm.EndState || mode == fsm.EndNotice && said == "":
		return notice
	case mode == fsm.EndNotice:
		return said + "\n\n" + notice
	default:
		return ""
	}
}

// capOf returns the cap that ended an inference, for the notice of it: its value and its
// name. If several were reached, it is the first of them in this order.
func capOf(l *fsm.Limits, h *state.Handle) (n int, limit string) {
	switch {
	case h.Inf.Iterations >= iterationsOf(l, h):
		if n := iterationsOf(l, h); n < l.MaxIterations {
			return n, "subagent_iterations"
		}
		return l.MaxIterations, "max_iterations"
	case h.Inf.Capped:
		return l.MaxToolCalls, "max_tool_calls"
	case repeats(h.Inf.Seen, l.MaxRepeats):
		return l.MaxRepeats, "max_repeats"
	default:
		return l.MaxToolRounds, "max_tool_rounds"
	}
}

// remembers reports whether a handle has a memory phase of its own. Where turns are
// remembered together later, the initial inference and the farewell, which no turn will
// follow, still have one.
func remembers(c *fsm.Config, h *state.Handle) bool {
	switch h.Kind {
	case fsm.KindSubagent:
		return false
	case fsm.KindInit, fsm.KindFarewell:
		return c.Switches.Remember != fsm.RememberOff
	default:
		return c.Switches.Remember == fsm.RememberEach && h.Command == ""
	}
}

// recall looks for the handle's need in memory (HND-7).
func (m *Machine) recall(i int) firing {
	h := &m.s.Handles[i]
	call := m.await(h, fsm.CallRecall)
	c := &m.s.Config
	m.emit(fsm.Recall{
		Asked: fsm.Asked{Call: call, Handle: h.ID}, Session: h.Session, Need: h.Need,
		TopK: c.Limits.RecallTopK, Own: c.Switches.OwnMemory, Spare: c.Switches.SpareModel,
	})
	return firing{}
}

// recalled injects what was found, or says that nothing was (HND-8, HND-9), and
// asks again, after the last round without the question (HND-10).
func (m *Machine) recalled(h *state.Handle, in fsm.Recalled) firing {
	text := m.remembered(h.Need, in.Entries)
	switch {
	case in.Error != "":
		text = m.word(fsm.WordRecallBroken, "need", h.Need, "reason", in.Error)
	case len(in.Entries) == 0:
		text = m.word(fsm.WordRecalledNothing, "need", h.Need)
	}
	on := state.OnRecalled
	if h.Rounds >= m.s.Config.Limits.MaxCognitionRounds {
		on = state.OnEnough
	}
	return firing{on: on, write: func(h *state.Handle) {
		h.Talk = h.Talk.Add(fsm.Message{Role: fsm.RoleUser, Text: text, Aside: true, Source: recalledFrom(in.Entries)})
	}}
}

// remembered returns the message that brings recalled entries to the model.
func (m *Machine) remembered(need string, entries []fsm.Memory) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(m.word(fsm.WordRecalledEntry, "summary", strings.ReplaceAll(e.Summary, "\n", " ")))
	}
	return m.word(fsm.WordRecalled, "need", need, "entries", b.String())
}

// recalledFrom returns where recalled entries come from (MSG-2). An entry of an older build
// does not say, and counts as a model's.
func recalledFrom(entries []fsm.Memory) fsm.Source {
	if len(entries) == 0 {
		return fsm.FromOperator
	}
	all := fsm.Source(0)
	for _, e := range entries {
		all |= e.Source | fsm.FromModel
	}
	return all
}
