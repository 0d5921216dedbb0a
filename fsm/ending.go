package fsm

// finish ends a handle that has its answer (HND-15).
func (m *Machine) finish(i int, on Event) {
	h := &m.s.Handles[i]
	m.move(h, on)
	m.clearTimer(h)
	if h.Kind == KindUser {
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: h.Answer})
	}
	m.ended(i, ExitClean)
}

// fail ends a handle that has none (HND-16).
func (m *Machine) fail(i int, on Event, reason string) {
	h := &m.s.Handles[i]
	m.move(h, on)
	m.clearTimer(h)
	m.refuse(h, reason)
	code := ExitClean
	if on == OnTimeout {
		code = ExitTimeout
	}
	m.ended(i, code)
}

// refuse tells whoever is there to hear it that the handle has no answer.
func (m *Machine) refuse(h *Handle, reason string) {
	if h.Kind == KindUser {
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: "error: " + reason, IsError: true})
	} else {
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: "error: " + reason})
	}
}

// ended takes a terminal handle out of the state and moves the lifecycle on
// where it waited for it.
func (m *Machine) ended(i int, code ExitCode) {
	kind := m.s.Handles[i].Kind
	m.remove(i)
	switch {
	case kind == KindInit && m.s.Lifecycle == Initializing:
		m.serve()
	case kind == KindFarewell:
		m.live(OnFarewelled)
		m.stop(code)
	}
}

// timeUp handles a fired handle timer by phase.
func (m *Machine) timeUp(i int) {
	h := &m.s.Handles[i]
	h.Timer = 0
	switch h.State {
	case Stopping:
		m.move(h, OnStopped)
		m.ended(i, ExitClean)
	case Summarizing, Embedding, Storing: // HND-20
		m.abortCall(h)
		m.giveUp(h)
		m.finish(i, OnSkip)
	default: // HND-18
		m.abort(i, "timed out after "+h.timeout(m.s.Config.Limits).String())
	}
}

// abort gives up a handle that has no answer. While a tool runs the handle
// answers and then keeps its slot until the tool has stopped (HND-19); the
// farewell does not wait, because the process is about to end.
func (m *Machine) abort(i int, reason string) {
	h := &m.s.Handles[i]
	tool := h.Await.Kind == CallTool
	m.abortCall(h)
	m.giveUp(h)
	switch {
	case tool && h.Kind != KindFarewell:
		m.clearTimer(h)
		m.refuse(h, reason)
		m.move(h, OnAbort)
		m.arm(h, TimerAbort, m.s.Config.Limits.AbortTimeout)
	case h.Kind == KindInit && m.s.Lifecycle == Draining:
		m.fail(i, OnAbandon, reason)
	default:
		m.fail(i, OnTimeout, reason)
	}
}

// park keeps a handle for the next boot with what was left of its time (HND-27).
// The inference stays as it is: its last call is asked again, or its outcome
// named unknown, when the handle goes on.
func (m *Machine) park(h *Handle) {
	if h.State != Queued {
		h.Resume = h.State
		spent := max(m.s.Now-h.Armed, 0)
		h.Left = max(h.Left-spent, 1)
	}
	m.move(h, OnPark)
}
