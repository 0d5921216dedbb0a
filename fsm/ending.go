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
	text := m.word(WordError, "reason", reason)
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

// done ends a handle that has its answer (HND-15).
func (m *Machine) done(i int) firing {
	m.deliver(&m.s.Handles[i])
	return m.ended(i)
}

// drop ends a handle that has no answer (HND-16): whoever waits is told at once,
// and the turn is kept where its session is (SES-5).
func (m *Machine) drop(h *Handle, outcome Outcome, reason string) firing {
	f := m.without(h, outcome)
	return f.after(func(h *Handle) {
		m.giveUp(h)
		h.Outcome, h.Failure = outcome, reason
		m.refuse(h, outcome, reason)
	})
}

// dropped goes on after the word that there is no answer.
func (m *Machine) dropped(h *Handle) firing { return m.without(h, h.Outcome) }

// without is how a handle goes on that comes to an outcome without an answer.
func (m *Machine) without(h *Handle, outcome Outcome) firing {
	if !h.Loaded || h.State == Saving {
		return firing{on: m.loss(h, outcome)}
	}
	return firing{on: OnKeep, write: func(h *Handle) {
		if h.State == Compacting {
			m.shed(h) // SES-11: no consolidation came of it
		}
		m.close(h)
	}}
}

// loss is how a handle ends without an answer, of which nothing is left to keep.
func (m *Machine) loss(h *Handle, outcome Outcome) Event {
	switch {
	case outcome == OutcomeCancelled:
		return OnCancel
	case h.State == Stopping:
		return OnStopped
	case h.State == Saving:
		return OnFail
	case h.Kind == KindInit && m.s.Lifecycle == Draining:
		return OnAbandon
	case outcome == OutcomeTimeout:
		return OnTimeout
	default:
		return OnFail
	}
}

// ended takes a terminal handle out of the state, hands on what others wait for,
// and moves the lifecycle on where it waited for it.
func (m *Machine) ended(i int) firing {
	h := &m.s.Handles[i]
	f := firing{}
	switch code := h.exitCode(); {
	case h.Kind == KindInit && m.s.Lifecycle == Initializing:
		f = firing{on: OnInitialized, write: func(*Handle) { m.s.Initialized = true }}
	case h.Kind == KindFarewell && m.s.Lifecycle == Farewell:
		f = firing{on: OnFarewelled, write: func(*Handle) { m.code = code }}
	case h.Kind == KindSubagent && h.Outcome != OutcomeCancelled:
		child := *h
		m.remove(i)
		m.reportSubagent(&child)
		return f
	case h.State == Done && m.gathers(h):
		turn := *h
		m.remove(i)
		m.gather(&turn)
		return f
	}
	m.remove(i)
	return f
}

// exitCode is what the end of a farewell tells the driver.
func (h *Handle) exitCode() ExitCode {
	if h.State == Failed && h.Outcome == OutcomeTimeout {
		return ExitTimeout
	}
	return ExitClean
}

// timeUp is the end of a handle's time.
func (m *Machine) timeUp(h *Handle) firing {
	if late := m.handle.phase(h.State).late; late != nil {
		return late(m, h)
	}
	return m.abort(h, OutcomeTimeout, m.word(WordTimedOut, "after", h.timeout(m.s.Config.Limits).String())) // HND-18
}

// skip leaves out what was still to be done for memory (HND-20).
func (m *Machine) skip(*Handle) firing { return firing{on: OnSkip, write: m.giveUp} }

// abort gives up a handle that has no answer. While a tool runs the handle
// answers and then keeps its place until the tool has stopped (HND-19); the
// farewell does not wait, because the process is about to end.
func (m *Machine) abort(h *Handle, outcome Outcome, reason string) firing {
	if h.Await.Kind != CallTool || h.Kind == KindFarewell {
		return m.drop(h, outcome, reason)
	}
	return firing{on: OnAbort, write: func(h *Handle) {
		m.giveUp(h)
		m.clearTimer(h)
		h.Outcome, h.Failure = outcome, reason
		m.refuse(h, outcome, reason)
	}}
}

// toolStopped goes on once an aborted tool has stopped.
func (m *Machine) toolStopped(h *Handle) firing {
	return m.dropped(h).after(func(h *Handle) {
		m.clearTimer(h)
		if canary == CanaryReplyTwice {
			h.Replied = false
			m.refuse(h, OutcomeFailed, "stopped")
		}
	})
}

// parking keeps a handle for the next boot with what was left of its time (HND-27).
// The inference stays as it is: its last call is asked again, or its outcome
// named unknown, when the handle goes on.
func (m *Machine) parking() firing {
	return firing{on: OnPark, write: func(h *Handle) {
		switch {
		case h.State == Stopping: // the turn is still to be kept
			m.close(h)
			h.Resume = Saving
		case h.asksPerson():
			// Resume is set already
		case h.State != Queued && h.State != Loading:
			h.Resume = h.State
		}
	}}
}
