package machine

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// A conversation that leaves is summed up or consolidated in parts where it is too long
// to be shown to the model at once (CTX-13).

// condensable moves a compression's cut: later, at whole turns, where what would stay
// takes more than half of the room; earlier where what leaves does not fit a model call,
// so that the rest leaves with the next one.
func (m *Machine) condensable(h *state.Handle, cut int) int {
	c, talk := &m.s.Config, h.Inf.Talk.Messages
	if !c.Fits() {
		return cut
	}
	room := m.room(h, m.system(h), m.offered(h))
	for stays := tokensOf(talk[cut:]); stays > room/2 && cut < h.TurnAt; {
		next := nextTurn(talk, cut+1, h.TurnAt)
		stays -= tokensOf(talk[cut:next])
		cut = next
	}
	shown := m.room(h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	for leaves := tokensOf(talk[:cut]); leaves > shown; {
		back := turnBefore(talk, cut)
		if back == 0 || back == 1 && talk[0].Role == fsm.RoleSystem {
			break
		}
		leaves -= tokensOf(talk[back:cut])
		cut = back
	}
	return cut
}

// turnBefore returns where the turn begins that ends before a place.
func turnBefore(talk []fsm.Message, end int) int {
	for n := end - 1; n > 0; n-- {
		if begins(talk[n]) {
			return n
		}
	}
	return 0
}

func tokensOf(msgs []fsm.Message) int {
	n := 0
	for _, msg := range msgs {
		n += fsm.MessageTokens(msg)
	}
	return n
}

// outgrows reports whether a session's history takes more of the window than a
// conversation may before it is shortened (CTX-13).
func (m *Machine) outgrows(h *state.Handle, s *fsm.Session) bool {
	c := &m.s.Config
	if !c.Fits() {
		return false
	}
	with := *h
	with.Sess = *s
	question := fsm.Conversation{}.Add(s.History...).Add(fsm.Message{Role: fsm.RoleUser, Text: h.Input, Images: h.Images})
	return m.overlong(&with, question, h.Toolset())
}

// staysWithin is how many of the newest messages stay: at most so many, and no more than
// a third of the room.
func (m *Machine) staysWithin(h *state.Handle, most int) int {
	c, history := &m.s.Config, h.Sess.History
	if !c.Fits() {
		return most
	}
	left := h.Sess.Uncorrected(c.PromptRoom()) / 3
	n := 0
	for n < min(most, len(history)) {
		if left -= fsm.MessageTokens(history[len(history)-1-n]); left < 0 {
			break
		}
		n++
	}
	return n
}

// portion returns how many of the messages that leave are put to the model in one call,
// the oldest first, and what it is shown of them.
func (m *Machine) portion(h *state.Handle, msgs []fsm.Message, ask string) (int, string) {
	c := &m.s.Config
	var shown strings.Builder
	if !c.Fits() {
		transcript(c.Words, &shown, msgs)
		return len(msgs), shown.String()
	}
	room := m.room(h, m.system(h), fsm.NoTools) - fsm.TextTokens(ask) - c.MemoryRoom() - markTokensMax
	for n := 0; n < len(msgs); {
		end := fsm.Whole(msgs, n+1) // a call is shown with its results
		var b strings.Builder
		transcript(c.Words, &b, msgs[n:end])
		text := c.Words.Shorten(b.String(), max(room/2, floorEarlier))
		if room -= fsm.TextTokens(text); room < 0 && n > 0 {
			return n, shown.String()
		}
		shown.WriteString(text)
		n = end
	}
	return len(msgs), shown.String()
}

// markTokensMax is more than the headings around a transcript take.
const markTokensMax = 64
