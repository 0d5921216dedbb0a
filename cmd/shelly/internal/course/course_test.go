package course

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// CLI-213: what a summary writes is not shown, so that "writing" alone promises words that never come.
func TestCLI213ASummaryIsNotShownAsAnAnswer(t *testing.T) {
	var c Course
	c.Take(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.Condensing})
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "writing"})
	if got := c.Words(0); got != "summarising earlier turns: writing" {
		t.Errorf("%q", got)
	}
	c.Take(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.Thinking})
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "writing"})
	if got := c.Words(0); got != "writing" {
		t.Errorf("%q", got)
	}
}

func TestCOM29TheWaitForTheNextTryCountsDown(t *testing.T) {
	var c Course
	c.Take(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.BackingOff})
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "no server answers; trying again in 36 s", Again: 50_000})
	for now, want := range map[fsm.Millis]string{ // order-free: each is alone
		14_000: "no server answers; trying again in 36 s", 40_000: "no server answers; trying again in 10 s", 51_000: "no server answers; trying again now",
	} {
		if got := c.Words(now); got != want {
			t.Errorf("at %d: got %q, want %q", now, got, want)
		}
	}
	c.Take(comm.Event{Type: comm.EventWaiting, Text: "loading the model"})
	if got := c.Words(51_000); got != "loading the model" {
		t.Errorf("then %q", got)
	}
}
