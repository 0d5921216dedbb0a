package fsm

import (
	"slices"
	"strconv"
	"strings"
)

const commandNew = "new"

const newSession = "New session started."

const helpText = "/new: remember this conversation and begin a new one\n" +
	"/stop: stop what is going on in this conversation\n" +
	"/status: say what is going on\n" +
	"/help: show this"

// commandOf returns the command that a text is, or none. A text that begins with a
// stroke and is no command is a text.
func commandOf(text string) string {
	switch t := strings.TrimSpace(text); t {
	case "/new", "/help", "/status", "/stop":
		return t[1:]
	default:
		return ""
	}
}

// command answers a command that does not wait for its turn (SES-15). It reports
// false for a text that becomes a handle.
func (m *Machine) command(h *Handle) bool {
	if !m.s.Config.Switches.Commands {
		return false
	}
	h.Command = commandOf(h.Input)
	var answer string
	switch h.Command {
	case "", commandNew:
		return false
	case "help":
		answer = helpText
	case "status":
		answer = m.status(h.Session)
	case "stop":
		answer = m.stopSession(h.Session)
	}
	m.s.LastHandle++
	h.ID = m.s.LastHandle
	m.emit(Reply{Handle: h.ID, Request: h.Request, Text: answer, Outcome: OutcomeAnswered})
	return true
}

// status says what is going on, in the session and beside it.
func (m *Machine) status(session string) string {
	active, waiting, here := 0, 0, "idle"
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.waiting() {
			waiting++
		} else {
			active++
		}
		if h.Session == session && h.Kind != KindMemory && (here == "idle" || !h.waiting()) {
			here = string(h.State)
		}
	}
	return string(m.s.Lifecycle) + ", profile " + m.s.Config.Profile + "; " + strconv.Itoa(active) + " active, " +
		strconv.Itoa(waiting) + " waiting; session " + session + ": " + here
}

// stopSession cancels what is unfinished in a session (SES-15), and says how much
// that is.
func (m *Machine) stopSession(session string) string {
	if m.s.Config.Switches.Cancel == CancelRefused {
		return "Nothing is stopped: this profile does not cancel."
	}
	var ids []HandleID
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind == KindSubagent && slices.Contains(ids, h.Parent) {
			continue // it ends with its parent, and as a part of that (HND-41)
		}
		if (h.Session == session || h.Kind == KindSubagent && h.Home == session) && h.Kind != KindMemory && !h.decided() {
			ids = append(ids, h.ID)
		}
	}
	stopped := 0
	for _, id := range ids {
		if i := m.indexOf(id); i >= 0 && !m.s.Handles[i].decided() {
			m.cancel(i)
			stopped++
		}
	}
	if stopped == 0 {
		return "There is nothing to stop."
	}
	return "Stopped: " + strconv.Itoa(stopped) + "."
}

// renew begins a session anew (SES-14).
func renew(h *Handle) {
	h.Answer, h.Outcome = newSession, OutcomeAnswered
	h.Sess.History, h.Sess.Skills = nil, nil
}
