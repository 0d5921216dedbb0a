package machine

import (
	"strconv"

	"shelly/fsm"
	"shelly/fsm/queue"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// raised admits an event, or lets it join one that waits (HND-38).
func (m *Machine) raised(in fsm.EventRaised) {
	input, happened := m.s.Config.Words.Event(in), fsm.Clip(m.s.Config.Words.Happened(in), happenedBytes)
	if i := m.s.JoinedBy(in); i >= 0 {
		h := &m.s.Handles[i]
		h.Joined++
		times := strconv.Itoa(h.Joined + 1)
		h.Input = m.word(fsm.WordEventJoined, "event", input, "times", times)
		if h.Happened != "" { // its chat gets the message, whichever chat the joining event names
			h.Happened = m.word(fsm.WordEventJoined, "event", happened, "times", times)
		}
		m.s.Ignored.Joined++
		return
	}
	source := fsm.FromOutside
	if in.Do != "" {
		source |= fsm.FromOperator
	}
	if in.To.Channel == "" || m.s.Config.Edition < fsm.TwelfthEdition {
		happened = ""
	}
	m.admit(state.Handle{Accepted: state.Accepted{
		Kind: fsm.KindEvent, Session: "event:" + in.Source, Origin: in.To, Hush: in.To.Channel != "", Input: input, Happened: happened, About: state.AboutOf(in), Source: source,
	}})
}

// happenedBytes bounds how much of a failed event's text is repeated (HND-68).
const happenedBytes = 2000

// admit admits a handle (HND-1). Outside initializing and serving it is parked for the next
// boot; over max_queue a request or an event is refused (HND-25).
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

// giveWay sends a handle back to the queue that idles, or for which another handle would have to
// wait (HND-29, HND-66, LIF-17), and ends one that compresses (HND-67).
func (m *Machine) giveWay() {
	m.stepAside()
	waits := m.s.AnyoneWaits()
	if waits {
		m.unqueueReading()
	}
	waits = waits || m.s.ReadingWaits() >= 0
	if waits || m.s.Lifecycle != state.Serving {
		m.hurryCompression()
	}
	if !waits {
		return
	}
	crowded := m.s.Crowded()
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.State == state.Idling:
			m.fire(i, firing{on: state.OnYield})
		case h.Kind == fsm.KindMemory && h.State == state.Summarizing && !crowded:
			m.fire(i, firing{on: state.OnYield, write: func(h *state.Handle) {
				m.clearTimer(h)
				m.giveUp(h)
				h.Left = 0
			}})
		}
	}
}

// stepAside sends an initial inference beside others back to the queue if it is about to ask the model, or
// waits for that or for the answer, while another handle runs or waits. It keeps what it has (LIF-17).
func (m *Machine) stepAside() {
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		asks := h.Inf.State == state.Thinking || h.Inf.State == state.Condensing || h.Inf.State == state.BackingOff
		if h.State == state.Execution && asks && m.standsBack(h) {
			m.fire(i, firing{on: state.OnYield, write: func(h *state.Handle) { h.Resume = h.State }})
			return // there is no other
		}
	}
}

// standsBack reports whether the model is not to be asked for a handle, because that is an initial inference
// beside others, and one of these runs or waits (LIF-17).
func (m *Machine) standsBack(h *state.Handle) bool {
	return h.Beside && m.s.Config.Edition >= fsm.TwentyFirstEdition && m.s.Occupied()
}

// tellPlaces tells each waiting client how many handles are ahead of its own, when that has
// changed (HND-37). An event's place is reported once, to those who watch. In a machine that
// is stopping, no handle waits here: those that do not run are parked.
func (m *Machine) tellPlaces() {
	var line state.Line
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		ahead, counts := line.Join(&m.s.Config, h)
		if !counts {
			continue
		}
		tells := h.Kind == fsm.KindUser && h.Place != ahead+1 || h.Kind == fsm.KindEvent && h.Place == 0
		if h.State == state.Queued && h.Resume == "" && tells {
			h.Place = ahead + 1
			m.emit(fsm.Notify{Handle: h.ID, Request: h.Request, Notice: fsm.NoticeQueued, Ahead: ahead})
		}
	}
}

// parking keeps a handle for the next boot with what is left of its time (HND-27). The
// inference stays as it is: when the handle goes on, its last call is made again, or its
// outcome is unknown.
func (m *Machine) parking() firing {
	return firing{on: state.OnPark, write: func(h *state.Handle) {
		switch {
		case h.State == state.Stopping: // the turn is still to be kept
			turn.Close(&m.s.Config, h)
			h.Resume = state.Saving
		case h.Suspended():
			// Resume is set already
		case h.State != state.Queued && h.State != state.Idling && h.State != state.Loading:
			h.Resume = h.State
		}
	}}
}

// deferral parks a handle and tells its client.
func (m *Machine) deferral() firing {
	f := m.parking()
	park := f.write
	f.write = func(h *state.Handle) {
		park(h)
		m.clearTimer(h)
		m.tell(h, fsm.NoticeDeferred)
	}
	return f
}

// start gives a queued handle its turn: a new one begins, a parked one goes on in the
// phase it was in (HND-24).
func (m *Machine) start(h *state.Handle) firing {
	idles := h.Kind == fsm.KindMemory && !h.Compacts && h.Resume == "" || h.Beside && m.s.Config.Edition >= fsm.TwentyFirstEdition
	if idles && quiet(m, h) > 0 {
		return firing{on: state.OnIdle}
	}
	return m.started(h)
}

// started gives a handle its turn that has idled if it had to.
func (m *Machine) started(h *state.Handle) firing {
	if again := m.handle.phase(h.Resume).Again; again != "" {
		return firing{on: again, resumes: true, write: func(h *state.Handle) { h.Resume = "" }}
	}
	switch {
	case h.Compacts && !h.Ahead && !m.s.Cached.IsOf(h):
		return firing{on: state.OnFinish} // HND-67
	case h.Kind != fsm.KindMemory, h.Compacts:
		return firing{on: state.OnStart}
	default:
		return firing{on: state.OnSummarize}
	}
}
