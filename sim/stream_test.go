package sim

import (
	"maps"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim/script"
)

// streamed is two requests at once and an event after them, whose answers come in
// pieces.
func streamed(s *script.Stream) Plan {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	return Plan{
		Config: config,
		Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{
			{Text: "one two", Takes: 1000, Stream: s}, {Text: "three", Takes: 1000, Stream: s}, {Text: "four", Stream: s},
		}}},
		Timeline: []Moment{
			{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Session: "a", Text: "1"}},
			{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "b"}, Session: "b", Text: "2"}},
			{At: 1000, Event: &fsm.EventRaised{Source: "disk", Event: "full"}},
		},
	}
}

// SCN-27: whatever a seed decides, an answer in pieces that come at once has the
// steps of the answer in one, to the hash.
func TestSCN27PiecesAreNoInputsAndNoChoices(t *testing.T) {
	for seed := range uint64(20) {
		whole := play(t, streamed(nil), Options{Choose: NewSeeded(seed)})
		pieces := play(t, streamed(&script.Stream{Chunks: 3}), Options{Choose: NewSeeded(seed)})
		if whole.Hash() != pieces.Hash() {
			t.Errorf("seed %d: the steps differ", seed)
		}
		if whole.Chunks != nil || len(pieces.Chunks) == 0 {
			t.Errorf("seed %d: %d pieces of an answer in one, %d of one in pieces", seed, len(whole.Chunks), len(pieces.Chunks))
		}
	}
}

// SCN-27: pieces come in their order, each with the request that it belongs to;
// those of an event's answer nobody sees.
func TestSCN27PiecesNameTheirRequest(t *testing.T) {
	r := play(t, streamed(&script.Stream{Chunks: 2, Every: 100}), Options{})
	text := map[string]string{}
	for i, c := range r.Chunks {
		text[c.Request.ID] += c.Text
		if i > 0 && c.At < r.Chunks[i-1].At {
			t.Errorf("piece %d comes at %v, after one of %v", i, c.At, r.Chunks[i-1].At)
		}
		if c.Session != c.Request.ID || c.Purpose != fsm.PurposeAnswer || c.Call == 0 || c.Handle == 0 {
			t.Errorf("piece %+v", c)
		}
	}
	if want := map[string]string{"a": "one two", "b": "three"}; !maps.Equal(text, want) {
		t.Errorf("the pieces make %v, want %v", text, want)
	}
}
