package fsm

// start gives the handle at i its turn: a new one begins, a parked one goes on
// in the phase it was in (HND-24).
func (m *Machine) start(i int) {
	h := &m.s.Handles[i]
	m.move(h, OnStart)
	m.arm(h, TimerHandle, h.timeout(m.s.Config.Limits))
	resume := h.Resume
	h.Resume = ""
	switch resume {
	case "":
		m.begin(h)
	case Cognition:
		m.move(h, OnAsk)
		m.continueInference(i)
	case Execution:
		m.move(h, OnAct)
		m.continueInference(i)
	case Recalling:
		m.move(h, OnRecall)
		m.recall(h)
	case Summarizing:
		m.move(h, OnSummarize)
		m.summarize(h)
	case Embedding:
		m.move(h, OnEmbed)
		m.embed(h)
	case Storing:
		m.move(h, OnStore)
		m.store(h)
	}
}

// begin assembles the messages (HND-3): the system prompt, then the input,
// behind the cognition question unless this is the initial inference.
func (m *Machine) begin(h *Handle) {
	p := m.s.Config.Prompts
	first := Message{Role: RoleUser, Text: p.question(h.Input)}
	on := OnAsk
	if h.Kind == KindInit {
		first.Text, on = h.Input, OnAct
	}
	h.Talk = Conversation{}.add(Message{Role: RoleSystem, Text: p.Identity}, first)
	m.move(h, on)
	m.infer(h, h.purpose(), h.Talk, true)
}

// inferred goes on from a finished inference.
func (m *Machine) inferred(i int) {
	h := &m.s.Handles[i]
	if h.State == Summarizing {
		m.summarized(h)
		return
	}
	h.Talk = h.Inf.Talk
	if h.Inf.State != Completed {
		m.fail(i, OnFail, h.Inf.Result)
		return
	}
	if n, ok := need(h.Inf.Result); ok && h.State == Cognition {
		h.Rounds++
		h.Need = n
		m.move(h, OnNeed)
		m.recall(h)
		return
	}
	h.Answer = withoutMarker(h.Inf.Result)
	switch {
	case h.Answer == "":
		m.fail(i, OnFail, emptyAnswer)
	case h.Kind == KindInit:
		h.Summary = h.Answer // the report is the memory (LIF-4)
		m.move(h, OnReport)
		m.embed(h)
	default:
		m.move(h, OnAnswer)
		m.summarize(h)
	}
}

// recall looks for the handle's need in memory (HND-7).
func (m *Machine) recall(h *Handle) {
	call := m.await(h, CallRecall)
	m.emit(Recall{Call: call, Handle: h.ID, Session: h.Session, Need: h.Need, TopK: m.s.Config.Limits.RecallTopK})
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
	h.Talk = h.Talk.add(Message{Role: RoleUser, Text: text})
	if h.Rounds >= m.s.Config.Limits.MaxCognitionRounds {
		m.move(h, OnEnough)
	} else {
		m.move(h, OnRecalled)
	}
	m.infer(h, h.purpose(), h.Talk, true)
}
