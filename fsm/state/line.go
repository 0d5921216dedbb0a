package state

import "shelly/fsm"

// Line counts how many handles are ahead of each (HND-37). Every handle joins it, in their order.
// The zero value is empty.
type Line struct {
	ahead int
	kept  []string // a session once for each handle that keeps it without a place, or waits for that
}

// Join returns how many handles are ahead of one, and whether it counts for those behind it. Up to
// the fourteenth edition one that waits for a person was ahead of all of them, and one that is
// postponed of none.
func (l *Line) Join(c *fsm.Config, h *Handle) (ahead int, counts bool) {
	earlier := c.Edition < fsm.FifteenthEdition
	switch {
	case h.Kind == fsm.KindMemory, h.Kind == fsm.KindSubagent, h.State == Parked:
		return 0, false
	case earlier && h.State == Postponed, h.Beside && (earlier || h.State != Postponed):
		return 0, false
	}
	ahead = l.ahead
	waits := false // for a person, or for a handle of its session that does
	if !earlier && h.Claims() {
		for _, session := range l.kept {
			if session == h.Session {
				ahead++
			}
		}
		waits = h.Suspended() || ahead > l.ahead
	}
	if waits {
		l.kept = append(l.kept, h.Session)
	} else {
		l.ahead++
	}
	return ahead, true
}
