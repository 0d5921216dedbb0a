package fsm

// askApproval lets the call at Next wait for a person (APR-1). The place is given
// back and the handle's clock stands still (APR-3). Nobody is asked while it shuts
// down (APR-7).
func (m *Machine) askApproval() firing {
	if m.s.Lifecycle != Serving {
		return m.deferral()
	}
	return firing{on: OnApproval, write: func(h *Handle) { h.Resume = h.State }}
}

// hold lets a call whose outcome is unknown wait for a person (APR-5).
func (m *Machine) hold() firing {
	return firing{on: OnHold, write: func(h *Handle) { h.Resume = h.State }}
}

// askPerson asks a person what the handle waits for, and tells the client that its
// request waits.
func (m *Machine) askPerson(i int) firing {
	m.inquire(&m.s.Handles[i])
	return firing{}
}

func (m *Machine) inquire(h *Handle) {
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
		told = m.word(WordNotRunRefused)
		if in.By != "" {
			told = m.word(WordNotRunRefusedBy, "person", in.By)
		}
	}
	m.fire(i, spoken(OnDecided, told))
}

// resolution takes a person's word on a handle that is held (APR-6), or lets one go
// on that was active in too many crashes (HND-36).
func (m *Machine) resolution(in Resolved) {
	i := m.indexOf(in.Handle)
	switch {
	case i >= 0 && m.s.Handles[i].State == Held:
		text := in.Text
		if text == "" {
			text = m.word(WordUnknownOutcome)
		}
		m.fire(i, spoken(OnResolved, text))
	case i >= 0 && m.s.Handles[i].Poison:
		m.trust(i)
	default:
		m.s.Ignored.Decisions++
	}
}

// trust lets a handle go on that was kept back, once there is service.
func (m *Machine) trust(i int) {
	trusted := func(h *Handle) { h.Poison, h.Crashes, h.Doubt = false, 0, "" }
	if m.s.Lifecycle == Serving {
		m.fire(i, firing{on: OnResume, write: trusted})
		return
	}
	trusted(&m.s.Handles[i])
}

// spoken lets a handle that waited for a person queue for its place again.
func spoken(on Event, told string) firing {
	return firing{on: on, write: func(h *Handle) { h.Inf.Told, h.Inf.Cleared = told, told == "" }}
}

// unapproved is the end of the wait for an approval.
func (m *Machine) unapproved(*Handle) firing {
	return spoken(OnDecided, m.word(WordNotRunUnapproved))
}

// unresolved is the end of the wait for a word on an unknown outcome.
func (m *Machine) unresolved(*Handle) firing { return spoken(OnResolved, m.word(WordUnknownOutcome)) }
