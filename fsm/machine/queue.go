package machine

import (
	"strconv"

	"shelly/fsm"
	"shelly/fsm/state"
)

// requested admits a request unless it is already here (HND-26), or answers it at
// once where it is a command that does not wait.
func (m *Machine) requested(in fsm.Requested) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == fsm.KindUser && h.Request == in.Request {
			m.s.Ignored.Duplicates++
			return
		}
	}
	h := state.Handle{
		Kind: fsm.KindUser, Request: in.Request, Session: in.Session, Origin: in.Origin,
		Input: in.Text, Images: in.Images, Context: in.Context,
	}
	h.Session, h.Origin = fsm.Belongs(h.Session, h.Origin)
	m.meet(h.Origin.Channel)
	if m.s.Config.Switches.Commands {
		h.Command = CommandOf(h.Input)
	}
	if m.command(h) {
		return
	}
	m.admit(h)
}

// raised admits an event, or lets it join one that waits (HND-38).
func (m *Machine) raised(in fsm.EventRaised) {
	about := in.Source + "\x00" + in.Event + "\x00" + in.Subject
	session := "event:" + in.Source
	if m.s.Config.Switches.Coalesce {
		for i := range m.s.Handles {
			h := &m.s.Handles[i]
			if h.Kind == fsm.KindEvent && h.State == state.Queued && h.Resume == "" && h.About == about {
				h.Joined++
				h.Input = m.word(fsm.WordEventJoined, "event", m.described(in), "times", strconv.Itoa(h.Joined+1))
				m.s.Ignored.Joined++
				return
			}
		}
	}
	m.admit(state.Handle{Kind: fsm.KindEvent, Session: session, Input: m.described(in), About: about})
}

// admit takes a handle in (HND-1). Outside initializing and serving it is kept
// for the next boot; over max_queue a request or an event is refused (HND-25).
func (m *Machine) admit(h state.Handle) fsm.HandleID {
	m.s.LastHandle++
	h.ID = m.s.LastHandle
	h.State = state.Queued
	own := h.Kind == fsm.KindInit || h.Kind == fsm.KindFarewell
	if h.Kind.Alternates() && m.Waiting() >= m.s.Config.Limits.MaxQueue {
		m.s.Ignored.Refused++
		m.refuse(&h, fsm.OutcomeRefused, m.word(fsm.WordBusy, "waiting", strconv.Itoa(m.Waiting())))
		return h.ID
	}
	m.s.Handles = append(m.s.Handles, h)
	if !own && m.s.Lifecycle != state.Initializing && m.s.Lifecycle != state.Serving {
		m.fire(len(m.s.Handles)-1, m.deferral())
	}
	return h.ID
}

// Waiting returns how many handles hold a place in the queue: those of a request or
// an event that are not started, that are parked, or that wait for a person.
func (m *Machine) Waiting() int {
	n := 0
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Waiting() && h.Kind != fsm.KindMemory && h.Kind != fsm.KindSubagent && !h.Beside {
			n++
		}
	}
	return n
}

// Active reports whether a handle runs.
func (m *Machine) Active() bool { return m.active() >= 0 }

// schedule starts the oldest eligible handle whenever a place is free, in the
// very step that freed it (HND-2), and leaves draining once nothing is active.
func (m *Machine) schedule() {
	if m.s.Lifecycle == state.Draining && m.active() < 0 {
		m.fire(none, firing{on: state.OnDrained})
	}
	last := fsm.HandleID(0)
	for i, first := m.eligible(); i >= 0; i, first = m.eligible() {
		h := &m.s.Handles[i]
		if h.ID == last {
			break // the table does not let it start
		}
		last = h.ID
		if h.Kind.Alternates() {
			m.s.LastEvent = h.Kind == fsm.KindEvent
		}
		m.countBurst(i, first)
		m.fire(i, m.start(h))
	}
	m.tellPlaces()
}

// eligible returns the index of the handle that starts next, or -1, and of the one whose
// turn it is: that one, unless a session goes first for a while (HND-50).
func (m *Machine) eligible() (next, first int) {
	main, sub := m.running()
	may := func(i int) bool {
		h := &m.s.Handles[i]
		return h.State == state.Queued && h.Served(m.s.Lifecycle) && m.hasPlace(h, main, sub) && !m.held(i)
	}
	first = m.inTurn(may)
	return m.lingering(first, may), first
}

