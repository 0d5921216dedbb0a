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
		m.abort(i, OutcomeCancelled, "cancelled") // HND-33
	}
}

// cancelWaiting ends a handle that does not run: its client is told at once; where
// it has a turn to keep it takes its place once more to keep it (HND-34).
func (m *Machine) cancelWaiting(i int) {
	h := &m.s.Handles[i]
	m.clearWait(h)
	h.Outcome, h.Failure = OutcomeCancelled, "cancelled"
	m.refuse(h, OutcomeCancelled, "cancelled")
	if !h.Loaded {
		m.giveUpParked(h)
		m.move(h, OnCancel)
		m.ended(i, ExitClean)
		return
	}
	m.close(h)
	m.giveUpParked(h)
	h.Resume = Saving
	switch {
	case h.State == Approving:
		m.move(h, OnDecided)
	case h.State == Held:
		m.move(h, OnResolved)
	case h.Poison && m.s.Lifecycle == Serving:
		m.move(h, OnResume)
	}
	h.Poison = false
}

// giveUpParked ends the inference of a handle that was parked in it.
func (m *Machine) giveUpParked(h *Handle) {
	h.Await = Await{}
	m.giveUp(h)
}
