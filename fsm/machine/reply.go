package machine

import (
	"cmp"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// deliver sends the handle's answer to those who wait for it (HND-15), once.
func (m *Machine) deliver(h *state.Handle) {
	if h.Replied {
		return
	}
	h.Replied = true
	text := m.announced(h)
	switch h.Kind {
	case fsm.KindUser:
		m.emit(fsm.Reply{Handle: h.ID, Request: h.Request, Text: text, Outcome: h.Outcome})
	default:
		if h.Tells() && !(h.Hush && fsm.SaysNothing(text)) { // HND-63, EVT-23
			m.message(h, h.Origin, text, false)
		}
	}
}

// refuse tells those who wait for the handle that it has no answer. It has not replied
// before: a handle with an answer ends by deliver.
func (m *Machine) refuse(h *state.Handle, outcome fsm.Outcome, reason string) {
	h.Replied = true
	if outcome == fsm.OutcomeTimeout && h.Kind == fsm.KindUser {
		reason = m.outOfTime(h, reason)
	}
	text := m.word(fsm.WordError, "reason", reason)
	if outcome == fsm.OutcomeCancelled {
		text = reason // HND-31: what its client asked for is not an error
	}
	switch {
	case h.Kind == fsm.KindUser:
		m.emit(fsm.Reply{Handle: h.ID, Request: h.Request, Text: text, IsError: true, Outcome: outcome})
	case h.Tells() && !h.Hush:
		m.message(h, h.Origin, text, true)
	case h.Kind == fsm.KindSubagent: // its end is reported to its session
	default:
		m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: text})
		if h.Happened != "" && outcome != fsm.OutcomeCancelled && outcome != fsm.OutcomeRefused { // what is refused, its source raises again
			m.message(h, h.Origin, m.word(fsm.WordEventUnhandled, "event", h.Happened, "reason", reason), true)
		}
	}
}

// message sends a text to a chat (HND-40). A reply of a handle without a request
// has the handle's own key.
func (m *Machine) message(h *state.Handle, to fsm.Origin, text string, isError bool) {
	key := h.ID.Entry()
	if h.Kind == fsm.KindSchedule && h.Hush {
		key += fsm.BeatKey
	}
	m.send(h, fsm.SendMessage{Key: key, To: to, Text: text, IsError: isError})
}

// send sends a message for a handle. The session of the chat hears of it, unless it is the
// handle's own (SES-23).
func (m *Machine) send(h *state.Handle, e fsm.SendMessage) {
	e.Handle, e.Session, e.Schedule = h.ID, h.Session, h.Schedule
	m.emit(e)
	if !turn.Hears(&m.s.Config) {
		return
	}
	said := state.Said{Session: e.To.Key(), At: m.s.Now, Text: fsm.Clip(e.Text, saidTextBytes), Source: m.derived(h, h.Conversation().Messages)}
	if e.To == h.Origin {
		said.Session = cmp.Or(h.Home, said.Session)
		if h.Kind == fsm.KindUser || h.Kind == fsm.KindSystem {
			said.Session = h.Session
		}
		if h.Kind == fsm.KindEvent || h.Kind == fsm.KindSchedule {
			said.From, said.About, said.Asked = h.Session, fsm.Clip(cmp.Or(h.Happened, h.Input), saidAboutBytes), h.Source
		}
	}
	if said.Session != h.Session {
		m.s.Say(said)
	}
}

// How much a session hears of a message, and of what it is about.
const (
	saidTextBytes  = 800
	saidAboutBytes = 200
)

// announced returns a handle's answer as its client gets it: with a notice if the model had
// to answer without thinking.
func (m *Machine) announced(h *state.Handle) string {
	if !h.Unthought || h.Answer == "" {
		return h.Answer
	}
	notice := m.word(fsm.WordUnthought, "tokens", strconv.Itoa(m.s.Config.ThinkRoom()))
	return joinText(h.Answer, notice)
}

// outOfTime returns what a client reads about a request that ran out of time: why, by which
// setting, and what was done in it (HND-61).
func (m *Machine) outOfTime(h *state.Handle, why string) string {
	if !m.s.Config.Switches.Progress {
		return why
	}
	done := m.word(fsm.WordDoneNothing)
	if h.Uses > 0 {
		done = m.word(fsm.WordDoneCalls, "calls", strconv.Itoa(h.Uses), "tools", strings.Join(h.Used, ", "))
	}
	if said := h.Inf.Said; said != "" && h.Answers() {
		done += m.word(fsm.WordDoneSaid, "said", fsm.Clip(said, saidBytes))
	}
	return m.word(fsm.WordTimedOutDone, "why", why, "setting", h.TimeoutSetting(), "done", done)
}

// saidBytes is how much is repeated of what the model said along the way.
const saidBytes = 400

// tell sends the client of h a notice: that it will be answered after the next boot, or
// that a person has to decide.
func (m *Machine) tell(h *state.Handle, n fsm.Notice) {
	if h.Kind == fsm.KindUser && !h.Replied {
		m.emit(fsm.Notify{Handle: h.ID, Request: h.Request, Notice: n})
	}
}

// joinText puts one text after another.
func joinText(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + "\n\n" + b
	}
}
