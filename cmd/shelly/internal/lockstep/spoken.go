package lockstep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/sim/script"
)

// offered returns the tools that the daemon offers the model with a call.
func (l *live) offered(ask fsm.AskBrain) []fsm.ToolDecl { return l.config.Shown(&ask) }

// unlike describes how a question differs from what the machine asked, or returns "".
func unlike(ask fsm.AskBrain, tools []fsm.ToolDecl, q mock.Question) string {
	if q.Purpose != string(ask.Purpose) || q.Session != ask.Session {
		return fmt.Sprintf("it is for %s in session %q", q.Purpose, q.Session)
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	if !slices.Equal(names, q.Tools) {
		return fmt.Sprintf("it offers the tools %v, not %v", q.Tools, names)
	}
	want, all := ask.Messages(), fsm.AskBrain{System: q.System, Conversation: fsm.Conversation{Messages: q.Messages}}.Messages()
	if len(want) != len(all) {
		return fmt.Sprintf("it has %d messages, not %d", len(all), len(want))
	}
	for i, got := range all {
		if !sameMessage(want[i], got) {
			return fmt.Sprintf("its message %d is %+v, not %+v", i+1, got, want[i])
		}
	}
	if o := ask.Options; o.Temperature != q.Temperature || o.MaxTokens != 0 && o.MaxTokens != q.NumPredict {
		return fmt.Sprintf("its temperature is %d and its length %d, not %+v", q.Temperature, q.NumPredict, o)
	}
	return ""
}

// sameMessage compares the parts of a message that are sent.
func sameMessage(a, b fsm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Thinking == b.Thinking && a.Tool == b.Tool && a.ToolCall == b.ToolCall &&
		slices.EqualFunc(a.Images, b.Images, bytes.Equal) && slices.EqualFunc(a.Calls, b.Calls, sameCall)
}

// sameCall compares the parts of a call that are sent. Arguments are sent as compact JSON, or as
// an empty object if they are not an object.
func sameCall(a, b fsm.ToolCall) bool {
	var sent bytes.Buffer
	if args := strings.TrimSpace(a.Args); !strings.HasPrefix(args, "{") || json.Compact(&sent, []byte(args)) != nil {
		sent.Reset()
		sent.WriteString("{}")
	}
	return a.ID == b.ID && a.Name == b.Name && (a.Args == b.Args || sent.String() == b.Args)
}

// spokenPieces is how many pieces an answer is streamed in if its script does not say.
const spokenPieces = 3

// Spoken returns a script's line as the mock server answers it, without its delays.
func Spoken(ask fsm.AskBrain, line script.Line) mock.Answer {
	said := line.Said(ask)
	if said == nil {
		return mock.Answer{Hang: true, Pieces: pieces(ask, line)}
	}
	if scripted, ok := said.(fsm.BrainFailed); ok {
		return broken(ask, line, scripted)
	}
	scripted := said.(fsm.BrainAnswered)
	if line.Stream == nil {
		line.Stream = &script.Stream{Chunks: spokenPieces}
	}
	return mock.Answer{
		Text: scripted.Text, Thinking: scripted.Thinking, Pieces: pieces(ask, line), Calls: scripted.Calls, Length: line.Length,
		PromptTokens: line.Tokens.Prompt,
	}
}

// broken returns the answer of a line that fails, before or after some pieces.
func broken(ask fsm.AskBrain, line script.Line, scripted fsm.BrainFailed) mock.Answer {
	a := failing(scripted)
	if line.Stream != nil {
		a.Text, a.Pieces = "", pieces(ask, line)
	}
	if line.Stream != nil && a.Error != "" {
		a.Status = 0 // the failure breaks a stream that has begun
	}
	if scripted.Class == fsm.BrainContextTruncated && line.Tokens.Prompt > 0 {
		a.PromptTokens = line.Tokens.Prompt
	}
	return a
}

// pieces returns the pieces of a line's answer as the mock server sends them.
func pieces(ask fsm.AskBrain, line script.Line) []mock.Piece {
	var list []mock.Piece
	for _, p := range line.Pieces(ask) {
		list = append(list, mock.Piece(p))
	}
	return list
}

// failing returns the answer with which the server fails, for the classes of failure that a
// server causes.
func failing(f fsm.BrainFailed) mock.Answer {
	switch f.Class {
	case fsm.BrainBusy:
		return mock.Answer{Status: http.StatusServiceUnavailable, Error: "server busy, please try again"}
	case fsm.BrainCutStream:
		return mock.Answer{Text: "cut", Cut: true}
	case fsm.BrainGarbage:
		return mock.Answer{Garbage: "<html>"}
	case fsm.BrainLoading, fsm.BrainCancelled:
		return mock.Answer{Hang: true}
	case fsm.BrainTimeout:
		return mock.Answer{Text: "silence", Hang: true}
	case fsm.BrainContextTruncated:
		return mock.Answer{Text: "cut", PromptTokens: callWindow}
	case fsm.BrainNoTools:
		return mock.Answer{Status: http.StatusBadRequest, Error: `"m" does not support tools`}
	case fsm.BrainMissingModel:
		return mock.Answer{Status: http.StatusNotFound, Error: "model 'm' not found"}
	case fsm.BrainNoChat:
		return mock.Answer{Status: http.StatusBadRequest, Error: `"m" does not support chat`}
	case fsm.BrainCrashed:
		return mock.Answer{Status: http.StatusInternalServerError, Error: cmp.Or(f.Reason, "llama runner process has terminated")}
	case fsm.BrainBadCall:
		return mock.Answer{Status: http.StatusInternalServerError, Error: "error parsing tool call: " + f.Reason}
	default:
		return mock.Answer{Status: http.StatusTeapot, Error: cmp.Or(f.Reason, "the model failed")}
	}
}
