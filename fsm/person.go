package fsm

// askApproval lets the call at Next wait for a person (APR-1). The place is given
// back and the handle's clock stands still (APR-3).
func (m *Machine) askApproval(h *Handle) {
	m.clearTimer(h)
	if m.s.Lifecycle != Serving { // nobody is asked while it shuts down (APR-7)
		m.deferHandle(h)
		return
	}
	h.Resume = h.State
	m.move(h, OnApproval)
	m.askPerson(h)
	m.wait(h, TimerApproval, m.s.Config.Limits.ApprovalTimeout)
}

// hold lets a call whose outcome is unknown wait for a person (APR-5).
func (m *Machine) hold(h *Handle) {
	h.Resume = h.State
	m.clearTimer(h)
	m.move(h, OnHold)
	m.askPerson(h)
	m.wait(h, TimerHold, m.s.Config.Limits.HoldTimeout)
}

// askPerson asks a person what the handle waits for, and tells the client that its
// request waits.
func (m *Machine) askPerson(h *Handle) {
	q, _ := h.Asks()
	m.emit(q)
	m.tell(h, NoticeHeld)
}

// Asks returns what a person is asked about the handle, or false where nothing is.
func (h *Handle) Asks() (AskPerson, bool) {
	q := AskPerson{Handle: h.ID, Request: h.Request, Session: h.Session, Key: h.personKey()}
	switch {
	case h.State == Approving:
		q.Question = QuestionApprove
	case h.State == Held:
		q.Question = QuestionUnknown
	case h.Poison && h.Doubt != "":
		q.Question, q.Text, q.Key = QuestionDoubt, h.Doubt, h.ID.entry()
		return q, true
	case h.Poison:
		q.Question, q.Key = QuestionCrashes, h.ID.entry()
		return q, true
	default:
		return AskPerson{}, false
	}
	c := h.Inf.Calls[h.Inf.Next]
	q.Tool, q.Args = c.Name, c.Args
	return q, true
}

// personKey names what a person is asked about. It is another for each call.
func (h *Handle) personKey() string {
	if h.Inf.Next < len(h.Inf.Calls) {
		return h.useKey(h.Inf.Calls[h.Inf.Next])
	}
	return h.ID.entry()
}

// PersonKey is what [Decided] must name to decide about a handle; empty where there
// is no such handle.
func PersonKey(s *Snapshot, id HandleID) string {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.ID == id {
			return h.personKey()
		}
	}
	return ""
}

// decision takes a person's decision about a call (APR-2).
func (m *Machine) decision(in Decided) {
	i := m.indexOf(in.Handle)
	if i < 0 || m.s.Handles[i].State != Approving || m.s.Handles[i].personKey() != in.Key {
		m.s.Ignored.Decisions++
		return
	}
	told := ""
	if !in.Approve {
		told = "not run: a person refused it"
		if in.By != "" {
			told = "not run: " + in.By + " refused it"
		}
	}
	m.spoken(i, OnDecided, told)
}

// resolution takes a person's word on a handle that is held (APR-6), or lets one go
// on that was active in too many crashes (HND-36).
func (m *Machine) resolution(in Resolved) {
	i := m.indexOf(in.Handle)
	switch {
	case i >= 0 && m.s.Handles[i].State == Held:
		text := in.Text
		if text == "" {
			text = UnknownOutcome
		}
		m.spoken(i, OnResolved, text)
	case i >= 0 && m.s.Handles[i].Poison:
		h := &m.s.Handles[i]
		h.Poison, h.Crashes, h.Doubt = false, 0, ""
		if m.s.Lifecycle == Serving {
			m.move(h, OnResume)
		}
	default:
		m.s.Ignored.Decisions++
	}
}

// spoken lets a handle that waited for a person queue for its place again.
func (m *Machine) spoken(i int, on Event, told string) {
	h := &m.s.Handles[i]
	m.clearWait(h)
	h.Inf.Told, h.Inf.Cleared = told, told == ""
	m.move(h, on)
}

// waitOver handles a fired wait timer by what was waited for.
func (m *Machine) waitOver(i int) {
	h := &m.s.Handles[i]
	h.Wait = 0
	switch {
	case h.State == Approving:
		m.spoken(i, OnDecided, "not run: no person approved it in time")
	case h.State == Held:
		m.spoken(i, OnResolved, UnknownOutcome)
	case h.State == Compacting:
		m.abortCall(h)
		m.giveUp(h)
		m.compacted(i)
	case h.Inf.State == BackingOff:
		m.moveInference(h, OnRetry)
		m.think(i)
	case h.Inf.State == Retrying:
		m.moveInference(h, OnRetry)
		m.attemptAgain(i)
	case h.Inf.State == Condensing: // CTX-7
		m.abortCall(h)
		m.condensed(i, "")
	}
}
