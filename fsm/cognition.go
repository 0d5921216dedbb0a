package fsm

import "strings"

// start gives the handle at i its turn: a new one begins, a parked one goes on
// in the phase it was in (HND-24).
func (m *Machine) start(i int) {
	h := &m.s.Handles[i]
	m.move(h, OnStart)
	m.arm(h, TimerHandle, h.timeout(m.s.Config.Limits))
	resume := h.Resume
	h.Resume = ""
	switch resume {
	case Cognition:
		m.move(h, OnAsk)
		m.continueInference(i)
	case Execution:
		m.move(h, OnAct)
		m.continueInference(i)
	case Compacting:
		m.move(h, OnCompact)
		m.continueInference(i)
		m.boundCompaction(i)
	case Recalling:
		m.move(h, OnRecall)
		m.recall(h)
	case Saving:
		m.move(h, OnSave)
		m.save(h)
	case Summarizing:
		m.move(h, OnSummarize)
		m.continueInference(i)
	case Embedding:
		m.move(h, OnEmbed)
		m.embed(h)
	case Storing:
		m.move(h, OnStore)
		m.store(h)
	default:
		m.open(i)
	}
}

// open begins a handle: with its session where it has one.
func (m *Machine) open(i int) {
	h := &m.s.Handles[i]
	switch {
	case h.Kind == KindMemory:
		m.move(h, OnSummarize)
		m.summarize(i)
	case m.s.Config.keepsSession(h):
		m.load(h)
	case h.Command == commandNew:
		h.Answer, h.Outcome = newSession, OutcomeAnswered
		m.move(h, OnSave)
		m.finish(i, OnFinish)
	default:
		m.begin(i)
	}
}

// begin assembles the conversation (HND-3): the history, then the input, behind the
// cognition question where there is a cognition.
func (m *Machine) begin(i int) {
	h := &m.s.Handles[i]
	first := Message{Role: RoleUser, Text: h.Input, Images: h.Images} // INF-27
	on := OnAct
	if !m.s.Config.Switches.NoCognition && h.Kind != KindInit && h.Kind != KindSubagent {
		first.Text, on = m.s.Config.Prompts.question(h.Input), OnAsk
	}
	history := h.Sess.History
	if len(h.Context) > 0 {
		history = mend(h.Context) // SES-6
	}
	h.Talk = Conversation{}.add(history...)
	h.TurnAt = len(h.Talk.Messages)
	h.Talk = h.Talk.add(first)
	if h.Loaded {
		h.Turn = []Message{h.question()}
	}
	m.move(h, on)
	m.infer(i, h.purpose(), h.Talk, h.toolset())
}

// inferred goes on from a finished inference.
func (m *Machine) inferred(i int) {
	h := &m.s.Handles[i]
	switch h.State {
	case Summarizing:
		m.summarized(h)
		return
	case Compacting:
		m.compacted(i)
		return
	}
	h.Talk = h.Inf.Talk
	if n, ok := Need(h.Inf.Result); ok && h.Inf.State == Completed && h.State == Cognition {
		h.Rounds++
		h.Need = n
		m.move(h, OnNeed)
		m.recall(h)
		return
	}
	m.conclude(i)
}

// conclude turns the end of an answering inference into the handle's answer, or
// into its failure (INF-19).
func (m *Machine) conclude(i int) {
	h := &m.s.Handles[i]
	sw, p := &m.s.Config.Switches, &m.s.Config.Prompts
	switch {
	case h.Inf.State == Completed:
		h.Answer = withoutMarker(h.Inf.Result)
	case h.Inf.Outcome == OutcomeExhausted:
		h.Answer = ended(sw.AtLimit, h.Inf.Said, p.atLimit(m.s.Config.Limits.capOf(h)))
	case h.Inf.Outcome == OutcomeCut:
		h.Answer = ended(sw.AtLength, h.Inf.Said, p.AtLength)
	}
	h.Answer = strings.TrimSpace(h.Answer)
	if h.Answer == "" {
		reason, outcome := h.Inf.Result, h.Inf.Outcome
		if h.Inf.State == Completed {
			reason, outcome = emptyAnswer, OutcomeFailed
		}
		m.drop(i, outcome, reason)
		return
	}
	h.Outcome, h.Stop = h.Inf.Outcome, false
	m.concluded(i)
}

// ended is the answer of an inference that met a limit: none, the text so far with
// a notice, or the notice.
func ended(mode EndMode, said, notice string) string {
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

// concluded goes on from the answer: the turn is kept, then remembered, then the
// handle ends.
func (m *Machine) concluded(i int) {
	h := &m.s.Handles[i]
	m.close(h)
	if m.s.Config.Switches.ReplyFirst {
		m.deliver(h) // HND-28
	}
	switch {
	case h.Loaded:
		m.move(h, OnKeep)
		m.save(h)
	case !m.s.Config.remembers(h):
		m.finish(i, OnFinish)
	case h.Kind == KindInit:
		h.Summary = h.Answer // the report is the memory (LIF-4)
		m.move(h, OnReport)
		m.embed(h)
	default:
		m.move(h, OnAnswer)
		m.summarize(i)
	}
}

// remembers reports whether a handle's own memory phase is due. Where turns are
// remembered together later, those that nobody will speak to again, the initial
// inference and the farewell, still go by themselves.
func (c Config) remembers(h *Handle) bool {
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
func (m *Machine) recall(h *Handle) {
	call := m.await(h, CallRecall)
	m.emit(Recall{Call: call, Handle: h.ID, Session: h.Session, Need: h.Need, TopK: m.s.Config.Limits.RecallTopK, Own: m.s.Config.Switches.OwnMemory})
}

// recalled injects what was found, or says that nothing was (HND-8, HND-9), and
// asks again; after the last round without the question (HND-10).
func (m *Machine) recalled(i int, in Recalled) {
	h := &m.s.Handles[i]
	text := remembered(h.Need, in.Entries)
	switch {
	case in.Error != "":
		text = recallBroken(h.Need, in.Error)
	case len(in.Entries) == 0:
		text = nothingRemembered(h.Need)
	}
	h.Talk = h.Talk.add(Message{Role: RoleUser, Text: text, Aside: true})
	if h.Rounds >= m.s.Config.Limits.MaxCognitionRounds {
		m.move(h, OnEnough)
	} else {
		m.move(h, OnRecalled)
	}
	m.infer(i, h.purpose(), h.Talk, h.toolset())
}
