package strict

import "testing"

// SCN-2: a problem is at its line as people count them, also after what ends a line for the parser
// alone.
func TestSCN2APlaceIsThatOfAnEditor(t *testing.T) {
	for _, test := range []struct {
		name, source, key string
		want              Pos
	}{
		{"ordinary lines", "a: 1\nb: 2\n", "b", Pos{Line: 2, Col: 1}},
		{"carriage returns before line ends", "a: 1\r\nb: 2\r\n", "b", Pos{Line: 2, Col: 1}},
		{"line separator", "a: \"x\u2028y\"\nb: 2\n", "b", Pos{Line: 2, Col: 1}},
		{"paragraph separator", "a: {x: \"é\u2029y\", b: 2}\n", "a", Pos{Line: 1, Col: 1}},
		{"after a separator on its line", "a: \"é\u2029y\"\u2028b: 2\n", "b", Pos{Line: 1, Col: 10}},
		{"carriage returns alone", "a: 1\rb: 2\r", "b", Pos{Line: 1, Col: 6}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, problem := Parse([]byte(test.source), "a test", "")
			if problem != nil {
				t.Fatal(problem)
			}
			if got := root.Content[root.Index(test.key)].Pos; got != test.want {
				t.Errorf("%s is at %+v, want %+v", test.key, got, test.want)
			}
		})
	}
	for source, want := range map[string]Problem{
		"# a\u2028b\nc: 1\n":           {Pos: Pos{Line: 1, Col: 4}, Text: `U+2028 ends a line of YAML; remove it, or write it as \u2028 in double quotes`},
		"c: 1\n# x\nd: é\u2029 e: 2":   {Pos: Pos{Line: 3, Col: 5}, Text: `U+2029 ends a line of YAML; remove it, or write it as \u2029 in double quotes`},
		"a: \"x\u2028\"\nb: 1\nc: [\n": {Pos: Pos{Line: 4, Col: 1}, Text: "unclosed [ or {"},
		"a: 1\rb: [\r":                 {Pos: Pos{Line: 1, Col: 11}, Text: "unclosed [ or {"},
	} {
		if _, got := Parse([]byte(source), "a test", ""); got == nil || *got != want {
			t.Errorf("%q: got %+v, want %+v", source, got, want)
		}
	}
}
