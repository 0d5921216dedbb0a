package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// keepsSent reports whether a session keeps the sent form: what the model was last sent,
// with its answer (SES-21).
func (m *Machine) keepsSent() bool { return m.s.Config.Switches.History == fsm.HistorySent }

// settled is a session's history as a conversation begins with it.
func (m *Machine) settled(history []fsm.Message) []fsm.Message {
	if m.keepsSent() {
		return m.s.Config.Words.Sent(history)
	}
	return m.s.Config.Words.Stripped(history)
}

// opening is the input as the model is sent it. What the history keeps of it is the same
// where it keeps what was sent.
func (m *Machine) opening(h *state.Handle) string {
	if !m.keepsSent() {
		return h.Input
	}
	if !m.s.Config.Switches.TellTime {
		return m.marked(h)
	}
	return m.word(fsm.WordTimedInput, "time", m.s.Now.Stamp(), "text", m.marked(h)) // SES-22
}

// marked is the input, marked where it is a subagent's report (SES-17).
func (m *Machine) marked(h *state.Handle) string {
	if h.Kind == fsm.KindSystem {
		return m.word(fsm.WordSubagentInput, "text", h.Input)
	}
	return h.Input
}

// sentForm is the conversation as it was last sent, with the answer as the model gave
// it, the results that its calls lack, and the note or notice that the turn ends with.
// After a conflict the turn stands after what somebody else has written (SES-3).
func (m *Machine) sentForm(h *state.Handle, talk []fsm.Message) []fsm.Message {
	closing := h.Closing
	if last := talk[len(talk)-1]; len(closing) > 0 && h.Outcome == fsm.OutcomeAnswered &&
		last.Role == fsm.RoleAssistant && len(last.Calls) == 0 && last.Text != "" {
		closing = closing[:len(closing)-1] // the answer, which stands there as the model gave it
	}
	before := talk[:h.TurnAt]
	if h.Rebased {
		before = h.Sess.History
	}
	return m.s.Config.Words.Sent(slices.Concat(before, talk[h.TurnAt:], closing))
}

// imagesLeft is what a compaction leaves of earlier images: a mark in the place of each
// (SES-21). Those of the present question, at the index given, stay.
func (m *Machine) imagesLeft(msgs []fsm.Message, question int) []fsm.Message {
	msgs = slices.Clone(msgs)
	for i := range msgs {
		if i == question {
			continue
		}
		for range msgs[i].Images {
			msgs[i].Text = m.word(fsm.WordImageInput, "text", msgs[i].Text)
		}
		msgs[i].Images = nil
	}
	return msgs
}
