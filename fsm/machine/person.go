package machine

import (
	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/state"
)

// askApproval makes the call at Next wait for a person (APR-1). The handle gives back its
// place, and its clock stops (APR-3). Nobody is asked during a shutdown (APR-7). why is the
// tool's reason, if it is the tool that asks.
func (m *Machine) askApproval(why string) firing {
	asked := func(h *state.Handle) { h.Inf.Asked, h.Inf.Why = true, why }
	if m.s.Lifecycle != state.Serving {
		return m.deferral().after(asked)
	}
	return firing{on: state.OnApproval, write: func(h *state.Handle) { h.Resume = h.State }}.after(asked)
}

// toolAsks makes a call wait for a person because its tool did nothing and wants it
// approved first (APR-19).
func (m *Machine) toolAsks(h *state.Handle, in fsm.ToolAnswered) firing {
	if !h.MayWait(m.s.Config.Switches.Unattended) {
		return m.ran(m.word(fsm.WordNotRunUnattended), true) // APR-4
	}
	return m.askApproval(in.Asks).after(func(h *state.Handle) { h.Inf.Nothing = true })
}

// needsApproval reports whether a person must decide about a call before it starts, as no
// grant covers it.
func (m *Machine) needsApproval(h *state.Handle, decl *fsm.ToolDecl, c fsm.ToolCall) bool {
	return grant.Needs(&m.s.Config, decl, c) && !m.granted(h, decl, c)
}

// granted reports whether a grant covers a call (APR-12).
func (m *Machine) granted(h *state.Handle, decl *fsm.ToolDecl, c fsm.ToolCall) bool {
	return grant.Covers(m.s.Grants, h.Session, decl, c) || grant.Covers(m.s.Config.Grants, h.Session, decl, c)
}

// grants keeps the permission for later calls that an approval of the call at Next gives
// (APR-12).
func (m *Machine) grants(h *state.Handle, in fsm.Decided) {
	c := h.Inf.Calls[h.Inf.Next]
	decl, known := m.declared(h, c.Name)
	if g, given := grant.Of(in, h.Session, &decl, c, m.s.Now); known && given {
		m.s.Grants = grant.Add(m.s.Grants, g)
	}
}

// revoked takes a grant back (APR-17).
func (m *Machine) revoked(in fsm.Revoked) {
	gone := func(g *fsm.Grant) bool { return grant.ID(g) == in.Grant }
	own, all := grant.Without(m.s.Grants, gone), grant.Without(m.s.Config.Grants, gone)
	if len(own) == len(m.s.Grants) && len(all) == len(m.s.Config.Grants) {
		m.s.Ignored.Decisions++
	}
	m.s.Grants, m.s.Config.Grants = own, all
}

// hold makes a call with an unknown outcome wait for a person (APR-5). If a probe leads
// here during a shutdown, the handle is parked, and the next boot probes again.
func (m *Machine) hold() firing {
	if m.s.Lifecycle != state.Serving {
		return m.deferral()
	}
	return firing{on: state.OnHold, write: func(h *state.Handle) { h.Resume = h.State }}
}

// askPerson asks a person for what the handle waits for, and tells the client that its
// request waits.
func (m *Machine) askPerson(i int) firing {
	m.inquire(&m.s.Handles[i])
	return firing{}
}

func (m *Machine) inquire(h *state.Handle) {
	q, _ := h.Asks()
	m.emit(q)
	m.tell(h, fsm.NoticeHeld)
}

// decision takes a person's decision about a call (APR-2).
func (m *Machine) decision(in fsm.Decided) {
	i := m.s.IndexOf(in.Handle)
	if i < 0 || m.s.Handles[i].State != state.Approving || m.s.Handles[i].PersonKey() != in.Key {
		m.s.Ignored.Decisions++
		return
	}
	told := ""
	if !in.Approve {
		told = m.refusal(in)
	}
	m.grants(&m.s.Handles[i], in)
	m.fire(i, spoken(state.OnDecided, told))
}

// refusal is what the model learns of a call that a person has refused (APR-2, APR-23).
func (m *Machine) refusal(in fsm.Decided) string {
	switch {
	case in.By == "" && in.Reason == "":
		return m.word(fsm.WordNotRunRefused)
	case in.Reason == "":
		return m.word(fsm.WordNotRunRefusedBy, "person", in.By)
	case in.By == "":
		return m.word(fsm.WordNotRunBecause, "reason", in.Reason)
	default:
		return m.word(fsm.WordNotRunByBecause, "person", in.By, "reason", in.Reason)
	}
}

// resolution takes a person's decision about a held handle (APR-6), or lets one that was
// active in too many crashes go on (HND-36).
func (m *Machine) resolution(in fsm.Resolved) {
	i := m.s.IndexOf(in.Handle)
	switch {
	case i >= 0 && m.s.Handles[i].State == state.Held:
		text := in.Text
		if text == "" {
			text = m.word(fsm.WordUnknownOutcome)
		}
		m.fire(i, spoken(state.OnResolved, text))
	case i >= 0 && m.s.Handles[i].Poison:
		m.trust(i)
	default:
		m.s.Ignored.Decisions++
	}
}

// trust lets a handle that was held back go on, once the machine serves.
func (m *Machine) trust(i int) {
	trusted := func(h *state.Handle) { h.Poison, h.Crashes, h.Doubt = false, 0, "" }
	if m.s.Lifecycle == state.Serving {
		m.fire(i, firing{on: state.OnResume, write: trusted})
	} else {
		trusted(&m.s.Handles[i])
	}
}

// spoken lets a handle that waited for a person queue for its place again.
func spoken(on state.Event, told string) firing {
	return firing{on: on, write: func(h *state.Handle) { h.Inf.Told, h.Inf.Cleared = told, told == "" }}
}

// unapproved ends the wait for an approval.
func (m *Machine) unapproved(*state.Handle) firing {
	return spoken(state.OnDecided, m.word(fsm.WordNotRunUnapproved))
}

// unresolved ends the wait for a decision about an unknown outcome.
func (m *Machine) unresolved(*state.Handle) firing {
	return spoken(state.OnResolved, m.word(fsm.WordUnknownOutcome))
}
