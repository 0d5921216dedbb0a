package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// cancelRequested ends an unfinished request as the profile says (HND-31).
func (m *Machine) cancelRequested(key fsm.RequestKey) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == fsm.KindUser && h.Request == key && !h.Decided() &&
			m.s.Config.Switches.Cancel != fsm.CancelRefused {
			m.cancel(i)
			return
		}
	}
	m.s.Ignored.Cancels++ // EXC-3, HND-35
}

// cancel ends the undecided handle at i, now or at its next checkpoint, and the
// subagents that it has started (HND-41).
func (m *Machine) cancel(i int) {
	id := m.s.Handles[i].ID
	var children []fsm.HandleID
	for n := range m.s.Handles {
		if c := &m.s.Handles[n]; c.Kind == fsm.KindSubagent && c.Parent == id && !c.Decided() {
			children = append(children, c.ID)
		}
	}
	for _, child := range children { // each was admitted after the one that started it
		m.cancel(m.s.IndexOf(child))
	}
	h := &m.s.Handles[i]
	switch {
	case h.Waiting():
		m.cancelWaiting(i)
	case m.s.Config.Switches.Cancel == fsm.CancelCheckpoint && h.Await.Call != 0:
		h.Stop = true // HND-32
	default:
		m.fire(i, m.abort(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))) // HND-33
	}
}

// cancelWaiting ends a handle that does not run: its client is told at once; where
// it has a turn to keep it takes its place once more to keep it (HND-34).
func (m *Machine) cancelWaiting(i int) {
	h := &m.s.Handles[i]
	on := state.Event("")
	switch {
	case !h.Loaded:
		on = state.OnCancel
	case h.State == state.Approving:
		on = state.OnDecided
	case h.State == state.Held:
		on = state.OnResolved
	case h.Poison && m.s.Lifecycle == state.Serving:
		on = state.OnResume
	}
	if on == "" { // it has its place in the queue, or the next boot's
		m.cancelled(h)
		return
	}
	m.fire(i, firing{on: on, write: m.cancelled})
}

// cancelled tells the client of a waiting handle that it is cancelled. All that is left
// to do is to keep its turn.
func (m *Machine) cancelled(h *state.Handle) {
	h.Outcome, h.Failure = fsm.OutcomeCancelled, m.word(fsm.WordCancelled)
	m.refuse(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))
	turn.Close(&m.s.Config, h)
	m.giveUp(h)
	if h.Loaded {
		h.Resume = state.Saving
	}
	h.Poison = false
}
