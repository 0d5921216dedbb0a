package request

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// askedOf returns what a person is asked, with the command that answers.
func askedOf(r comm.Record, ask comm.Ask) string {
	who := wording.ShellWord(r.ID)
	if r.Channel != comm.ChannelHTTP && r.ID != r.Handle.Entry() { // that of a run is its kind
		who += " --channel " + r.Channel
	}
	if ask.Handle != r.Handle {
		who = fmt.Sprintf("--handle %d", ask.Handle)
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
func answerTo(a comm.Ask, who string) string {
	switch a.Question {
	case fsm.QuestionApprove:
		return "shelly request approve " + who + ", or deny"
	case fsm.QuestionUnknown:
		return "shelly request resolve " + who + " --text 'what it did'"
	default:
		return "shelly request resolve " + who
	}
}
