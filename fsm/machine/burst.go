package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// bursts reports whether a session may go first because the model was asked for it last:
// the server's slot still holds its conversation (HND-50).
func (m *Machine) bursts() bool { return m.s.Config.Limits.SessionBurst > 1 }

// lingering returns the handle that starts in the place of first: the oldest of the
// session that the model was asked for last, up to session_burst turns in a row.
func (m *Machine) lingering(first int, may func(int) bool) int {
	if first < 0 || !takesTurns(&m.s.Handles[first]) || m.s.Handles[first].Session == m.s.LastSession ||
		m.s.Burst+1 >= m.s.Config.Limits.SessionBurst {
		return first
	}
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Session == m.s.LastSession && takesTurns(h) && may(i) {
			return i
		}
	}
	return first
}

// takesTurns reports whether a handle waits for its turn among those of other sessions.
func takesTurns(h *state.Handle) bool { return h.Claims() && h.Kind != fsm.KindSubagent }

// countBurst counts a start: how often in a row one went before another's turn.
func (m *Machine) countBurst(i, first int) {
	switch {
	case !m.bursts() || !takesTurns(&m.s.Handles[i]):
	case i != first:
		m.s.Burst++
	default:
		m.s.Burst = 0
	}
}

// askedFor notes for which session the model is asked, where that is of account.
func (m *Machine) askedFor(session string) {
	if !m.bursts() {
		m.s.LastSession, m.s.Burst = "", 0
		return
	}
	m.s.LastSession = session
}
