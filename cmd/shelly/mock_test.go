package main

import (
	"slices"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/sim/scenario"
)

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
