package queue

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Next returns the index of the handle that starts next, or -1, and that of the handle
// whose turn it is: the same, unless a session goes first for a while (HND-50).
func Next(s *state.Snapshot) (next, first int) {
	p := placesOf(s)
	if p.full(&s.Config.Limits) {
		return -1, -1
	}
	may := func(i int) bool {
		h := &s.Handles[i]
		return h.State == state.Queued && h.Served(s.Lifecycle) && p.hasOne(h, &s.Config.Limits) && !held(s, i)
	}
	first = inTurn(s, may)
	return lingering(s, first, may), first
}

// inTurn returns the oldest handle that may start, or -1. If users and events take turns
// and the oldest is one of them, the oldest of the kind that did not start last goes
// instead (HND-44).
func inTurn(s *state.Snapshot, may func(int) bool) int {
	first := -1
	for i := range s.Handles {
		h := &s.Handles[i]
		if !may(i) {
			continue
		}
		if first < 0 {
			first = i
		}
		switch {
		case !s.Config.Switches.Alternate || !s.Handles[first].Kind.Alternates():
			return first
		case h.Kind.Alternates() && (h.Kind == fsm.KindEvent) != s.LastEvent:
			return i
		case h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule: // handles that take turns do not pass it
			return first
		}
	}
	return first
}

// HasPlace reports whether a handle that waits would have a place now.
func HasPlace(s *state.Snapshot, h *state.Handle) bool {
	p := placesOf(s)
	return p.hasOne(h, &s.Config.Limits)
}

// places says which places are taken, and who waits for them.
type places struct {
	main, sub int  // handles that run, and subagents that run
	waits     bool // a handle other than a memory handle is queued
	reads     bool // a memory handle that reads ahead is queued, which goes before the others
	apart     bool // one is queued for which a place among those that run may not count
	crowded   bool // so many memory handles wait that they take their turn like any other
}

func placesOf(s *state.Snapshot) (p places) {
	memories := 0
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.Kind == fsm.KindMemory {
			memories++
		}
		switch {
		case h.State == state.Queued:
			p.waits = p.waits || h.Kind != fsm.KindMemory && !h.Beside
			p.reads = p.reads || h.Ahead
			p.apart = p.apart || h.Kind == fsm.KindSubagent || h.Kind == fsm.KindInit
		case h.Waiting():
		case h.Kind == fsm.KindSubagent:
			p.sub++
		case h.Beside: // it takes no place
		default:
			p.main++
		}
	}
	p.crowded = memories >= s.Config.Limits.MaxQueue
	return p
}

// full reports whether no handle that is queued has a place.
func (p *places) full(l *fsm.Limits) bool { return p.main >= l.MaxActive && !p.apart }

// hasOne reports whether there is a place for a handle besides those that run. A memory
// handle runs alone, when nothing else waits, unless too many of them have accumulated
// (HND-29).
func (p *places) hasOne(h *state.Handle, l *fsm.Limits) bool {
	alone := p.main == 0 && p.sub == 0 && !p.waits
	switch h.Kind {
	case fsm.KindSubagent:
		return p.sub < l.MaxSubagents
	case fsm.KindInit:
		return alone && !p.reads || !h.Beside
	case fsm.KindMemory:
		return alone && h.Ahead == p.reads || p.main < l.MaxActive && p.crowded && !h.Compacts
	default:
		return p.main < l.MaxActive
	}
}

// held reports whether the session of the handle at i is taken: by one that runs
// or waits for a person, or by an older one that will go first (SES-2).
func held(s *state.Snapshot, i int) bool {
	h := &s.Handles[i]
	if !h.Claims() {
		return false
	}
	for n := range s.Handles {
		o := &s.Handles[n]
		if o.Session != h.Session || !o.Claims() || o.State == state.Parked {
			continue
		}
		if o.State != state.Queued || n < i && !o.Beside { // the handle itself is queued; an initial inference beside others starts when nothing waits
			return true
		}
	}
	return false
}
