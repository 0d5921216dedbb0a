package machine

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

const commandNew = "new"

// CommandOf returns the command that a text is, or none, in any case. A text that begins
// with a slash and is not a command is a text.
func CommandOf(text string) string {
	switch t := strings.ToLower(strings.TrimSpace(text)); t {
	case "/new", "/help", "/status", "/stop":
		return t[1:]
	default:
		return ""
	}
}

// command answers a command that does not wait for its turn (SES-15). It reports
// false for a text that becomes a handle.
func (m *Machine) command(h state.Handle) bool {
	var answer string
	switch h.Command {
	case "", commandNew:
		return false
	case "help":
		answer = m.word(fsm.WordHelp)
	case "status":
		answer = m.status(h.Session)
	case "stop":
		answer = m.stopSession(h.Session)
	}
	m.s.LastHandle++
	m.emit(fsm.Reply{Handle: m.s.LastHandle, Request: h.Request, Text: answer, Outcome: fsm.OutcomeAnswered})
	return true
}

// status says what is going on, in the session and beside it.
func (m *Machine) status(session string) string {
	active, waiting, here := 0, 0, "idle"
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Waiting() {
			waiting++
		} else {
			active++
		}
		if h.Session == session && h.Kind != fsm.KindMemory && (here == "idle" || !h.Waiting()) {
			here = string(h.State)
		}
	}
	return m.word(fsm.WordStatus, "lifecycle", string(m.s.Lifecycle), "profile", m.s.Config.Profile,
		"active", strconv.Itoa(active), "waiting", strconv.Itoa(waiting), "session", session, "here", here)
}

// stopSession cancels what is unfinished in a session (SES-15), and says how much
// that is.
func (m *Machine) stopSession(session string) string {
	if m.s.Config.Switches.Cancel == fsm.CancelRefused {
		return m.word(fsm.WordStopRefused)
	}
	var ids []fsm.HandleID
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind == fsm.KindSubagent && slices.Contains(ids, h.Parent) {
			continue // it ends with its parent, and as a part of that (HND-41)
		}
		if (h.Session == session || h.Kind == fsm.KindSubagent && h.Home == session) && h.Kind != fsm.KindMemory && !h.Decided() {
			ids = append(ids, h.ID)
		}
	}
	stopped := 0
	for _, id := range ids {
		if i := m.s.IndexOf(id); i >= 0 && !m.s.Handles[i].Decided() {
			m.cancel(i)
			stopped++
		}
	}
	if stopped == 0 {
		return m.word(fsm.WordStopNothing)
	}
	return m.word(fsm.WordStopDone, "n", strconv.Itoa(stopped))
}

// renew begins a session anew (SES-14).
func (m *Machine) renew(h *state.Handle) {
	h.Answer, h.Outcome = m.word(fsm.WordNewSession), fsm.OutcomeAnswered
	h.Sess.History, h.Sess.Skills = nil, nil
}
