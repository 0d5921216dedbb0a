package script

import (
	"reflect"
	"shelly/fsm"
	"testing"
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
