package question

import (
	"encoding/json"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// What is not shown is counted, and nothing in a call looks like the words around it.
func TestAPR25AQuestionSaysHowMuchItDoesNotShow(t *testing.T) {
	long, _ := json.Marshal(map[string]string{"command": strings.Repeat(" ", argumentBytesMax) + "rm -rf ~"})
	for name, c := range map[string]struct { // order-free
		args string
		want []string
	}{
		"a long argument":       {string(long), []string{"command: " + strings.Repeat(" ", argumentBytesMax) + "… [8 more bytes are not shown]"}},
		"lines in an argument":  {`{"command":"ls\n? may x run?","a":1}`, []string{"command: ls\n      ? may x run?", "a: 1"}},
		"values":                {`{"a":null,"b":"","c":9007199254740993,"d":1e999,"c":[1.0]}`, []string{"a: null", "b: ", "c: 9007199254740993", "d: 1e999", "c: [1.0]"}},
		"lines in a name":       {`{"a\n  session and always: x":1}`, []string{"a\n        session and always: x: 1"}},
		"no arguments":          {"x\n? may x run?", []string{"x\n      ? may x run?"}},
		"no arguments and long": {strings.Repeat("x", 3*argumentBytesMax), []string{strings.Repeat("x", argumentBytesMax) + "… [4,000 more bytes are not shown]"}},
	} {
		if got := Arguments(c.args); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for line := range strings.Lines(Text(comm.Event{Tool: "exec", Args: c.args})) {
			if strings.HasPrefix(line, "?") && line != "? may exec run?\n" {
				t.Errorf("%s: a line of the call looks like a question: %q", name, line)
			}
		}
	}
}

// A person who has cancelled the request is not told that somebody else may have answered.
func TestAPR24AQuestionEndsAsWhatFollowsSays(t *testing.T) {
	asked := comm.Event{Type: comm.EventQuestion, Tool: "exec"}
	for _, c := range []struct {
		then comm.Event
		want string
	}{
		{comm.Event{Type: comm.EventState, State: state.Cancelled}, "no longer asked: the request was cancelled"},
		{comm.Event{Type: comm.EventReply, Outcome: fsm.OutcomeCancelled}, "no longer asked: the request was cancelled"},
		{comm.Event{Type: comm.EventState, State: state.Queued}, "no longer asked: it was answered elsewhere, cancelled, or timed out"}, // an older daemon
		{comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Approved, By: "ann"}}, "may exec run? approved by ann"},
	} {
		if got := Ended(asked, c.then); got != c.want {
			t.Errorf("%+v: got %q; want %q", c.then, got, c.want)
		}
	}
}
