package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/daemon"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/sim"
	"shelly/sim/scenario"
)

// SCN-28: the simulated client waits as long as the real one, and says the same
// words.
func TestSCN28SimulatedClientWaitsLikeTheRealOne(t *testing.T) {
	if real := ollama.DefaultFirstToken.Milliseconds(); int64(sim.FirstTokenMax) != real {
		t.Errorf("the real client waits %dms for the first token, the simulated one %dms", real, sim.FirstTokenMax)
	}
	if real := ollama.DefaultIdle.Milliseconds(); int64(sim.IdleMax) != real {
		t.Errorf("the real client waits %dms for a further piece, the simulated one %dms", real, sim.IdleMax)
	}
	const window, short = 512, time.Millisecond
	loading := failureOf(t, mock.Answer{Hang: true}, ollama.Options{Timeouts: ollama.Timeouts{FirstToken: short}})
	if real := strings.Replace(loading, short.String(), ollama.DefaultFirstToken.String(), 1); real != sim.LoadingReason {
		t.Errorf("the real client says\n%s, the simulated one\n%s", real, sim.LoadingReason)
	}
	truncated := failureOf(t, mock.Answer{Text: "x", PromptTokens: window}, ollama.Options{NumCtx: window})
	if want := sim.TruncatedReason(window); truncated != want {
		t.Errorf("the real client says\n%s, the simulated one\n%s", truncated, want)
	}
}

// failureOf is what the real client says of a server's answer.
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

// SCN-27: pieces that the real client was not given as the script has them fail the
// case, and say how.
func TestSCN27OtherPiecesOnTheRuntimeFailTheCase(t *testing.T) {
	line := sim.Line{Text: "ab", Stream: &sim.Stream{Texts: []string{"a", "b"}}}
	ask := fsm.AskBrain{Call: 3, Purpose: fsm.PurposeSummary}
	for _, seen := range [][]sim.Piece{nil, {{Text: "ab"}}, {{Text: "b"}, {Text: "a"}}, {{Text: "a"}, {Thinking: "b"}}} {
		l := &live{}
		l.streams(ask, line, seen)
		if !strings.Contains(l.stream, "the pieces of the answer to call 3, for summary") {
			t.Errorf("%v: %q", seen, l.stream)
		}
	}
	l := &live{}
	l.streams(ask, line, []sim.Piece{{Text: "a"}, {Text: "b"}})
	if l.stream != "" {
		t.Error(l.stream)
	}
}

// CLI-9, SCN-27: the mock server sends a script's pieces, with the script's delays
// where they are wanted.
func TestSCN27MockServerSendsTheScriptsPieces(t *testing.T) {
	f, err := scenario.Parse("m.scenario.yaml", []byte(`scenario: 1
name: x
brain:
  - {thinks: hm, says: "one two", stream: {chunks: [one, " two"], every: 200ms}, takes: 1s, slow_load: 2s}
expect: {ends: serving}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, delays := range []bool{false, true} {
		brain := mockBrain{script: f.Brain(), delays: delays}
		a, err := brain.Answer(t.Context(), mock.Question{Purpose: string(fsm.PurposeAnswer)})
		if err != nil {
			t.Fatal(err)
		}
		if want := []mock.Piece{{Thinking: "hm"}, {Text: "one"}, {Text: " two"}}; !slices.Equal(a.Pieces, want) {
			t.Errorf("pieces %+v, want %+v", a.Pieces, want)
		}
		if delays && (a.Delay != 3*time.Second || a.Every != 200*time.Millisecond) || !delays && a.Delay+a.Every != 0 {
			t.Errorf("delays %t: %v, then every %v", delays, a.Delay, a.Every)
		}
	}
}

// SCN-25: a jump of the clock is noticed in the simulator when the daemon notices it.
func TestTheSimulatedScheduleLooksAtTheClockAsOftenAsTheDaemon(t *testing.T) {
	if real := daemon.WallCheck.Milliseconds(); int64(sim.WallCheck) != real {
		t.Errorf("the daemon looks each %dms, the simulator each %dms", real, sim.WallCheck)
	}
}
