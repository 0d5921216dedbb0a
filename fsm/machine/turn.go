package machine

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// question is the handle's input as a history keeps it.
func (m *Machine) question(h *state.Handle) fsm.Message {
	text := m.marked(h)
	for range h.Images {
		text = m.word(fsm.WordImageInput, "text", text) // SES-13
	}
	return fsm.Message{Role: fsm.RoleUser, Text: text}
}

// close ends a turn: with the results that its last calls still lack, and the
// answer, or a note that there is none (SES-5). An answer that stands there already
// is not said again.
func (m *Machine) close(h *state.Handle) {
	if !h.Loaded || h.Command != "" || h.Closing != nil {
		return
	}
	for n := h.Inf.Next; n < len(h.Inf.Calls) && h.Answers(); n++ {
		text := m.word(fsm.WordNotRunCancelled)
		switch {
		case n == h.Inf.Next && h.Inf.Attempt > 0:
			text = m.word(fsm.WordUnknownOutcome)
		case h.Outcome != fsm.OutcomeCancelled:
			text = m.word(fsm.WordNotRun, "reason", h.Failure)
		}
		c := h.Inf.Calls[n]
		h.Closing = append(h.Closing, fsm.Message{Role: fsm.RoleTool, Text: text, Tool: c.Name, ToolCall: c.ID})
	}
	if last := len(h.Turn) - 1; h.Answer != "" && last >= 0 && len(h.Turn[last].Calls) == 0 &&
		h.Turn[last].Role == fsm.RoleAssistant && strings.TrimSpace(h.Turn[last].Text) == h.Answer {
		return
	}
	word := m.lastWord(h)
	if h.Answer != "" && h.Outcome != fsm.OutcomeAnswered { // the text so far stands there: only the notice is new
		if notice := strings.TrimSpace(strings.TrimPrefix(word.Text, h.Inf.Said)); notice != "" {
			word.Text = notice
		}
	}
	h.Closing = append(h.Closing, word)
}

// kept is what the session's history becomes: what stands before the turn, and of
// the turn what the profile keeps (SES-4).
func (m *Machine) kept(h *state.Handle) []fsm.Message {
	talk := h.Conversation().Messages
	if m.keepsSent() && len(talk) > 0 {
		return m.sentForm(h, talk)
	}
	if len(talk) == 0 || h.Rebased || m.s.Config.Fits() && !m.s.Config.Switches.Compress { // what was only sent shorter is kept whole
		return append(m.settled(h.Sess.History), m.ownTurn(h, nil)...)
	}
	return append(m.s.Config.Words.Stripped(talk[:h.TurnAt]), m.ownTurn(h, talk[h.TurnAt:])...)
}

// ownTurn is what the history keeps of the turn; talk is its part of the
// conversation, as it was last sent.
func (m *Machine) ownTurn(h *state.Handle, talk []fsm.Message) []fsm.Message {
	switch {
	case m.s.Config.Switches.History == fsm.HistoryAnswers:
		return m.s.Config.Words.Mend([]fsm.Message{m.question(h), m.lastWord(h)})
	case h.Condensed && len(talk) > 0:
		turn := append([]fsm.Message{m.question(h)}, talk[1:]...)
		return m.s.Config.Words.Stripped(append(turn, h.Closing...))
	default:
		return m.own(h)
	}
}

// own returns the turn's own messages, whole.
func (m *Machine) own(h *state.Handle) []fsm.Message {
	if len(h.Turn) == 0 {
		return m.s.Config.Words.Mend([]fsm.Message{m.question(h), m.lastWord(h)})
	}
	return m.s.Config.Words.Stripped(append(slices.Clip(h.Turn), h.Closing...))
}

// lastWord is the turn's answer, or a note that there is none.
func (m *Machine) lastWord(h *state.Handle) fsm.Message {
	if h.Answer == "" {
		reason := h.Failure
		if h.Outcome == fsm.OutcomeAnswered { // INF-32
			reason = m.word(fsm.WordEmptyAnswer)
		}
		return fsm.Message{Role: fsm.RoleAssistant, Text: m.word(fsm.WordNoAnswer, "reason", reason), Used: h.Used}
	}
	return fsm.Message{Role: fsm.RoleAssistant, Text: h.Answer, Used: h.Used}
}
