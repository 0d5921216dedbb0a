package request

import (
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// CLI-217: the command that answers a question works whatever the request is called.
func TestCLI217TheAnswerIsACommandThatWorks(t *testing.T) {
	for _, test := range []struct {
		question fsm.Question
		about    client.About
		want     string
	}{
		{fsm.QuestionCrashes, client.About{ID: "q1", Channel: comm.ChannelHTTP}, "shelly request resolve q1"},
		{fsm.QuestionCrashes, client.About{ID: "-q", Channel: "web"}, "shelly request resolve --channel web -- -q"},
		{fsm.QuestionUnknown, client.About{ID: "-q"}, "shelly request resolve --text 'what it did' -- -q"},
		{fsm.QuestionUnknown, client.About{Handle: 7}, "shelly request resolve --handle 7 --text 'what it did'"},
		{fsm.QuestionApprove, client.About{ID: "q 1", Channel: "web"}, "shelly request approve 'q 1' --channel web, or deny"},
	} {
		if got := answerTo(comm.Ask{Question: test.question}, test.about); got != test.want {
			t.Errorf("got %s; want %s", got, test.want)
		}
	}
}
