package data

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/sim/strict"
)

// parsed is what YAML makes of a text.
func parsed(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) Value {
	t.Helper()
	root, problem := strict.Parse([]byte(text), "a golden", "")
	if problem != nil {
		t.Fatalf("%v\n%s", problem, text)
	}
	d := &strict.Decoder{Where: map[string]strict.Pos{}}
	v, ok := Read(d, root, "")
	if !ok {
		t.Fatalf("%v\n%s", d.Problems, text)
	}
	return v
}

// A golden is YAML, and YAML makes of it what was written (SCN-35).
func TestSCN35AGoldenIsTheYAMLOfWhatItHolds(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "true", "No", "~", "null", "12", "1e3", "0x1f", "2026-01-05", "a: b", "a:", ":", "- a", "-", "#", "a #b", "?", "& a", "*a", "!a", "%", "@",
			" a", "a ", "\ta", "a\tb", "a\n", "a\n\n", "\na", "\n", "a\n b", " a\nb", "a \nb", "a\n\nb", "a\r\nb", "\x00", "\x7f", "\u0085", "\u2028", "\ufeff", "\U0001f600",
			"cli:direct", "a::b", "it's", `"`, `\`, "{a}", "[a]", "a, b", "=", "<<", ".inf", "a\u00a0b", "\u202ea", "日本語", strings.Repeat("long ", 30) + "end",
		}),
		rapid.StringMatching(`[ -~\n]{0,40}`),
		rapid.String(),
	)
	var of func(depth int) *rapid.Generator[Value]
	of = func(depth int) *rapid.Generator[Value] {
		return rapid.Custom(func(t *rapid.T) Value {
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			switch {
			case kind == 0:
				return Int(rapid.Int().Draw(t, "number"))
			case kind == 1:
				return Bool(rapid.Bool().Draw(t, "switch"))
			case kind == 2 && depth > 0:
				return List(rapid.SliceOfN(of(depth-1), 0, 4).Draw(t, "list"), func(v Value) Value { return v })
			case kind == 3 && depth > 0:
				v := Map("")
				for _, key := range rapid.SliceOfNDistinct(word.Filter(func(s string) bool { return len(s) < yamlKeyBytesMax }), 0, 4, rapid.ID[string]).Draw(t, "keys") {
					v.Members = append(v.Members, With(key, of(depth-1).Draw(t, "member")))
				}
				return v
			default:
				return Text(strings.ToValidUTF8(word.Draw(t, "text"), "?"))
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		want := Map("", With("first", of(4).Draw(t, "first")), With("second", of(2).Draw(t, "second")))
		text := YAML(want)
		if got := parsed(t, text); !got.Equal(want) {
			t.Fatalf("%s\nis read as %s, not %s", text, got, want)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.TrimRight(line, " \t") != line {
				t.Fatalf("a blank at the end of %q", line)
			}
		}
	})
}

// What the model wrote as arguments may be a map that YAML has no place for.
func TestSCN35WhatYAMLCannotHoldIsJSON(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for _, args := range []string{`{"a":1,"a":2}`, `{"` + strings.Repeat("k", 2000) + `":1}`, deep, `[[[[` + deep + `]]]]`} {
		text := YAML(Map("", With("args", Args(args))))
		if len(text) > 3*len(args)+1000 {
			t.Errorf("%d bytes of arguments are %d of YAML", len(args), len(text))
		}
		parsed(t, text)
	}
}

func TestSCN35AGoldenReadsWell(t *testing.T) {
	long := strings.Repeat("so many words ", 9) + "end"
	v := Map("",
		With("replies", List([]string{"Yes.", "Two\nlines.", long}, func(s string) Value {
			return Map("", With("id", Text("r1")), With("text", Text(s)))
		})),
		With("paths", Map("", With("lifecycle", List([]string{"down", "serving"}, Text)))),
		With("notices", Value{Kind: ListKind}),
		With("memory_file", Text(" begins with a blank\nand ends with one \n")),
		With("results", List([]string{"\n\tbegins with a line end\n", "  1  two blanks\n 10  one"}, Text)),
		With("history_file", List([]string{"plain", "a: b", "1", "true"}, Text)),
	)
	want := `replies:
  - {id: r1, text: Yes.}
  - id: r1
    text: |-
      Two
      lines.
  - id: r1
    text: |-
      ` + long + `
paths:
  lifecycle: [down, serving]
notices: []
memory_file: " begins with a blank\n\
  and ends with one \n\
  "
results:
  - |2

    	begins with a line end
  - |2-
      1  two blanks
     10  one
history_file: [plain, "a: b", "1", "true"]
`
	if got := YAML(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestValueOfJSONRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", "{", `{"a"}`, `[1,]`, `1 2`, `{"a":1}}`, "nope", strings.Repeat("[", 1_000_000)} {
		if v, err := OfJSON(text); err == nil {
			t.Errorf("%.80q is read as %s", text, v)
		}
	}
}
