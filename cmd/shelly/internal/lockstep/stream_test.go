package lockstep

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/sim/script"
)

// SCN-28: the simulated client waits as long as the real one, and reports errors in the same
// words.
func TestSCN28SimulatedClientWaitsLikeTheRealOne(t *testing.T) {
	if real := ollama.DefaultFirstToken.Milliseconds(); int64(script.FirstTokenMax) != real {
		t.Errorf("the real client waits %dms for the first token, the simulated one %dms", real, script.FirstTokenMax)
	}
	if real := ollama.DefaultIdle.Milliseconds(); int64(script.IdleMax) != real {
		t.Errorf("the real client waits %dms for a further piece, the simulated one %dms", real, script.IdleMax)
	}
	const window, short = 512, time.Millisecond
	loading := failureOf(t, mock.Answer{Hang: true}, ollama.Options{Timeouts: ollama.Timeouts{FirstToken: short}})
	if real := strings.Replace(loading, short.String(), ollama.DefaultFirstToken.String(), 1); real != script.LoadingReason {
		t.Errorf("the real client says\n%s, the simulated one\n%s", real, script.LoadingReason)
	}
	truncated := failureOf(t, mock.Answer{Text: "x", PromptTokens: window}, ollama.Options{NumCtx: window})
	if want := script.TruncatedReason(window); truncated != want {
		t.Errorf("the real client says\n%s, the simulated one\n%s", truncated, want)
	}
}

// failureOf returns the real client's error for a server's answer.
func failureOf(t *testing.T, answer mock.Answer, options ollama.Options) string {
	t.Helper()
	server := httptest.NewServer(mock.New(mock.Options{Brain: always{answer}}))
	t.Cleanup(server.Close)
	options.BaseURL, options.Model = server.URL, mock.DefaultModel
	client, err := ollama.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, Conversation: fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleUser, Text: "?"}}}}
	_, err = client.Chat(t.Context(), ask, nil, nil)
	var failed *ollama.Error
	if !errors.As(err, &failed) {
		t.Fatalf("the call ended with %v", err)
	}
	return failed.Reason
}

// always gives one answer to every question.
type always struct{ answer mock.Answer }

func (a always) Answer(context.Context, mock.Question) (mock.Answer, error) { return a.answer, nil }

// SCN-27: if the real client does not get the pieces of the script, the case fails and reports
// the difference.
func TestSCN27OtherPiecesOnTheRuntimeFailTheCase(t *testing.T) {
	line := script.Line{Text: "ab", Stream: &script.Stream{Texts: []string{"a", "b"}}}
	ask := fsm.AskBrain{Asked: fsm.Asked{Call: 3}, Purpose: fsm.PurposeSummary}
	for _, seen := range [][]script.Piece{nil, {{Text: "ab"}}, {{Text: "b"}, {Text: "a"}}, {{Text: "a"}, {Thinking: "b"}}} {
		l := &live{}
		l.streams(ask, line, seen)
		if !strings.Contains(l.stream, "the pieces of the answer to call 3, for summary") {
			t.Errorf("%v: got %q; want one with %q", seen, l.stream, "the pieces of the answer to call 3, for summary")
		}
	}
	l := &live{}
	l.streams(ask, line, []script.Piece{{Text: "a"}, {Text: "b"}})
	if l.stream != "" {
		t.Errorf("got %q; want no stream", l.stream)
	}
}
