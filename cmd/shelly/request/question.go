package request

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/sim/history"
)

// askedOf returns what a person is asked, with the command that answers.
func askedOf(r comm.Record, ask comm.Ask) string {
	who := client.About{ID: r.ID, Channel: r.Channel}
	switch {
	case ask.Handle != r.Handle:
		who = client.About{Handle: ask.Handle}
	case r.ID == r.Handle.Entry(): // the channel of a run is its kind
		who.Channel = comm.ChannelHTTP
	}
	key := ""
	if ask.Question == fsm.QuestionApprove {
		key = keyOf(ask)
	}
	return "? " + asking(ask) + key + "\n" + previewOf(ask) + "  answer with: " + answerTo(ask, who) + "\n"
}

// keyOf names a question: a decision over HTTP, a WebSocket or MCP repeats it (COM-12).
func keyOf(a comm.Ask) string { return fmt.Sprintf(" (key %s)", a.Key) }

// previewOf returns what the waiting call would do, on lines of its own, if it is known.
func previewOf(a comm.Ask) string {
	if a.Preview == "" {
		return ""
	}
	return "  it would do this:\n    " + strings.ReplaceAll(strings.TrimRight(a.Preview, "\n"), "\n", "\n    ") + "\n"
}

// asking puts a question in words.
func asking(a comm.Ask) string {
	return history.Question(fsm.AskPerson{Question: a.Question, Tool: a.Tool, Args: a.Args, Text: a.Text})
}

// answerTo returns the command that answers a question about a request or handle.
func answerTo(a comm.Ask, who client.About) string {
	switch a.Question {
	case fsm.QuestionApprove:
		return "shelly request approve " + argOf(who) + ", or deny"
	case fsm.QuestionUnknown:
		return "shelly request resolve " + argOf(who, "--text", "'what it did'")
	default:
		return "shelly request resolve " + argOf(who)
	}
}
