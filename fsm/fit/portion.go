package fit

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

// A conversation that leaves is summed up or consolidated in parts if it is too long to be
// shown to the model at once (CTX-13).

// Condensable moves a compression's cut: later, to a whole turn, if what would stay takes
// more than half of the room; earlier, if what leaves does not fit into a model call, so
// that the rest leaves with the next one.
func Condensable(c *fsm.Config, h *state.Handle, cut int) int {
	talk := h.Inf.Talk.Messages
	if !c.Fits() {
		return cut
	}
	room := Room(c, h, prompt.System(c, h), prompt.Tools(c, h))
	for stays := tokensOf(talk[cut:]); stays > room/2 && cut < h.TurnAt; {
		next := fsm.NextTurn(talk, cut+1, h.TurnAt)
		stays -= tokensOf(talk[cut:next])
		cut = next
	}
	shown := Room(c, h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	for leaves := tokensOf(talk[:cut]); leaves > shown; {
		back := turnBefore(talk, cut)
		if back == 0 || back == 1 && c.Summed(talk) {
			break
		}
		leaves -= tokensOf(talk[back:cut])
		cut = back
	}
	return cut
}

// turnBefore returns where the turn that ends before end begins.
func turnBefore(talk []fsm.Message, end int) int {
	for n := end - 1; n > 0; n-- {
		if talk[n].Begins() {
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

// Outgrows reports whether a session's history takes more of the window than a
// conversation may before it is shortened (CTX-13).
func Outgrows(c *fsm.Config, h *state.Handle, s *fsm.Session) bool {
	if !c.Fits() {
		return false
	}
	with := *h
	with.Sess = *s
	return Overlong(c, &with, fsm.Counted(s.History, []fsm.Message{Question(h)}), h.Toolset())
}

// Question returns the message that a handle's conversation will end with, about as long as
// it will be.
func Question(h *state.Handle) fsm.Message {
	return fsm.Message{Role: fsm.RoleUser, Text: h.Input, Images: h.Images}
}

// Alone reports whether a question is too long for the window by itself (CTX-11), even
// without loaded skills, which a compression may unload.
func Alone(c *fsm.Config, h *state.Handle, s *fsm.Session, question fsm.Message, tools fsm.Toolset) bool {
	if !c.Fits() {
		return false
	}
	with := *h
	with.Sess = *s
	with.Sess.Skills = nil
	return fsm.MessageTokens(question) > Room(c, &with, prompt.System(c, &with), tools)
}

// StaysWithin returns how many of the newest messages stay: at most most, and at most a
// third of the room.
func StaysWithin(c *fsm.Config, h *state.Handle, most int) int {
	history := h.Sess.History
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

// Portion returns how many of the messages that leave are shown to the model in one call,
// oldest first, and the text that it is shown of them.
func Portion(c *fsm.Config, h *state.Handle, msgs []fsm.Message, ask string) (int, string) {
	var shown strings.Builder
	if !c.Fits() {
		Transcript(c.Words, &shown, msgs)
		return len(msgs), shown.String()
	}
	room := Room(c, h, prompt.System(c, h), fsm.NoTools) - fsm.TextTokens(ask) - c.MemoryRoom() - markTokensMax
	most := room / 2
	for n := 0; n < len(msgs); {
		end := fsm.Whole(msgs, n+1) // a call is shown together with its results
		var b strings.Builder
		Transcript(c.Words, &b, msgs[n:end])
		if c.Edition < fsm.SixthEdition {
			most = room / 2 // of what is left of it
		}
		text := c.Words.Shorten(b.String(), max(most, floorEarlier))
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

// Overlong reports whether a conversation is over the threshold (CTX-3).
func Overlong(c *fsm.Config, h *state.Handle, talk fsm.Conversation, tools fsm.Toolset) bool {
	tokens := h.Sess.Corrected(c.EstimateOf(prompt.System(c, h), talk, tools, &h.Sess.Offer))
	return tokens*100 > c.Limits.ContextTokens*c.Limits.CompressPercent
}

// Appendable reports whether a conversation that ends with a message about it is sent as it
// is, so that the model's server does not read again what it has cached: if an eighth of
// the window is left for the answer (CTX-14).
func Appendable(c *fsm.Config, h *state.Handle, system string, talk fsm.Conversation, tools fsm.Toolset) bool {
	return h.Sess.Corrected(c.EstimateOf(system, talk, tools, &h.Sess.Offer))*8 <= c.Limits.ContextTokens*7
}

// Room returns how many tokens the messages of a conversation may have after a system
// prompt and tools, as an uncorrected estimate (CTX-10).
func Room(c *fsm.Config, h *state.Handle, system string, tools fsm.Toolset) int {
	return h.Sess.Uncorrected(c.PromptRoom()) - c.EstimateOf(system, fsm.Conversation{}, tools, &h.Sess.Offer)
}

// Transcript writes messages as lines of text.
func Transcript(w fsm.Words, b *strings.Builder, msgs []fsm.Message) {
	for _, msg := range msgs {
		b.WriteString(w.Text(fsm.WordTranscript, "role", string(msg.Role), "text", msg.Text))
		for _, c := range msg.Calls {
			b.WriteString(w.Text(fsm.WordTranscriptCall, "role", string(msg.Role), "tool", c.Name, "args", c.Args))
		}
		if len(msg.Used) > 0 {
			b.WriteString(w.Text(fsm.WordTranscriptTools, "tools", strings.Join(msg.Used, ", ")))
		}
	}
}
