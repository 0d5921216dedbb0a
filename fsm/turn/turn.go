package turn

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Question returns the handle's input as a history keeps it.
func Question(c *fsm.Config, h *state.Handle) fsm.Message {
	text := marked(c, h)
	for range h.Images {
		text = c.Words.Text(fsm.WordImageInput, "text", text) // SES-13
	}
	return fsm.Message{Role: fsm.RoleUser, Text: text, Source: h.Source}
}

// Close ends a turn with results for the last calls that have none, and with the answer, or
// a note that there is none (SES-5). An answer that is there already is not repeated.
func Close(c *fsm.Config, h *state.Handle) {
	if !h.Loaded || h.Command != "" || h.Closing != nil {
		return
	}
	for n := h.Inf.Next; n < len(h.Inf.Calls) && h.Answers(); n++ {
		call := h.Inf.Calls[n]
		h.Closing = append(h.Closing, fsm.Message{Role: fsm.RoleTool, Source: fsm.FromOperator, Text: Unended(c, h, n), Tool: call.Name, ToolCall: call.ID})
	}
	if last := len(h.Turn) - 1; h.Answer != "" && last >= 0 && len(h.Turn[last].Calls) == 0 &&
		h.Turn[last].Role == fsm.RoleAssistant && strings.TrimSpace(h.Turn[last].Text) == h.Answer {
		return
	}
	word := lastWord(c, h)
	if h.Answer != "" && h.Outcome != fsm.OutcomeAnswered { // the text so far is there already: only the notice is new
		if notice := strings.TrimSpace(strings.TrimPrefix(word.Text, h.Inf.Said)); notice != "" {
			word.Text = notice
		}
	}
	h.Closing = append(h.Closing, word)
}

// Unended returns a result for the call at n of the last answer, at or after Next, in a turn
// that ends before the call has one: that its outcome is unknown, or why it was not run. A
// call of a batch that has been answered has its own.
func Unended(c *fsm.Config, h *state.Handle, n int) string {
	text, ran := heard(c, &h.Inf, n)
	switch {
	case ran:
		return text
	case n == h.Inf.Next && h.Inf.Attempt > 0 && !hasDoneNothing(c, &h.Inf):
		return c.Words.Text(fsm.WordUnknownOutcome)
	case h.Outcome != fsm.OutcomeCancelled:
		return c.Words.Text(fsm.WordNotRun, "reason", h.Failure)
	default:
		return c.Words.Text(fsm.WordNotRunCancelled)
	}
}

// hasDoneNothing reports whether the call at Next, which was started, is known to have done
// nothing: it asked (APR-19), or said so, and was not started again (INF-16).
func hasDoneNothing(c *fsm.Config, inf *state.Inference) bool {
	return inf.Asked && c.Edition >= fsm.SecondEdition || inf.Nothing && c.Edition >= fsm.ThirdEdition
}

// heard returns what a turn that ends within a batch keeps of the call of the answer at n
// (INF-48): its result, or that its outcome is unknown; false if it has not run in a batch.
func heard(c *fsm.Config, inf *state.Inference, n int) (string, bool) {
	k := n - inf.Next
	switch {
	case k >= len(inf.Batch) || inf.Batch[k].Shares():
		return "", false
	case inf.Batch[k].Done:
		return inf.Batch[k].Text, true
	default:
		return c.Words.Text(fsm.WordUnknownOutcome), true
	}
}

// Kept returns what the session's history becomes: what came before the turn, and of the
// turn what the profile keeps (SES-4).
func Kept(c *fsm.Config, h *state.Handle) []fsm.Message {
	talk := h.Conversation().Messages
	if keepsSent(c) && len(talk) > 0 {
		return sentForm(c, h, talk)
	}
	if len(talk) == 0 || h.Rebased || c.Fits() && !c.Switches.Compress { // what was shortened only for sending is kept whole
		return slices.Concat(Settled(c, h.Sess.History), ownTurn(c, h, nil))
	}
	return slices.Concat(recorded(c, talk[:h.TurnAt]), ownTurn(c, h, talk[h.TurnAt:]))
}

// ownTurn returns what the history keeps of the turn; talk is its part of the conversation,
// as last sent.
func ownTurn(c *fsm.Config, h *state.Handle, talk []fsm.Message) []fsm.Message {
	switch {
	case c.Switches.History == fsm.HistoryAnswers:
		return c.Words.Mend([]fsm.Message{Question(c, h), lastWord(c, h)})
	case h.Condensed && len(talk) > 0:
		return c.Words.Stripped([]fsm.Message{Question(c, h)}, talk[1:], h.Closing)
	default:
		return Own(c, h)
	}
}

// Before returns the conversation before the turn as a history keeps it.
func Before(c *fsm.Config, h *state.Handle) []fsm.Message {
	return Settled(c, h.Conversation().Messages[:h.TurnAt])
}

// Own returns the turn's own messages, whole.
func Own(c *fsm.Config, h *state.Handle) []fsm.Message {
	if len(h.Turn) == 0 {
		return c.Words.Mend([]fsm.Message{Question(c, h), lastWord(c, h)})
	}
	return c.Words.Stripped(h.Turn, h.Closing)
}

// lastWord returns the turn's answer, or a note that there is none.
func lastWord(c *fsm.Config, h *state.Handle) fsm.Message {
	if h.Answer == "" {
		reason := h.Failure
		if h.Outcome == fsm.OutcomeAnswered { // INF-32
			reason = c.Words.Text(fsm.WordEmptyAnswer)
		}
		return fsm.Message{Role: fsm.RoleAssistant, Text: c.Words.Text(fsm.WordNoAnswer, "reason", reason), Used: h.Used, Source: fsm.FromOperator}
	}
	return fsm.Message{Role: fsm.RoleAssistant, Text: h.Answer, Used: h.Used, Source: h.Derived(c, h.Conversation().Messages)}
}

// Has reports whether a conversation has at least n turns, or a summary in place of some.
func Has(c *fsm.Config, talk []fsm.Message, n int) bool {
	if c.Summed(talk) {
		return true
	}
	for i := range talk {
		switch {
		case talk[i].Role == fsm.RoleSystem:
			return true
		case talk[i].Begins():
			n--
		}
	}
	return n <= 0
}

// Newest bounds a history that nothing consolidates: its oldest turns leave it as a whole,
// except a summary at its head (SES-18). They are in the archive.
func Newest(c *fsm.Config, history []fsm.Message) []fsm.Message {
	l := &c.Limits
	over := len(history) - l.MaxHistory - l.MaxPending
	if c.Switches.Overflow != fsm.OverflowKeep || over <= 0 {
		return history
	}
	kept := history[fsm.NextTurn(history, over, len(history)-1):]
	for c.Summed(kept) && kept[0].Aside { // it was in the middle of a turn
		kept = kept[1:]
	}
	if c.Summed(history) {
		kept = append([]fsm.Message{history[0]}, kept...)
	}
	return c.Words.Mend(kept)
}
