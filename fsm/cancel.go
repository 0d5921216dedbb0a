package fsm

// cancelRequested ends an unfinished request as the profile says (HND-31).
func (m *Machine) cancelRequested(key RequestKey) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == KindUser && h.Request == key && !h.decided() &&
			m.s.Config.Switches.Cancel != CancelRefused {
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
	var children []HandleID
	for n := range m.s.Handles {
		if c := &m.s.Handles[n]; c.Kind == KindSubagent && c.Parent == id && !c.decided() {
			children = append(children, c.ID)
		}
	}
	for _, child := range children {
		if n := m.indexOf(child); n >= 0 {
			m.cancel(n)
		}
	}
	i = m.indexOf(id)
	h := &m.s.Handles[i]
	switch {
	case h.waiting():
		m.cancelWaiting(i)
	case m.s.Config.Switches.Cancel == CancelCheckpoint && h.Await.Call != 0:
		h.Stop = true // HND-32
	default:
		m.fire(i, m.abort(h, OutcomeCancelled, m.word(WordCancelled))) // HND-33
	}
}

// cancelWaiting ends a handle that does not run: its client is told at once; where
// it has a turn to keep it takes its place once more to keep it (HND-34).
func (m *Machine) cancelWaiting(i int) {
	h := &m.s.Handles[i]
	on := Event("")
	switch {
	case !h.Loaded:
		on = OnCancel
	case h.State == Approving:
		on = OnDecided
	case h.State == Held:
		on = OnResolved
	case h.Poison && m.s.Lifecycle == Serving:
		on = OnResume
	}
	if on == "" { // it has its place in the queue, or the next boot's
		m.cancelled(h)
		return
	}
	m.fire(i, firing{on: on, write: m.cancelled})
}

// cancelled tells the client of a waiting handle that it is cancelled. All that is left
// to do is to keep its turn.
func (m *Machine) cancelled(h *Handle) {
	h.Outcome, h.Failure = OutcomeCancelled, m.word(WordCancelled)
	m.refuse(h, OutcomeCancelled, m.word(WordCancelled))
	m.close(h)
	m.giveUp(h)
	if h.Loaded {
		h.Resume = Saving
	}
	h.Poison = false
}
