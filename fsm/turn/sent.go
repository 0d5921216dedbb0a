package turn

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// keepsSent reports whether a session keeps the sent form: what the model was last sent,
// with its answer (SES-21).
func keepsSent(c *fsm.Config) bool { return c.Switches.History == fsm.HistorySent }

// Settled returns a session's history as a conversation begins with it.
func Settled(c *fsm.Config, history []fsm.Message) []fsm.Message {
	if keepsSent(c) {
		return c.Words.Sent(history)
	}
	return recorded(c, history)
}

// Opening returns the input as it is sent to the model. A history that keeps what was sent
// keeps it in this form.
func Opening(c *fsm.Config, h *state.Handle, now fsm.Millis) string {
	if !keepsSent(c) {
		return h.Input
	}
	text := marked(c, h)
	if h.Kind == fsm.KindSchedule && !h.Hush && c.Edition >= fsm.FourteenthEdition {
		text = c.Words.Text(fsm.WordScheduledInput, "schedule", scheduleOf(h), "text", h.Input) // HND-47
	}
	if !c.Switches.TellTime {
		return text
	}
	return c.Words.Text(fsm.WordTimedInput, "time", stamp(c, now), "text", text) // SES-22
}

// stamp returns a time as the person's clocks show it (HND-48).
func stamp(c *fsm.Config, t fsm.Millis) string {
	if len(c.Zones) == 0 {
		return t.Stamp()
	}
	return c.Zones[0].Stamp(t)
}

// marked returns the input, marked if it is a subagent's report (SES-17) or comes from a schedule
// into a person's conversation (HND-70).
func marked(c *fsm.Config, h *state.Handle) string {
	switch {
	case h.Kind == fsm.KindSystem:
		return c.Words.Text(fsm.WordSubagentInput, "text", h.Input)
	case h.Schedule != "":
		return c.Words.Text(fsm.WordScheduledRecord, "schedule", scheduleOf(h), "text", h.Input)
	default:
		return h.Input
	}
}

// scheduleOf returns the own session of the schedule that a handle is a run of.
func scheduleOf(h *state.Handle) string {
	if h.Schedule != "" {
		return state.ScheduleSession(h.Schedule)
	}
	return h.Session
}

// sentForm returns the conversation as it was last sent, with the answer as the model gave
// it, results for the calls that had none, and the note or notice that ends the turn. After
// a conflict the turn comes after what others have written (SES-3).
func sentForm(c *fsm.Config, h *state.Handle, talk []fsm.Message) []fsm.Message {
	closing := h.Closing
	if last := talk[len(talk)-1]; len(closing) > 0 && h.Outcome == fsm.OutcomeAnswered &&
		last.Role == fsm.RoleAssistant && len(last.Calls) == 0 && last.Text != "" {
		closing = closing[:len(closing)-1] // the answer, which is there already as the model gave it
	}
	before := talk[:h.TurnAt]
	if h.Rebased {
		before = h.Sess.History
	}
	return c.Words.Sent(slices.Concat(before, talk[h.TurnAt:], closing))
}

// ImagesLeft returns messages as a compaction leaves them: with a mark in place of each
// earlier image (SES-21). The images of the present question, at the given index, stay.
func ImagesLeft(c *fsm.Config, msgs []fsm.Message, question int) []fsm.Message {
	msgs = slices.Clone(msgs)
	for i := range msgs {
		if i != question {
			msgs[i] = imageLeft(c, msgs[i])
		}
	}
	return msgs
}

// imageLeft returns a message with a mark in place of each of its images.
func imageLeft(c *fsm.Config, msg fsm.Message) fsm.Message {
	for range msg.Images {
		msg.Text = c.Words.Text(fsm.WordImageInput, "text", msg.Text)
	}
	msg.Images = nil
	return msg
}

// Refused returns a conversation whose question was too long to be asked (CTX-11), in the
// form in which a history that keeps what is sent continues with it: with as much of the
// question as is left of a text that is cut. The archive has the whole question.
func Refused(c *fsm.Config, talk fsm.Conversation, question int) fsm.Conversation {
	if !keepsSent(c) {
		return talk
	}
	msgs := slices.Clone(talk.Messages)
	left := imageLeft(c, msgs[question])
	left.Text = c.Words.Shorten(left.Text, fsm.ShortText)
	msgs[question] = left
	return fsm.Conversation{}.Add(msgs...)
}
