package wording

import (
	"strings"
	"testing"
)

func TestNearestIsNearAndNotAnything(t *testing.T) {
	long := strings.Repeat("abcdefghij", ShownMax/10)
	words := []string{"says", "calls", "needs", "takes", "timeline", "replies", "memory", long}
	for word, want := range map[string]string{
		"sais": "says", "call": "calls", "CALLS": "calls", "timelien": "timeline", "time_line": "timeline",
		"reply": "replies", "Reply": "replies", "memories": "memory", "repliess": "replies",
		"x": "", "garbage": "", "": "", strings.Repeat("says", 100): "", long[1:] + "x": long, long + "x": "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("nearest to %q: %q, want %q", word, got, want)
		}
	}
}

func TestTheFirstOfTheNearestIsMeant(t *testing.T) {
	for _, words := range [][]string{{"sayx", "sayz", "saying"}, {"calls", "sayx", "sayz"}} {
		if got := Nearest("says", words); got != "sayx" {
			t.Errorf("of %q it is %q", words, got)
		}
	}
}

func TestAnUnknownWordIsToldWithThoseAllowed(t *testing.T) {
	for _, tt := range []struct {
		word    string
		allowed []string
		want    string
	}{
		{"sais", []string{"calls", "says"}, "unknown key sais; did you mean says?"},
		{"x y", []string{"calls", "says"}, "unknown key x y; allowed: calls, says"},
		{"x y", []string{"says", "calls", "says", "calls"}, "unknown key x y; allowed: says, calls"},
		{"sais", nil, "unknown key sais; there is none"},
	} {
		if got := Unknown("key", tt.word, tt.allowed); got != tt.want {
			t.Errorf("got %q; want %q", got, tt.want)
		}
	}
}

func TestTextsAreCutAtACharactersEdge(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Clip("磁盘", 6), "磁盘"}, {Clip("磁盘", 5), "磁…"}, {Clip("磁盘", 2), "…"}, {Edge("磁盘", 5), "磁"}, {Edge("磁盘", 6), "磁盘"}, {Edge("磁", 7), "磁"},
		{Edge("\x80\x80\x80", 2), ""}, // no characters at all
		{Tail("磁盘", 6), "磁盘"}, {Tail("磁盘", 5), "…盘"}, {Tail("磁盘", 2), "…"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestWordsStandAsTheyAreWhereTheyCan(t *testing.T) {
	long := strings.Repeat("a", ShownMax)
	for word, want := range map[string]string{
		"plain": "plain", "日本": "日本", "": `""`, `a"b`: `"a\"b"`, "a\nb": `"a\nb"`, "\n": `"\n"`, "\x7f": `"\x7f"`, `\`: `"\\"`, `"`: `"\""`, long: long, long + "b": `"` + long + `…"`,
	} {
		if got := Word(word); got != want {
			t.Errorf("%q is shown as %s, want %s", word, got, want)
		}
	}
	if got := Line("a\tb\x1b[31m\n"); got != "a b\uFFFD[31m\uFFFD" {
		t.Errorf("line %q", got)
	}
	if one, two := Counted(1, "entry", "entries"), Counted(2, "entry", "entries"); one != "1 entry" || two != "2 entries" {
		t.Errorf("got %q, %q; want 1 entry, 2 entries", one, two)
	}
	if one, two := Count(1, "file"), Count(2, "file"); one != "1 file" || two != "2 files" {
		t.Errorf("got %s, %s; want %s, %s", one, two, "1 file", "2 files")
	}
}

func TestTheDistanceOfASwapIsOne(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"ab", "ba", 1}, {"timeline", "timelien", 1}, {"abc", "cba", 2}, {"abcd", "badc", 2}, {"ab", "bc", 2}, {"", "ab", 2}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDaysAreExplainedOnlyWhereTheyAreMeant(t *testing.T) {
	for text, meant := range map[string]bool{"2d": true, "1d12h": true, "10d": true, "9d": true, "d": false, "abcd": false, "soon": false, "": false, "5/d": false, "5:d": false} {
		if got := Days(text); (got != "") != meant {
			t.Errorf("%q: got %q; want an explanation %t", text, got, meant)
		}
	}
}

func TestAnAddressIsShownWithoutWhatMayBeAToken(t *testing.T) {
	for url, want := range map[string]string{
		"http://h:1": "http://h:1", "http://h:1/": "http://h:1", "http://h:1/token": "http://h:1/…", "https://h?key=token": "https://h/…",
		"http://me:token@[::1]:1": "http://[::1]:1", "http://h/a@token": "http://h/…", "h:1/token": "h:1/…", "/token": "/…", "": "",
	} {
		if got := Address(url); got != want {
			t.Errorf("%q is shown as %q, want %q", url, got, want)
		}
	}
}

func TestThousandsAreParted(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 99488: "99,488", 123456: "123,456", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is shown as %q, want %q", n, got, want)
		}
	}
}

func TestAPathIsQuotedWhereItIsUnusual(t *testing.T) {
	for path, want := range map[string]string{ // order-free: each for itself
		"a/b c": "a/b c", " a": `" a"`, "a ": `"a "`, "a\nb": `"a\nb"`, `a"b`: `"a\"b"`, "a\xff": `a\xff`, "für": "für",
	} {
		if got := PathLine(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}

func TestAPR22WhatControlsMovesOrHidesTextIsShown(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		"a\tb\nc\x1b[2J\r\u202ed\u00e9":          "a\tb\nc\\x1b[2J\\r\\u202ed\u00e9",
		"ok\U000e0072\U000e006d":                 `ok\U000e0072\U000e006d`, // tags
		"x\ufe01\U000e0112y":                     `x\ufe01\U000e0112y`,     // variation selectors
		"a\u200bb\u2060c\ufeffd\u00ade\u3164f":   `a\u200bb\u2060c\ufeffd\u00ade\u3164f`,
		"a\u2028b\u2029c":                        `a\u2028b\u2029c`,
		"\u2764\ufe0f\u200d\U0001f525":           "\u2764\ufe0f\u200d\U0001f525", // a burning heart
		"\u0645\u06cc\u200c\u062e, \u0600\u0661": "\u0645\u06cc\u200c\u062e, \u0600\u0661",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%+q: got %q, want %q", text, got, want)
		}
	}
}

func TestADurationIsShownWithoutPartsThatAreZero(t *testing.T) {
	for given, want := range map[string]string{"0s": "0s", "90s": "90s", "1m30s": "1m30s", "30m0s": "30m", "1h0m0s": "1h", "1h30m0s": "1h30m", "1h0m5s": "1h0m5s", "10m0s": "10m"} {
		if got := Short(given); got != want {
			t.Errorf("%s is shown as %q, want %q", given, got, want)
		}
	}
}

func TestPartSaysHowMuchIsLeftOut(t *testing.T) {
	for want, text := range map[string]string{ // order-free: each is a case of its own
		"short": "short",
		"aaaaaaaa… [1,992 more bytes are not shown]": strings.Repeat("a", 2000),
	} {
		if got := Part(text, 8); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// CLI-211: a compression is shown as what it is, whatever its session's next question is.
func TestSubjectOfACompression(t *testing.T) {
	for compacts, want := range map[bool]string{false: "hello", true: "compress the conversation"} { // order-free: each is a case of its own
		if got := Subject("hello", compacts, false); got != want {
			t.Errorf("compacts %t: got %q, want %q", compacts, got, want)
		}
	}
	if got := Subject("hello", true, true); got != "read the conversation ahead" {
		t.Errorf("read ahead: got %q", got)
	}
}
