package machine

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// requested admits a request unless it is already here (HND-26), or answers it at once if
// it is a command that does not wait.
func (m *Machine) requested(in fsm.Requested) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == fsm.KindUser && h.Request == in.Request {
			m.s.Ignored.Duplicates++
			return
		}
	}
	h := state.Handle{Accepted: state.Accepted{
		Kind: fsm.KindUser, Request: in.Request, Session: in.Session, Origin: in.Origin,
		Input: in.Text, Images: in.Images, Context: spokenBy(in.Context), Source: fsm.FromPerson,
	}}
	h.Session, h.Origin = fsm.Belongs(h.Session, h.Origin)
	m.meet(h.Origin.Channel)
	if m.s.Config.Heartbeat.Greet.Idle > 0 {
		m.s.Beat.Spoke = m.s.Now // EVT-22
	}
	if m.s.Config.Switches.Commands {
		h.Command = CommandOf(h.Input)
	}
	if m.command(h) {
		return
	}
	m.admit(h)
}

// channelsMax is how many channels of requests are remembered.
const channelsMax = 64

// meet notes the channel of a request.
func (m *Machine) meet(channel string) {
	if len(m.s.Config.Channels) > 0 && !slices.Contains(m.s.Channels, channel) && len(m.s.Channels) < channelsMax {
		m.s.Channels = append(m.s.Channels, channel)
	}
}

const commandNew = "new"

// CommandOf returns the command that a text is, in upper or lower case, or "". Any other
// text that begins with a slash is not special.
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

// status returns what is going on, in the session and elsewhere.
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

// stopSession cancels what is unfinished in a session (SES-15), and returns a text that
// says how much that is.
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
		if (h.Session == session || h.Home == session) && h.Kind != fsm.KindMemory && !h.Decided() {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return m.word(fsm.WordStopNothing)
	}
	for _, id := range ids { // none of them ends with another
		m.cancel(m.s.IndexOf(id))
	}
	return m.word(fsm.WordStopDone, "n", strconv.Itoa(len(ids)))
}

// renew starts a session over (SES-14).
func (m *Machine) renew(h *state.Handle) {
	h.Answer, h.Outcome = m.word(fsm.WordNewSession), fsm.OutcomeAnswered
	h.Sess.History, h.Sess.Skills, h.Sess.Texts, h.Sess.Offer = nil, nil, nil, fsm.Offer{}
	session := h.Session
	m.s.Grants = grant.Without(m.s.Grants, func(g *fsm.Grant) bool { return g.Session != "" && g.Session == session }) // APR-12
}

// cancelRequested ends an unfinished request, or other work, as the profile says (HND-31).
func (m *Machine) cancelRequested(in fsm.CancelRequested) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.IsMeant(in) && !h.Decided() && m.s.Config.Switches.Cancel != fsm.CancelRefused {
			h.Alone = h.Kind == fsm.KindSubagent // HND-64
			m.cancel(i)
			return
		}
	}
	m.s.Ignored.Cancels++ // EXC-3, HND-35
}

// cancel ends the undecided handle at i, now or at its next checkpoint, and the
// subagents that it has started (HND-41).
func (m *Machine) cancel(i int) {
	id := m.s.Handles[i].ID
	var children []fsm.HandleID
	for n := range m.s.Handles {
		if c := &m.s.Handles[n]; c.Kind == fsm.KindSubagent && c.Parent == id && !c.Decided() {
			children = append(children, c.ID)
		}
	}
	for _, child := range children { // each was admitted after the one that started it
		m.cancel(m.s.IndexOf(child))
	}
	h := &m.s.Handles[i]
	switch {
	case h.Waiting():
		m.cancelWaiting(i)
	case m.s.Config.Switches.Cancel == fsm.CancelCheckpoint && h.Busy():
		h.Stop = true // HND-32
	default:
		m.fire(i, m.abort(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))) // HND-33
	}
}

// cancelWaiting cancels a handle that does not run. Its client learns of it at once; if
// there is a turn to keep, the handle takes a place once more to keep it (HND-34).
func (m *Machine) cancelWaiting(i int) {
	h := &m.s.Handles[i]
	var on state.Event
	switch {
	case !h.Loaded:
		on = state.OnCancel
	case h.State == state.Approving:
		on = state.OnDecided
	case h.State == state.Held:
		on = state.OnResolved
	case h.State == state.Postponed, h.Poison && m.s.Lifecycle == state.Serving:
		on = state.OnResume
	default: // it is in the queue, or waits for the next boot
		m.cancelled(h)
		return
	}
	m.fire(i, firing{on: on, write: m.cancelled})
}

// cancelled tells the client of a waiting handle that it is cancelled. All that remains is
// to keep its turn.
func (m *Machine) cancelled(h *state.Handle) {
	h.Outcome, h.Failure = fsm.OutcomeCancelled, m.word(fsm.WordCancelled)
	m.refuse(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))
	turn.Close(&m.s.Config, h)
	m.giveUp(h)
	if h.Loaded {
		h.Resume = state.Saving
	}
	h.Poison = false
}

// spokenBy returns a history that a caller brings, with its sources: whatever it claims,
// all of it is a person's, and the answers in it are a model's too.
func spokenBy(context []fsm.Message) []fsm.Message {
	own := slices.Clone(context)
	for i := range own {
		own[i].Source = fsm.FromPerson
		if own[i].Role == fsm.RoleAssistant {
			own[i].Source |= fsm.FromModel
		}
	}
	return own
}
