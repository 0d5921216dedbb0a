package sim

import (
	"maps"
	"reflect"
	"testing"

	"shelly/fsm"
)

// SCN-27: thinking comes before the text, each in as many pieces as are asked for,
// and no character is cut.
func TestSCN27AnswersAreCutAtCharacters(t *testing.T) {
	ask := fsm.AskBrain{Conversation: fsm.Conversation{Messages: []fsm.Message{{Text: "ö"}}}}
	for name, test := range map[string]struct {
		line Line
		want []Piece
	}{
		"whole":                    {Line{Text: "ab"}, nil},
		"two of each":              {Line{Thinking: "hm!", Text: "Grüße", Stream: &Stream{Chunks: 2}}, []Piece{{Thinking: "h"}, {Thinking: "m!"}, {Text: "Gr"}, {Text: "üße"}}},
		"more than characters":     {Line{Text: "世界", Stream: &Stream{Chunks: 9}}, []Piece{{Text: "世"}, {Text: "界"}}},
		"a list, thinking in one":  {Line{Thinking: "hm", Text: "abc", Stream: &Stream{Texts: []string{"a", "bc"}}}, []Piece{{Thinking: "hm"}, {Text: "a"}, {Text: "bc"}}},
		"with what it quotes":      {Line{Text: "a", Quotes: true, Stream: &Stream{Chunks: 3}}, []Piece{{Text: "a"}, {Text: "\n"}, {Text: "ö"}}},
		"before a failure":         {Line{Fails: fsm.BrainCutStream, Stream: &Stream{Texts: []string{"a"}}}, []Piece{{Text: "a"}}},
		"nothing that can be cut":  {Line{Stream: &Stream{Chunks: 2}}, nil},
		"one where no number says": {Line{Text: "ab", Stream: &Stream{}}, []Piece{{Text: "ab"}}},
	} {
		if got := test.line.Pieces(ask); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// streamed is two requests at once and an event behind them, whose answers come in
// pieces.
func streamed(s *Stream) Plan {
	config := fsm.ShellyProfile()
	config.Init = fsm.InitOff
	return Plan{
		Config: config,
		Scripts: []Script{{Purpose: fsm.PurposeAnswer, Lines: []Line{
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
		pieces := play(t, streamed(&Stream{Chunks: 3}), Options{Choose: NewSeeded(seed)})
		if whole.Hash != pieces.Hash {
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
	r := play(t, streamed(&Stream{Chunks: 2, Every: 100}), Options{})
	text := map[string]string{}
	for i, c := range r.Chunks {
		text[c.Request.ID] += c.Text
		if i > 0 && c.At < r.Chunks[i-1].At {
			t.Errorf("piece %d comes at %v, behind one of %v", i, c.At, r.Chunks[i-1].At)
		}
		if c.Session != c.Request.ID || c.Purpose != fsm.PurposeAnswer || c.Call == 0 || c.Handle == 0 {
			t.Errorf("piece %+v", c)
		}
	}
	if want := map[string]string{"a": "one two", "b": "three"}; !maps.Equal(text, want) {
		t.Errorf("the pieces make %v, want %v", text, want)
	}
}
