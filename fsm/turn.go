package fsm

import (
	"slices"
	"strings"
)

// question is the handle's input as a history keeps it.
func (m *Machine) question(h *Handle) Message {
	text := h.Input
	if h.Kind == KindSystem {
		text = m.word(WordSubagentInput, "text", text) // SES-17
	}
	for range h.Images {
		text = m.word(WordImageInput, "text", text) // SES-13
	}
	return Message{Role: RoleUser, Text: text}
}

// close ends a turn: with the results that its last calls still lack, and the
// answer, or a note that there is none (SES-5). An answer that stands there already
// is not said again.
func (m *Machine) close(h *Handle) {
	if !h.Loaded || h.Command != "" || h.Closing != nil {
		return
	}
	for n := h.Inf.Next; n < len(h.Inf.Calls) && h.answers(); n++ {
		text := m.word(WordNotRunCancelled)
		switch {
		case n == h.Inf.Next && h.Inf.Attempt > 0:
			text = m.word(WordUnknownOutcome)
		case h.Outcome != OutcomeCancelled:
			text = m.word(WordNotRun, "reason", h.Failure)
		}
		c := h.Inf.Calls[n]
		h.Closing = append(h.Closing, Message{Role: RoleTool, Text: text, Tool: c.Name, ToolCall: c.ID})
	}
	if last := len(h.Turn) - 1; h.Answer != "" && last >= 0 && len(h.Turn[last].Calls) == 0 &&
		h.Turn[last].Role == RoleAssistant && strings.TrimSpace(h.Turn[last].Text) == h.Answer {
		return
	}
	word := m.lastWord(h)
	if h.Answer != "" && h.Outcome != OutcomeAnswered { // the text so far stands there: only the notice is new
		if notice := strings.TrimSpace(strings.TrimPrefix(word.Text, h.Inf.Said)); notice != "" {
			word.Text = notice
		}
	}
	h.Closing = append(h.Closing, word)
}

// kept is what the session's history becomes: what stands before the turn, and of
// the turn what the profile keeps (SES-4).
func (m *Machine) kept(h *Handle) []Message {
	talk := h.talk().Messages
	if len(talk) == 0 || h.Rebased {
		return append(m.s.Config.Words.stripped(h.Sess.History), m.ownTurn(h, nil)...)
	}
	return append(m.s.Config.Words.stripped(talk[:h.TurnAt]), m.ownTurn(h, talk[h.TurnAt:])...)
}

// ownTurn is what the history keeps of the turn; talk is its part of the
// conversation, as it was last sent.
func (m *Machine) ownTurn(h *Handle, talk []Message) []Message {
	switch {
	case m.s.Config.Switches.History != HistoryAll:
		return m.s.Config.Words.mend([]Message{m.question(h), m.lastWord(h)})
	case h.Condensed && len(talk) > 0:
		turn := append([]Message{m.question(h)}, talk[1:]...)
		return m.s.Config.Words.stripped(append(turn, h.Closing...))
	default:
		return m.own(h)
	}
}

// own returns the turn's own messages, whole.
func (m *Machine) own(h *Handle) []Message {
	if len(h.Turn) == 0 {
		return m.s.Config.Words.mend([]Message{m.question(h), m.lastWord(h)})
	}
	return m.s.Config.Words.stripped(append(slices.Clip(h.Turn), h.Closing...))
}

// lastWord is the turn's answer, or a note that there is none.
func (m *Machine) lastWord(h *Handle) Message {
	if h.Answer == "" {
		return Message{Role: RoleAssistant, Text: m.word(WordNoAnswer, "reason", h.Failure), Used: h.Used}
	}
	return Message{Role: RoleAssistant, Text: h.Answer, Used: h.Used}
}

// stripped is a history without what is no part of it: what the machine said on
// the way, thinking, and the answers that described a need. What remains is mended.
func (w Words) stripped(msgs []Message) []Message {
	var kept []Message
	for _, msg := range msgs {
		if msg.Aside {
			continue
		}
		if _, marked := Need(msg.Text); marked && msg.Role == RoleAssistant {
			if len(msg.Calls) == 0 {
				continue
			}
			msg.Text = withoutMarker(msg.Text)
		}
		msg.Thinking, msg.Images = "", nil
		kept = append(kept, msg)
	}
	return w.mend(kept)
}

// mend makes a history one that can be sent (SES-7): behind each message with calls
// one result for each, in order; no result without its call; nothing empty.
func (w Words) mend(msgs []Message) []Message {
	var out []Message
	for i := 0; i < len(msgs); {
		msg := msgs[i]
		i++
		switch {
		case msg.Role == RoleTool:
			continue // its call is not before it
		case msg.Role != RoleSystem && msg.Role != RoleUser && msg.Role != RoleAssistant:
			continue
		case msg.Role != RoleAssistant || len(msg.Calls) == 0:
			msg.Calls = nil
		}
		if msg.Text == "" && len(msg.Calls) == 0 && len(msg.Images) == 0 {
			continue
		}
		out = append(out, msg)
		if msg.Calls == nil {
			continue
		}
		from := i
		for i < len(msgs) && msgs[i].Role == RoleTool {
			i++
		}
		out = append(out, w.resultsFor(msg.Calls, msgs[from:i])...)
	}
	return out
}

// resultsFor returns one result for each call, in order: the one that names it, by
// its id or else by its name, or a word that there is none.
func (w Words) resultsFor(calls []ToolCall, results []Message) []Message {
	taken := make([]bool, len(results))
	out := make([]Message, 0, len(calls))
	for _, c := range calls {
		found := -1
		for n, r := range results {
			if !taken[n] && (r.ToolCall == c.ID && (c.ID != "" || r.Tool == c.Name)) {
				found = n
				break
			}
		}
		if found < 0 {
			out = append(out, Message{Role: RoleTool, Text: w.Text(WordUnknownOutcome), Tool: c.Name, ToolCall: c.ID})
			continue
		}
		taken[found] = true
		r := results[found]
		r.Tool, r.ToolCall = c.Name, c.ID
		out = append(out, r)
	}
	return out
}
