package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// done ends a handle that has its answer (HND-15).
func (m *Machine) done(i int) firing {
	m.deliver(&m.s.Handles[i])
	return m.ended(i)
}

// drop ends a handle that has no answer (HND-16): its client learns of it at once, and the
// turn is kept if the handle keeps a session (SES-5).
func (m *Machine) drop(h *state.Handle, outcome fsm.Outcome, reason string) firing {
	f := m.without(h, outcome)
	return f.after(func(h *state.Handle) {
		h.Outcome, h.Failure = outcome, reason
		m.giveUp(h)
		m.refuse(h, outcome, reason)
	})
}

// dropped goes on after the client has been told that there is no answer.
func (m *Machine) dropped(h *state.Handle) firing { return m.without(h, h.Outcome) }

// without goes on with a handle that has an outcome but no answer.
func (m *Machine) without(h *state.Handle, outcome fsm.Outcome) firing {
	if !h.Loaded || h.State == state.Saving || h.Compacts {
		return firing{on: m.loss(h, outcome)}
	}
	return firing{on: state.OnKeep, write: func(h *state.Handle) {
		if h.State == state.Compacting {
			m.shed(h) // SES-11: no consolidation came of it
		}
		turn.Close(&m.s.Config, h)
	}}
}

// loss returns the event that ends a handle without an answer, when nothing is left to
// keep.
func (m *Machine) loss(h *state.Handle, outcome fsm.Outcome) state.Event {
	switch {
	case outcome == fsm.OutcomeCancelled:
		return state.OnCancel
	case h.State == state.Stopping:
		return state.OnStopped
	case h.State == state.Saving:
		return state.OnFail
	case h.Kind == fsm.KindInit && m.s.Lifecycle == state.Draining:
		return state.OnAbandon
	case outcome == fsm.OutcomeTimeout:
		return state.OnTimeout
	default:
		return state.OnFail
	}
}

// ended takes a terminal handle out of the state, hands on what others wait for, and moves
// the lifecycle on if that waited for the handle.
func (m *Machine) ended(i int) firing {
	h := &m.s.Handles[i]
	f := firing{}
	switch code := m.exitCode(h); {
	case h.Kind == fsm.KindInit && m.s.Lifecycle == state.Initializing:
		f = firing{on: state.OnInitialized, write: func(*state.Handle) { m.s.Initialized = true }}
	case h.Kind == fsm.KindInit && m.s.Lifecycle == state.Serving: // it ran beside requests (LIF-14)
		m.s.Initialized = true
	case h.Kind == fsm.KindFarewell && m.s.Lifecycle == state.Farewell:
		f = firing{on: state.OnFarewelled, write: func(*state.Handle) { m.code = code }}
	case h.Kind == fsm.KindSubagent && (h.Alone || h.Outcome != fsm.OutcomeCancelled):
		child := *h
		m.remove(i)
		m.reportSubagent(&child)
		return f
	case h.State == state.Done && m.gathers(h):
		turn := *h
		m.remove(i)
		m.gather(&turn)
		m.foresee(&turn)
		return f
	}
	m.remove(i)
	return f
}

// exitCode returns the exit code after a farewell. If deadlines follow progress, a farewell
// has only a few seconds, and a model that needs more is not a failure (LIF-15).
func (m *Machine) exitCode(h *state.Handle) fsm.ExitCode {
	if h.State == state.Failed && h.Outcome == fsm.OutcomeTimeout && !m.s.Config.Switches.Progress {
		return fsm.ExitTimeout
	}
	return fsm.ExitClean
}

// timeUp ends a handle whose time is up.
func (m *Machine) timeUp(h *state.Handle) firing {
	if h.Ahead { // nobody has asked for it
		return m.unread()
	}
	if late := m.handle.phase(h.State).late; late != nil {
		return late(m, h)
	}
	return m.abort(h, fsm.OutcomeTimeout, m.word(fsm.WordTimedOut, "after", h.Timeout(m.s.Config.Limits).String())) // HND-18
}

// skip leaves out what remained to be done for memory (HND-20).
func (m *Machine) skip(*state.Handle) firing { return firing{on: state.OnSkip, write: m.giveUp} }

// abort gives up a handle that has no answer. While tools run the handle
// answers and then keeps its place until each has stopped (HND-19, INF-48); the
// farewell does not wait, because the process is about to end.
func (m *Machine) abort(h *state.Handle, outcome fsm.Outcome, reason string) firing {
	if !h.RunsTool() || h.Kind == fsm.KindFarewell {
		return m.drop(h, outcome, reason)
	}
	return firing{on: state.OnAbort, write: func(h *state.Handle) {
		h.Outcome, h.Failure = outcome, reason
		m.giveUp(h)
		m.clearTimer(h)
		m.refuse(h, outcome, reason)
	}}
}

// toolStopped goes on once an aborted tool has stopped; of several, the last one.
func (m *Machine) toolStopped(h *state.Handle, call fsm.CallID) firing {
	if h.Inf.Reads() > 1 {
		return firing{on: state.OnHalted, write: func(h *state.Handle) { h.Inf.ForgetRead(call) }}
	}
	return m.dropped(h).after(func(h *state.Handle) {
		h.Inf.ForgetRead(call)
		m.clearTimer(h)
	})
}

// reportSubagent tells the session that started a subagent of its end (HND-40).
func (m *Machine) reportSubagent(h *state.Handle) {
	input := m.word(fsm.WordSubagentDone, "label", h.Label, "task", h.Input, "result", h.Answer)
	if reason := h.Failure; reason != "" {
		input = m.word(fsm.WordSubagentFailed, "label", h.Label, "task", h.Input, "reason", reason)
	}
	m.admit(state.Handle{Accepted: state.Accepted{Kind: fsm.KindSystem, Session: h.Home, Origin: h.Origin, Input: input, Source: h.Source | m.derived(h, h.Conversation().Messages)}})
}
