package history

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Cost is what a model's server says that the calls of some steps cost.
type Cost fsm.Spent

// CostOf adds up the answers in some steps to the calls of these handles: the answer that admitted
// a subagent is in its history, too, but was to a call of its parent.
func CostOf(steps []Step, of []fsm.HandleID) Cost {
	var c fsm.Spent
	for _, s := range steps {
		if in, ok := s.Input.Fact.(fsm.BrainAnswered); ok && s.About && slices.Contains(of, s.Handle) && in.Tokens != (fsm.Tokens{}) {
			c.Take(in.Tokens)
		}
	}
	return Cost(c)
}

// String is the cost in words; empty: no server has said anything.
func (c Cost) String() string {
	if c.Calls == 0 {
		return ""
	}
	return wording.Count(c.Calls, "model call") + ": " + c.tokens()
}

// tokens is what the server counted. How much of the prompts its cache held it may not say; then
// only the time that it read for tells.
func (c Cost) tokens() string {
	if c.Reading == 0 && c.Writing == 0 {
		return fmt.Sprintf("%d prompt and %d answer tokens", c.Prompt, c.Answer)
	}
	sent := wording.Count(c.Prompt, "token") + " sent"
	if c.Reading > 0 { // 0: not known (BRN-18)
		sent += ", "
		if c.Read > 0 && c.Uncounted == 0 {
			sent += fmt.Sprintf("%d of them ", c.Read)
		}
		sent += "read in " + Span(c.Reading)
		if c.Untimed > 0 {
			sent += " (not known of " + wording.Count(c.Untimed, "call") + ")"
		}
	}
	return fmt.Sprintf("%s; %d written in %s", sent, c.Answer, Span(c.Writing))
}
