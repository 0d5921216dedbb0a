package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// marks shows styles as visible marks.
func marks() Style {
	put := func(mark string) func(string) string {
		return func(s string) string { return mark + s + mark }
	}
	return Style{Bold: put("B"), Italic: put("I"), Code: put("C"), Heading: put("H"), Quote: put("Q"), Link: put("L")}
}

func TestCLI151EachPartOfMarkdownIsDrawn(t *testing.T) {
	for source, want := range map[string]string{ // order-free
		"# A *head*":                       "HA IheadIH",
		"a **b** `c` _d_\ne":               "a BbB CcC IdI\ne",
		"a  \nb\\*":                        "a\nb*",
		"- a\n- b\n  - c\n\n  d":           "• a\n\n• b\n\n  • c\n\n  d",
		"3. a\n4. b":                       "3. a\n4. b",
		"```go\nx\t:= 1\n\ny\n```":         "  Cx    := 1C\n  \n  CyC",
		"> a\n> b":                         "Q│ Qa\nQ│ Qb",
		"[a](http://b)":                    "a (Lhttp://bL)",
		"<http://b>":                       "Lhttp://bL",
		"<b>a</b> &lt;&#98;&#x3E;":         "<b>a</b> <b>",
		"&#27; &NewLine; &rlm; &x; \\&lt;": "&#27; &NewLine; &rlm; &x; &lt;",
		"[a](http://b?c&amp;d) `&lt;`":     "a (Lhttp://b?c&dL) C&lt;C",
		"a | b\n--|--\n1 | `2`":            "BaB  BbB\nQ──────Q\n1  C2C",
		"so:\nand\na | b\n--|--\n1 | 2":    "so:\nand\n\nBaB  BbB\nQ────Q\n1  2",
		"one\n\n---\n\ntwo":                "one\n\nQ" + strings.Repeat("─", 30) + "Q\n\ntwo",
	} {
		if got := strings.Join(Render(source, 30, marks()), "\n"); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", source, got, want)
		}
	}
}

func TestCLI151ATableThatIsTooWideStandsInLines(t *testing.T) {
	got := strings.Join(Render("| name | what |\n|-|-|\n| a.txt | a long description |\n| b | c |", 16, Style{}), "\n")
	if got != "name: a.txt\nwhat: a long\ndescription\n\nname: b\nwhat: c" {
		t.Errorf("got %q; want %q", got, "name: a.txt\nwhat: a long\ndescription\n\nname: b\nwhat: c")
	}
}

func TestCLI151WhatIsNestedTooDeepFits(t *testing.T) {
	for source, want := range map[string]string{ // order-free
		"1. 1. 1. **b**| x | y |": "1. 1. 1.|      b| x | y |",
		"> > > > > a b c d":       "│ │ │ │ a b c d",
		"- - - - - a":             "• • • • •|        a",
		"- - - -\n\n        ```\n        12345678\n        ```": "",
	} {
		for _, line := range Render(source, 16, Style{}) {
			if w := ansi.StringWidth(line); w > 16 {
				t.Errorf("%q: %q is %d wide", source, line, w)
			}
		}
		if got := strings.Join(Render(source, 16, Style{}), "|"); want != "" && got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// Whatever is rendered fits, and what is complete stays the same as the text grows.
func TestCLI151WhatIsWholeStays(t *testing.T) {
	pieces := []string{"a ", "**b**", "\n", "\n\n", "- c", "1. ", "```\n", "> ", "| x | y |\n", "|-|-|\n", "漢字かな", "# ", "    ", "verylongwordwithoutblanks", "`", "_", "👩‍👩‍👧", "~~~", "[a](b)", "\\"}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(t, "pieces"), "")
		width := rapid.IntRange(widthMin*2, 60).Draw(t, "width")
		at := rapid.IntRange(0, len(source)).Draw(t, "at")
		whole := Split(source)
		if joined := strings.Join(whole, ""); strings.TrimSpace(joined) != "" && !strings.HasPrefix(source, joined) {
			t.Fatalf("%q is split into %q", source, whole)
		}
		for i, part := range Split(source[:at]) {
			if before := Split(source[:at]); i < len(before)-1 && part != whole[i] {
				t.Fatalf("%q becomes %q", part, whole[i])
			}
		}
		for _, part := range whole {
			for _, line := range Render(part, width, Style{Bold: func(s string) string { return "\x1b[1m" + s + "\x1b[22m" }}) {
				if w := ansi.StringWidth(line); w > width {
					t.Fatalf("%q is %d wide, not %d", line, w, width)
				}
			}
		}
	})
}

func TestCLI151ScriptsWithoutBlanksAreWrapped(t *testing.T) {
	for text, want := range map[string]string{ // order-free
		"漢字かな、漢字。ab": "漢字か|な、漢|字。ab", "ab 漢字cd": "ab 漢|字cd", "verylongword": "verylo|ngword", "  in a": "  in a", "a  b c d": "a  b c|d", "": "", "x 👩‍👩‍👧y": "x 👩‍👩‍👧y", "a\x1b[2J": "a\x1b[2J",
	} {
		if got := strings.Join(Wrap(text, 6), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCLI151EachLineStandsForItself(t *testing.T) {
	got := Wrap("a \x1b[1mbold \x1b[36mcyan\x1b[39m word\x1b[22m end", 7)
	want := []string{"a \x1b[1mbold\x1b[m", "\x1b[1m\x1b[36mcyan\x1b[39m\x1b[m", "\x1b[1mword\x1b[22m", "end"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
}