// inTurn returns the oldest handle that may start, or -1. Where users and events take
// turns and the oldest is one of them, the oldest of the sort that did not start last
// goes instead (HND-44).
func (m *Machine) inTurn(may func(int) bool) int {
	first := -1
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if !may(i) {
			continue
		}
		if first < 0 {
			first = i
		}
		switch {
		case !m.s.Config.Switches.Alternate || !m.s.Handles[first].Kind.Alternates():
			return first
		case h.Kind.Alternates() && (h.Kind == fsm.KindEvent) != m.s.LastEvent:
			return i
		case h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule: // what takes turns behind it does not pass it
			return first
		}
	}
	return first
}

// running counts the handles that run, subagents apart.
func (m *Machine) running() (main, sub int) {
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.Waiting():
		case h.Kind == fsm.KindSubagent:
			sub++
		case h.Beside: // it takes nobody's place
		default:
			main++
		}
	}
	return main, sub
}

// hasPlace reports whether there is room for a handle beside those that run. A
// memory handle runs alone, when nobody else could, unless too many of them have
// gathered (HND-29).
func (m *Machine) hasPlace(h *state.Handle, main, sub int) bool {
	switch h.Kind {
	case fsm.KindSubagent:
		return sub < m.s.Config.Limits.MaxSubagents
	case fsm.KindInit:
		return main == 0 && sub == 0 && !m.anyoneWaits() || !h.Beside
	case fsm.KindMemory:
		return main == 0 && sub == 0 && !m.anyoneWaits() || main < m.s.Config.Limits.MaxActive && m.crowded()
	default:
		return main < m.s.Config.Limits.MaxActive
	}
}

// anyoneWaits reports whether a handle other than a memory handle is queued.
func (m *Machine) anyoneWaits() bool {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.State == state.Queued && h.Kind != fsm.KindMemory && !h.Beside {
			return true
		}
	}
	return false
}

// crowded reports whether so many memory handles wait that they take their turn
// like any other.
func (m *Machine) crowded() bool { return m.count(fsm.KindMemory) >= m.s.Config.Limits.MaxQueue }

// held reports whether the session of the handle at i is taken: by one that runs
// or waits for a person, or by an older one that will go first (SES-2).
func (m *Machine) held(i int) bool {
	h := &m.s.Handles[i]
	if !h.Claims() {
		return false
	}
	for n := range m.s.Handles {
		o := &m.s.Handles[n]
		if o.Session != h.Session || !o.Claims() || o.State == state.Parked {
			continue
		}
		if o.State != state.Queued || n < i { // the handle itself is queued
			return true
		}
	}
	return false
}

// giveWay sends a running memory handle back to the queue when somebody comes who
// would otherwise wait for it (HND-29).
func (m *Machine) giveWay() {
	if !m.anyoneWaits() || m.crowded() {
		return
	}
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind != fsm.KindMemory || h.State != state.Summarizing {
			continue
		}
		m.fire(i, firing{on: state.OnYield, write: func(h *state.Handle) {
			m.clearTimer(h)
			m.giveUp(h)
			h.Left = 0
		}})
	}
}

// tellPlaces tells each client that waits how many go before it, when that has
// changed (HND-37). An event's place is told once, to whoever watches.
func (m *Machine) tellPlaces() {
	if m.s.Lifecycle != state.Initializing && m.s.Lifecycle != state.Serving {
		return
	}
	ahead := 0
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind == fsm.KindMemory || h.Kind == fsm.KindSubagent || h.Beside || h.State == state.Parked {
			continue
		}
		tells := h.Kind == fsm.KindUser && h.Place != ahead+1 || h.Kind == fsm.KindEvent && h.Place == 0
		if h.State == state.Queued && h.Resume == "" && tells {
			h.Place = ahead + 1
			m.emit(fsm.Notify{Handle: h.ID, Request: h.Request, Notice: fsm.NoticeQueued, Ahead: ahead})
		}
		ahead++
	}
}

// active returns the index of the first handle that runs, or -1.
func (m *Machine) active() int {
	for i := range m.s.Handles {
		if !m.s.Handles[i].Waiting() {
			return i
		}
	}
	return -1
}

// indexOf returns where a handle stands, or -1.
func (m *Machine) indexOf(id fsm.HandleID) int {
	for i := range m.s.Handles {
		if m.s.Handles[i].ID == id {
			return i
		}
	}
	return -1
}

// described is an event in words (HND-17).
func (m *Machine) described(in fsm.EventRaised) string {
	var subject, detail string
	if in.Subject != "" {
		subject = m.word(fsm.WordEventSubject, "subject", in.Subject)
	}
	if in.Detail != "" {
		detail = m.word(fsm.WordEventDetail, "detail", in.Detail)
	}
	return m.word(fsm.WordEvent, "source", in.Source, "event", in.Event, "subject", subject, "detail", detail)
}
