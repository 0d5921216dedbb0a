package file

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTOL23AnEditMeansOneThing(t *testing.T) {
	const python = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	const golang = "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n"
	const yaml = "a:\n  b:\n    c: 1\n  d:\n    c: 2\n"
	for _, c := range []struct{ name, text, old, new, want string }{
		{"blanks at the ends of lines", "a  \nb\nc\n", "a\nb ", "x", "x\nc\n"},
		{"blanks at the ends alone say nothing of new", "a  \nb\nc\n", "a\nb", "  x\n    y", "  x\n    y\nc\n"},
		{"a blank line that is not empty", "a\n  \nb\n", "a\n\nb", "x", "x\n"},
		{"no line end at the end", "a\nb", "b\n", "c\n", "a\nc"},
		{"less", python, "def f(self):\n    return 1", "def f(self):\n    # why\n\n    return 3", "class A:\n    def f(self):\n        # why\n\n        return 3\n\n    def g(self):\n        return 2\n"},
		{"less, to the line's end", python, "def f(self):\n    return 1\n", "def f(self):\n    return 3\n", strings.Replace(python, "1", "3", 1)},
		{"more", python, "        def f(self):\n            return 1", "        def f(self):\n            return 3", strings.Replace(python, "1", "3", 1)},
		{"blanks for tabs", golang, "    if a {\n        b()\n    }", "    if a {\n        for {\n            b()\n        }\n    }", "func f() {\n\tif a {\n\t\tfor {\n\t\t\tb()\n\t\t}\n\t}\n}\n"},
		{"tabs for blanks", python, "\tdef f(self):\n\t\treturn 1", "\tdef f(self):\n\t\treturn 3", strings.Replace(python, "1", "3", 1)},
		{"four for two", yaml, "    b:\n        c: 1", "    b:\n        c: 3\n        e: 4", "a:\n  b:\n    c: 3\n    e: 4\n  d:\n    c: 2\n"},
		{"less, and blanks for tabs", golang, "if a {\n  b()\n}", "if a {\n  for {\n    b()\n  }\n}", "func f() {\n\tif a {\n\t\tfor {\n\t\t\tb()\n\t\t}\n\t}\n}\n"},
		{"more, and two for four", python, "    def f(self):\n      return 1", "    def f(self):\n      return 3", strings.Replace(python, "1", "3", 1)},
		{"accents composed otherwise", "x cafe\u0301\n", "caf\u00e9", "th\u00e9", "x the\u0301\n"},
		{"accents in one piece", "x caf\u00e9\n", "cafe\u0301", "the\u0301", "x th\u00e9\n"},
		{"to nothing", python, "def f(self):\n    return 1\n\n", "", "class A:\n    def g(self):\n        return 2\n"},
		{"numbers", python, "2:     def f(self):\n3:         return 1", "2:     def f(self):\n3:         return 3", strings.Replace(python, "1", "3", 1)},
		{"numbers of old alone", python, "3:         return 1\n", "        return 3\n", strings.Replace(python, "1", "3", 1)},

		{"new indented as the file, and not as old", python, "def f(self):\n    return 1", "    def f(self):\n        return 3", ""},
		{"new with an indentation that no rule is for", golang, "    if a {\n        b()\n    }", "    if a {\n      c()\n    }", ""},
		{"more than new has", python, "        def f(self):\n            return 1", "        def f(self):\n  return 3", ""},
		{"lines that differ by two rules", python, "def f(self):\n        return 1\n\n  def g(self):", "def f(self):", ""},
		{"another unit or more of the same", "        a\n", "    a\n    ", "    b\n        c", ""},
		{"a part of a line", "x = f(1,\n      2)\n", "f(1,\n  2)", "f()", ""},
		{"other blanks in a line", "a = b\n", "a=b", "c", ""},
		{"a number of the text", "1: 2: a\n", "7: 1: 2: a", "7: 1: 2: b", ""},
		{"numbers of some lines of new", python, "3:         return 1", "3:         x = 1\n        return x", ""},
		{"numbers of some lines of old", python, "2:     def f(self):\n        return 1", "x", ""},
		{"numbers before a part of a line", "x = a\n", "1: a", "1: b", ""},
		{"both line ends", "a \r\nb\nc\n", "a\nb", "x", ""},
		{"a place where it is not certain, and another", "        }\n }\n", "                }\n", "                }\n                    d\n", ""},
		{"numbers before the beginning of a line", "ab\n", "1: a", "1: b", ""},
		{"numbers before the beginning of a last line", "a\n  b", "1: a\n2:  ", "1: c", ""},
		{"accents in two places", "cafe\u0301\ncafe\u0301\n", "caf\u00e9", "th\u00e9", ""},
		{"blanks alone", "a\n \n\t\nb\n", "  \n  \n", "", ""},
	} {
		got, err := replaced(c.text, []edit{{old: c.old, new: c.new}})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// What is meant in two places is made in both or not at all, each as it is indented.
func TestTOL23AnEditOfSeveralPlacesThatAreIndentedOtherwise(t *testing.T) {
	const text = "if a:\n    f()\n    g()\nif b:\n    if c:\n        f()\n        g()\n"
	e := edit{old: "  f()\n  g()\n", new: "  h()\n"}
	if got, err := replaced(text, []edit{e}); err == nil || err.Error() != "old is found 2 times, on lines 2, 6; give more of the text around the one that is meant, or all: true" {
		t.Errorf("got %q, %v", got, err)
	}
	e.all = true
	if got, err := replaced(text, []edit{e}); err != nil || got != "if a:\n    h()\nif b:\n    if c:\n        h()\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Of equal lines two may be meant that overlap with others.
func TestTOL23PlacesThatOverlapAreSeveral(t *testing.T) {
	for _, c := range []struct{ name, text, old, all string }{
		{"as it stands", "a\na\na\n", "a\na\n", "x\na\n"},
		{"with other line ends", "a\r\na\r\na\r\nb\n", "a\na\n", "x\r\na\r\nb\n"},
		{"with numbers", "a\na\na\n", "2: a\n3: a\n", "x\na\n"},
		{"indented", "\ta\n\ta\n\ta\n", "a\na\n", "\tx\n\ta\n"},
	} {
		e := edit{old: c.old, new: "x\n"}
		if got, err := replaced(c.text, []edit{e}); err == nil || !strings.HasPrefix(err.Error(), "old is found 2 times, on lines 1, 2; ") {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
		e.all = true
		if got, err := replaced(c.text, []edit{e}); err != nil || got != c.all {
			t.Errorf("%s: all: got %q, %v; want %q", c.name, got, err, c.all)
		}
	}
}

// The result says that old was not quite there. A text with many equal lines is not searched for ever.
func TestTOL23AResultSaysHowOldDiffered(t *testing.T) {
	w := newWorld(t)
	w.write("f", "a:\n  b: 1\n")
	got := w.call("edit_file", object{"path": "f", "old": "a:\n    b: 1", "new": "a:\n    b: 2"})
	if want := "wrote f (2 lines, 10 bytes; old differed in blanks around its lines only, so new is indented as the file is)\n@@ -1,2 +1,2 @@\n a:\n-  b: 1\n+  b: 2\n"; got.Failed || got.Text != want {
		t.Errorf("got %+v, want %q", got, want)
	}
	got = w.call("edit_file", object{"path": "f", "edits": []object{{"old": "1: a:", "new": "1: c:"}, {"old": "2:   b: 2", "new": "2:   b: 3"}}})
	if want := "wrote f (2 lines, 10 bytes; old was taken without its line numbers)\n"; !strings.HasPrefix(got.Text, want) {
		t.Errorf("got %+v, want %q", got, want)
	}
	lines := strings.Repeat("a\n", textMax/64)
	if got := (&edit{old: strings.Repeat("1: a\n", textMax/128)}).unnumbered(lines); got != nil {
		t.Errorf("%d stretches are found with numbers", len(got))
	}
	one := edit{old: "1: }", new: "1: ]"}
	if got, err := replaced(strings.Repeat("x }\n", 20)+"}\n", []edit{one}); err != nil || !strings.HasSuffix(got, "x }\n]\n") {
		t.Errorf("after many parts of lines: … %q, %v", got[max(0, len(got)-10):], err)
	}
	many := strings.Repeat("  }\n", 20_000) + "  x\n"
	if got := (&edit{old: strings.Repeat("}\n", 10_000) + "x", new: "y"}).indented(many); got != nil {
		t.Errorf("%d stretches are found after all pairs of lines were compared", len(got))
	}
	if got := (&edit{old: "}", new: strings.Repeat("x", textMax/10_000), all: true}).indented(many); got != nil {
		t.Errorf("%d stretches are found, each with a long text", len(got))
	}
	deep := strings.Repeat(" ", 1<<20)
	if got := (&edit{old: "a", new: strings.Repeat("b\n", 100)}).indented(deep + "a\n"); got != nil {
		t.Errorf("%d stretches are found whose new has a megabyte in each line", len(got))
	}
	if got := (&edit{old: "a", new: strings.Repeat("b\n", 20), all: true}).indented(strings.Repeat(deep+"a\n", 10)); got != nil {
		t.Errorf("%d stretches are found, each with twenty such lines", len(got))
	}
	if got := (&edit{old: "}\n", new: "x\n"}).indented(strings.Repeat("\n", meantLinesMax) + " }\n"); got != nil {
		t.Errorf("%d stretches are found in too many lines", len(got))
	}
}

// If old and new are both written with another indentation, the edit is made as if neither was, or not.
func TestTOL23AnotherIndentationMakesNoOtherText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.SampledFrom([]string{"\t", "  ", "    "}).Draw(rt, "unit")
		line := func(body string) string {
			return strings.Repeat(unit, rapid.IntRange(0, 3).Draw(rt, "depth")) + body + "\n"
		}
		var lines []string
		for i := range rapid.IntRange(1, 8).Draw(rt, "lines") {
			lines = append(lines, line(string(rune('a'+i))))
		}
		from := rapid.IntRange(0, len(lines)-1).Draw(rt, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(rt, "to")
		lead, _ := cutLead(lines[from])
		with := []string{lead + "A\n"}
		for range rapid.IntRange(0, 3).Draw(rt, "new lines") {
			with = append(with, line("B"))
		}
		otherUnit := rapid.SampledFrom([]string{"\t", "  ", "    "}).Draw(rt, "another unit")
		cut := ""
		if otherUnit == unit {
			cut = strings.Repeat(unit, rapid.IntRange(0, 3).Draw(rt, "cut"))
		}
		written := func(lines []string) (text string, ok bool) {
			for _, one := range lines {
				lead, body := cutLead(one)
				rest, whole := strings.CutPrefix(strings.ReplaceAll(lead, unit, otherUnit), cut)
				if !whole {
					return "", false
				}
				text += rest + body + rapid.StringMatching(` {0,2}`).Draw(rt, "blanks") + "\n"
			}
			return text, true
		}
		old, ok := written(lines[from:to])
		text := strings.Join(lines, "")
		if new, whole := written(with); ok && whole && !strings.Contains(text, old) {
			got, err := replaced(text, []edit{{old: old, new: new}})
			if withoutTrailing(old) == strings.Join(lines[from:to], "") {
				with = []string{withoutTrailing(new)} // nothing says that new is indented otherwise
			}
			want := strings.Join(lines[:from], "") + strings.Join(with, "") + strings.Join(lines[to:], "")
			if err == nil && withoutTrailing(got) != want {
				rt.Fatalf("%q in %q by %q: got %q, want %q", old, text, new, got, want)
			}
		}
	})
}

func withoutTrailing(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
