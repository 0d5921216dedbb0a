package queue

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Next returns the index of the handle that starts next, or -1, and of the one whose
// turn it is: that one, unless a session goes first for a while (HND-50).
func Next(s *state.Snapshot) (next, first int) {
	p := placesOf(s)
	may := func(i int) bool {
		h := &s.Handles[i]
		return h.State == state.Queued && h.Served(s.Lifecycle) && p.hasOne(h, &s.Config.Limits) && !held(s, i)
	}
	first = inTurn(s, may)
	return lingering(s, first, may), first
}

// inTurn returns the oldest handle that may start, or -1. Where users and events take
// turns and the oldest is one of them, the oldest of the sort that did not start last
// goes instead (HND-44).
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
		case h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule: // what takes turns after it does not pass it
			return first
		}
	}
	return first
}

// places are what the handles leave of the places there are.
type places struct {
	main, sub int  // handles that run, subagents apart
	waits     bool // a handle is queued that is no memory handle
	crowded   bool // enough memory handles wait that they take their turn like any other
}

func placesOf(s *state.Snapshot) places {
	p := places{waits: s.AnyoneWaits(), crowded: s.Crowded()}
	for i := range s.Handles {
		switch h := &s.Handles[i]; {
		case h.Waiting():
		case h.Kind == fsm.KindSubagent:
			p.sub++
		case h.Beside: // it takes nobody's place
		default:
			p.main++
		}
	}
	return p
}

// hasOne reports whether there is room for a handle beside those that run. A
// memory handle runs alone, when nobody else could, unless too many of them have
// gathered (HND-29).
func (p *places) hasOne(h *state.Handle, l *fsm.Limits) bool {
	alone := p.main == 0 && p.sub == 0 && !p.waits
	switch h.Kind {
	case fsm.KindSubagent:
		return p.sub < l.MaxSubagents
	case fsm.KindInit:
		return alone || !h.Beside
	case fsm.KindMemory:
		return alone || p.main < l.MaxActive && p.crowded
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
		if o.State != state.Queued || n < i && !o.Beside { // the handle itself is queued; one beside which others are served starts when nobody waits
			return true
		}
	}
	return false
}
