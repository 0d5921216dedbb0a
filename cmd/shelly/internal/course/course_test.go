package course

import (
	"testing"

	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// CLI-213: what a summary writes is not shown, so that "writing" alone promises words that never come.
func TestCLI213ASummaryIsNotShownAsAnAnswer(t *testing.T) {
	var c Course
	c.Take(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.Condensing})
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "writing"})
	if got := c.Words(); got != "summarising earlier turns: writing" {
		t.Errorf("%q", got)
	}
	c.Take(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.Thinking})
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "writing"})
	if got := c.Words(); got != "writing" {
		t.Errorf("%q", got)
	}
}
