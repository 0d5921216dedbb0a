package history

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Cost is what a model's server says that the calls of some steps cost.
type Cost struct {
	Calls   int
	Untimed int // of Calls: it is not known how long their prompts took to read (BRN-18)
	fsm.Tokens
}

// CostOf adds up the answers in some steps to the calls of these handles: the answer that admitted
// a subagent is in its history, too, but was to a call of its parent.
func CostOf(steps []Step, of []fsm.HandleID) (c Cost) {
	for _, s := range steps {
		if in, ok := s.Input.Fact.(fsm.BrainAnswered); ok && s.About && slices.Contains(of, s.Handle) && in.Tokens != (fsm.Tokens{}) {
			c.Calls++
			if in.Tokens.Untimed() {
				c.Untimed++
			}
			c.Add(in.Tokens)
		}
	}
	return c
}

// String is the cost in words; empty: no server has said anything.
func (c Cost) String() string {
	if c.Calls == 0 {
		return ""
	}
	return wording.Count(c.Calls, "model call") + ": " + tokens(c.Tokens, c.Untimed)
}

// tokens is what a server counted, of calls of which it did not say of some how long it read. How
// much of a prompt its cache held it does not say; the time that it read for tells.
func tokens(t fsm.Tokens, untimed int) string {
	if t.Reading == 0 && t.Writing == 0 {
		return fmt.Sprintf("%d prompt and %d answer tokens", t.Prompt, t.Answer)
	}
	sent := wording.Count(t.Prompt, "token") + " sent"
	if t.Reading > 0 { // 0: not known (BRN-18)
		sent += ", read in " + Span(t.Reading)
		if untimed > 0 {
			sent += " (not known of " + wording.Count(untimed, "call") + ")"
		}
	}
	return fmt.Sprintf("%s; %d written in %s", sent, t.Answer, Span(t.Writing))
}
