package machine

import (
	"strconv"

	"shelly/fsm"
	"shelly/fsm/queue"
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
	if h.Kind.Alternates() && m.s.Waiting() >= m.s.Config.Limits.MaxQueue {
		m.s.Ignored.Refused++
		m.refuse(&h, fsm.OutcomeRefused, m.word(fsm.WordBusy, "waiting", strconv.Itoa(m.s.Waiting())))
		return h.ID
	}
	m.s.Handles = append(m.s.Handles, h)
	if !own && m.s.Lifecycle != state.Initializing && m.s.Lifecycle != state.Serving {
		m.fire(len(m.s.Handles)-1, m.deferral())
	}
	return h.ID
}

// Active reports whether a handle runs.
func (m *Machine) Active() bool { return m.s.Active() >= 0 }

// schedule starts the oldest eligible handle whenever a place is free, in the
// very step that freed it (HND-2), and leaves draining once nothing is active.
func (m *Machine) schedule() {
	if m.s.Lifecycle == state.Draining && m.s.Active() < 0 {
		m.fire(none, firing{on: state.OnDrained})
	}
	last := fsm.HandleID(0)
	for i, first := queue.Next(&m.s); i >= 0; i, first = queue.Next(&m.s) {
		h := &m.s.Handles[i]
		if h.ID == last {
			break // the table does not let it start
		}
		last = h.ID
		if h.Kind.Alternates() {
			m.s.LastEvent = h.Kind == fsm.KindEvent
		}
		queue.CountBurst(&m.s, i, first)
		m.fire(i, m.start(h))
	}
	m.tellPlaces()
}

// giveWay sends a running memory handle back to the queue when somebody comes who
// would otherwise wait for it (HND-29).
func (m *Machine) giveWay() {
	if !m.s.AnyoneWaits() || m.s.Crowded() {
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
