package main

import (
	"slices"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/sim/scenario"
)

// CLI-9, SCN-27: the mock server sends a script's pieces, with the script's delays if asked to.
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
	for speed, want := range map[float64][2]time.Duration{0: {}, 1: {3 * time.Second, 200 * time.Millisecond}, 10: {300 * time.Millisecond, 20 * time.Millisecond}} {
		brain := mockBrain{next: playing(f, false), speed: speed}
		a, err := brain.Answer(t.Context(), mock.Question{Purpose: string(fsm.PurposeAnswer)})
		if err != nil {
			t.Fatal(err)
		}
		if want := []mock.Piece{{Thinking: "hm"}, {Text: "one"}, {Text: " two"}}; !slices.Equal(a.Pieces, want) {
			t.Errorf("pieces %+v, want %+v", a.Pieces, want)
		}
		if a.Delay != want[0] || a.Every != want[1] {
			t.Errorf("speed %g: %v, then every %v, want %v", speed, a.Delay, a.Every, want)
		}
	}
}

// CLI-62: what a client names is on the line of its request, and controls no terminal.
func TestCLI62APathStaysOnItsLine(t *testing.T) {
	got := told(mock.Served{Method: "GET", Path: "/\x1b[31m\nGET /other", Status: 404})
	if want := `GET "/\x1b[31m\nGET /other" 404 0s`; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestCLI62ARequestWithoutAnAnswerHasNoStatus(t *testing.T) {
	got := told(mock.Served{Method: "POST", Path: "/api/chat", Took: 3 * time.Millisecond})
	if want := "POST /api/chat unanswered 3ms"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}
