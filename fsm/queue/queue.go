package queue

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Next returns the index of the handle that starts next, or -1, and of the one whose
// turn it is: that one, unless a session goes first for a while (HND-50).
func Next(s *state.Snapshot) (next, first int) {
	main, sub := running(s)
	may := func(i int) bool {
		h := &s.Handles[i]
		return h.State == state.Queued && h.Served(s.Lifecycle) && hasPlace(s, h, main, sub) && !held(s, i)
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
		case h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule: // what takes turns behind it does not pass it
			return first
		}
	}
	return first
}

// running counts the handles that run, subagents apart.
func running(s *state.Snapshot) (main, sub int) {
	for i := range s.Handles {
		switch h := &s.Handles[i]; {
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
func hasPlace(s *state.Snapshot, h *state.Handle, main, sub int) bool {
	switch h.Kind {
	case fsm.KindSubagent:
		return sub < s.Config.Limits.MaxSubagents
	case fsm.KindInit:
		return main == 0 && sub == 0 && !s.AnyoneWaits() || !h.Beside
	case fsm.KindMemory:
		return main == 0 && sub == 0 && !s.AnyoneWaits() || main < s.Config.Limits.MaxActive && s.Crowded()
	default:
		return main < s.Config.Limits.MaxActive
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
