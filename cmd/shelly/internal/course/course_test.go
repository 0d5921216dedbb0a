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

// What a request does is said by the most that is known of it.
func TestWhatARequestDoesIsSaidInWords(t *testing.T) {
	moved := func(to, inference, label fsm.State) comm.Event {
		return comm.Event{Type: comm.EventState, State: to, Inference: inference, Label: label}
	}
	tool, result := comm.Event{Type: comm.EventTool, Tool: "exec"}, comm.Event{Type: comm.EventToolResult, Tool: "exec"}
	for _, c := range []struct {
		events []comm.Event
		want   string
	}{
		{nil, "sending"},
		{[]comm.Event{{Type: comm.EventAccepted}}, "queued"},
		{[]comm.Event{{Type: comm.EventQueued, Ahead: 2}}, "queued, 2 ahead"},
		{[]comm.Event{{Type: comm.EventHeld}}, "held: waiting for a decision, see shelly request show"},
		{[]comm.Event{{Type: comm.EventDeferred}}, "kept until shelly starts again"},
		{[]comm.Event{moved(state.Loading, "", "")}, "reading the session"},
		{[]comm.Event{moved(state.Cognition, "", ""), moved("", state.Condensing, "")}, "summarising earlier turns"},
		{[]comm.Event{moved(state.Cognition, "", ""), moved("", state.BackingOff, "")}, "waiting to try again"},
		{[]comm.Event{moved(state.Cognition, "", ""), moved("", state.Thinking, "PLANNING")}, "PLANNING"},
		{[]comm.Event{moved(state.Execution, state.Acting, ""), tool}, "running exec"},
		{[]comm.Event{moved(state.Execution, state.Acting, ""), tool, tool}, "running 2 tools"},
		{[]comm.Event{moved(state.Execution, state.Acting, ""), tool, tool, result}, "running exec"},
		{[]comm.Event{moved(state.Approving, "", "")}, "waiting for your answer"},
		{[]comm.Event{moved(state.Summarizing, "", "")}, "remembering"},
	} {
		var course Course
		for _, e := range c.events {
			course.Take(e)
		}
		if got := course.Words(0); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.events, got, c.want)
		}
	}
}
