package queue

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// bursts reports whether a session may go first because the model was asked for it last:
// the server's slot still holds its conversation (HND-50).
func bursts(s *state.Snapshot) bool { return s.Config.Limits.SessionBurst > 1 }

// lingering returns the handle that starts instead of first: the oldest of the
// session that the model was asked for last, up to session_burst turns in a row.
func lingering(s *state.Snapshot, first int, may func(int) bool) int {
	if first < 0 || !takesTurns(&s.Handles[first]) || s.Handles[first].Session == s.LastSession ||
		s.Burst+1 >= s.Config.Limits.SessionBurst {
		return first
	}
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Session == s.LastSession && takesTurns(h) && may(i) {
			return i
		}
	}
	return first
}

// takesTurns reports whether a handle waits for its turn among those of other sessions.
func takesTurns(h *state.Handle) bool { return h.Claims() && h.Kind != fsm.KindSubagent && !h.Beside }

// CountBurst counts, at a start, how often in a row a session went ahead of another's turn.
func CountBurst(s *state.Snapshot, i, first int) {
	switch {
	case !bursts(s) || !takesTurns(&s.Handles[i]):
	case i != first:
		s.Burst++
	default:
		s.Burst = 0
	}
}

// AskedFor notes for which session the model is asked, if that matters.
func AskedFor(s *state.Snapshot, session string) {
	if !bursts(s) {
		s.LastSession, s.Burst = "", 0
		return
	}
	s.LastSession = session
}
