package fsm

// deliver tells whoever waits for the handle what it has answered (HND-15), once.
func (m *Machine) deliver(h *Handle) {
	if h.Replied {
		return
	}
	h.Replied = true
	switch h.Kind {
	case KindUser:
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: h.Answer, Outcome: h.Outcome})
	case KindSystem, KindSchedule:
		m.message(h, h.Origin, h.Answer, false)
	}
}

// refuse tells whoever is there to hear it that the handle has no answer, once.
func (m *Machine) refuse(h *Handle, outcome Outcome, reason string) {
	if h.Replied {
		return
	}
	h.Replied = true
	text := "error: " + reason
	if outcome == OutcomeCancelled {
		text = reason // HND-31: what its client asked for is no error of anybody's
	}
	switch h.Kind {
	case KindUser:
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: text, IsError: true, Outcome: outcome})
	case KindSystem, KindSchedule:
		m.message(h, h.Origin, text, true)
	case KindSubagent: // its end is reported to its session
	default:
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: text})
	}
}

// message sends a text to a chat (HND-40). A reply of a handle without a request
// has the handle's own key.
func (m *Machine) message(h *Handle, to Origin, text string, isError bool) {
	m.emit(SendMessage{Handle: h.ID, Key: h.ID.entry(), Session: h.Session, To: to, Text: text, IsError: isError})
}

// finish ends a handle that has its answer (HND-15).
func (m *Machine) finish(i int, on Event) {
	h := &m.s.Handles[i]
	m.move(h, on)
	m.clearTimer(h)
	m.deliver(h)
	m.ended(i, ExitClean)
}

// drop ends a handle that has no answer (HND-16): whoever waits is told at once,
// and the turn is kept where its session is (SES-5).
func (m *Machine) drop(i int, outcome Outcome, reason string) {
	h := &m.s.Handles[i]
	m.clearWait(h)
	m.giveUp(h)
	h.Outcome, h.Failure = outcome, reason
	m.refuse(h, outcome, reason)
	m.dropped(i)
}

// dropped goes on behind the word that there is no answer.
func (m *Machine) dropped(i int) {
	h := &m.s.Handles[i]
	if h.Loaded && h.State != Saving {
		if h.State == Compacting {
			m.shed(h) // SES-11: no consolidation came of it
		}
		m.close(h)
		m.move(h, OnKeep)
		m.save(h)
		return
	}
	m.lost(i)
}

// lost ends a handle without an answer of which nothing is left to keep.
func (m *Machine) lost(i int) {
	h := &m.s.Handles[i]
	on, code := OnFail, ExitClean
	switch {
	case h.State == Stopping && h.Outcome != OutcomeCancelled:
		on = OnStopped
	case h.Outcome == OutcomeCancelled:
		on = OnCancel
	case h.State == Saving:
	case h.Kind == KindInit && m.s.Lifecycle == Draining:
		on = OnAbandon
	case h.Outcome == OutcomeTimeout:
		on, code = OnTimeout, ExitTimeout
	}
	m.move(h, on)
	m.clearTimer(h)
	m.ended(i, code)
}

// ended takes a terminal handle out of the state, hands on what others wait for,
// and moves the lifecycle on where it waited for it.
func (m *Machine) ended(i int, code ExitCode) {
	h := m.s.Handles[i]
	m.remove(i)
	switch {
	case h.Kind == KindInit:
		if m.s.Lifecycle == Initializing {
			m.s.Initialized = true
			m.serve()
		}
	case h.Kind == KindFarewell:
		m.live(OnFarewelled)
		m.stop(code)
	case h.Kind == KindSubagent && h.Outcome != OutcomeCancelled:
		m.reportSubagent(h)
	case h.State == Done:
		m.gather(h)
	}
}

// timeUp handles a fired handle timer by phase.
func (m *Machine) timeUp(i int) {
	h := &m.s.Handles[i]
	h.Timer = 0
	switch h.State {
	case Stopping:
		m.dropped(i)
	case Saving:
		m.abortCall(h)
		m.skipSave(i)
	case Summarizing, Embedding, Storing: // HND-20
		m.abortCall(h)
		m.clearWait(h)
		m.giveUp(h)
		m.finish(i, OnSkip)
	default: // HND-18
		m.abort(i, OutcomeTimeout, "timed out after "+h.timeout(m.s.Config.Limits).String())
	}
}

// abort gives up a handle that has no answer. While a tool runs the handle
// answers and then keeps its place until the tool has stopped (HND-19); the
// farewell does not wait, because the process is about to end.
func (m *Machine) abort(i int, outcome Outcome, reason string) {
	h := &m.s.Handles[i]
	tool := h.Await.Kind == CallTool
	m.abortCall(h)
	if !tool || h.Kind == KindFarewell {
		m.drop(i, outcome, reason)
		return
	}
	m.giveUp(h)
	m.clearTimer(h)
	h.Outcome, h.Failure = outcome, reason
	m.refuse(h, outcome, reason)
	m.move(h, OnAbort)
	h.Left = 0
	m.arm(h, TimerAbort, m.s.Config.Limits.AbortTimeout)
}

// park keeps a handle for the next boot with what was left of its time (HND-27).
// The inference stays as it is: its last call is asked again, or its outcome
// named unknown, when the handle goes on.
func (m *Machine) park(h *Handle) {
	switch {
	case h.State == Stopping: // the turn is still to be kept
		m.close(h)
		h.Resume = Saving
	case h.asksPerson():
		// Resume is set already
	case h.State != Queued && h.State != Loading:
		h.Resume = h.State
	}
	m.move(h, OnPark)
}
