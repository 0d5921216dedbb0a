package editor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// at returns the text with the cursor in it.
func (e *Editor) at() string { return e.before + "|" + e.after }

func TestCLI156EachKeyMovesOrDeletes(t *testing.T) {
	const family = "👩‍👩‍👧" // one character of three
	for _, c := range []struct {
		from, want string
		key        func(*Editor)
	}{
		{"ab|c", "a|bc", (*Editor).Left}, {"|c", "|c", (*Editor).Left}, {"a|bc", "ab|c", (*Editor).Right}, {"c|", "c|", (*Editor).Right},
		{"a" + family + "|", "a|" + family, (*Editor).Left}, {"a" + family + "|", "a|", (*Editor).Backspace}, {"|" + family + "b", "|b", (*Editor).Delete},
		{"e\u0301|", "|", (*Editor).Backspace}, {"a\n|b", "a|b", (*Editor).Backspace}, {"漢字|", "漢|", (*Editor).Backspace},
		{"one two|", "one |two", (*Editor).WordLeft}, {"|one two", "one| two", (*Editor).WordRight}, {"one two |", "one |", (*Editor).WordBackspace},
		{"a\nbc|d", "a\n|bcd", (*Editor).Home}, {"a\nb|cd\ne", "a\nbcd|\ne", (*Editor).End}, {"a\nbc|d", "a\n|d", (*Editor).KillLeft},
		{"a|bc\nd", "a|\nd", (*Editor).KillRight}, {"a|\nd", "a|d", (*Editor).KillRight}, {"|", "|", (*Editor).KillRight},
	} {
		var e Editor
		e.before, e.after, _ = strings.Cut(c.from, "|")
		if c.key(&e); e.at() != c.want {
			t.Errorf("%q becomes %q, want %q", c.from, e.at(), c.want)
		}
	}
}

func TestCLI156TheCursorStaysInItsColumn(t *testing.T) {
	var e Editor
	e.Insert("a long line\nx\n漢字漢字漢字")
	e.Set(e.Text())
	e.before, e.after = "a long", " line\nx\n漢字漢字漢字"
	for _, want := range []string{"a long line\nx|\n漢字漢字漢字", "a long line\nx\n漢字漢|字漢字"} {
		if e.Down(40); e.at() != want {
			t.Errorf("%q, want %q", e.at(), want)
		}
	}
}

func TestCLI156WhatIsPastedDoesNotActOnTheTerminal(t *testing.T) {
	var e Editor
	e.Insert("a\x1b[2J\r\nb\x00\tc\xff\u202e")
	if e.Text() != "a[2J\nb\tc\uFFFD\u202e" {
		t.Errorf("got %q; want %q", e.Text(), "a[2J\nb\tc\uFFFD\u202e")
	}
	if v := e.View(40, 8); strings.Contains(strings.Join(v.Rows, ""), "\u202e") {
		t.Errorf("got %q; want no U+202E", v.Rows)
	}
	if e.Insert(strings.Repeat("x", TextMax)) {
		t.Error("a text of any length is taken")
	}
}

// Whatever is typed in whatever order, the view fits, and the cursor is in it.
func TestCLI156TheViewFits(t *testing.T) {
	keys := []func(*Editor){
		(*Editor).Left, (*Editor).Right, (*Editor).WordLeft, (*Editor).WordRight, (*Editor).Home, (*Editor).End, (*Editor).Backspace,
		(*Editor).Delete, (*Editor).WordBackspace, (*Editor).KillLeft, (*Editor).KillRight,
		func(e *Editor) { e.Up(11) }, func(e *Editor) { e.Down(11) },
	}
	rapid.Check(t, func(t *rapid.T) {
		var e Editor
		e.Remember("one", "two\nthree")
		for range rapid.IntRange(1, 30).Draw(t, "keys") {
			if rapid.Bool().Draw(t, "writes") {
				e.Insert(rapid.StringOf(rapid.RuneFrom([]rune("ab \n\t漢é👩\u200d\u0301"))).Draw(t, "text"))
			} else {
				keys[rapid.IntRange(0, len(keys)-1).Draw(t, "key")](&e)
			}
			v := e.View(11, 4)
			wide := slices.ContainsFunc(v.Rows, func(row string) bool { return ansi.StringWidth(row) > 11 })
			if wide || len(v.Rows) > 4 || v.X > 11 || v.Y < 0 || v.Y >= len(v.Rows) {
				t.Fatalf("%q: got %+v, %v; want wide false, at most 4 Rows, X at most 11, Y at least 0, Y less than %d", e.at(), v, wide, len(v.Rows))
			}
		}
	})
}

func TestCLI156EarlierLinesAreBounded(t *testing.T) {
	var e Editor
	for i := range PastMax + 50 {
		e.Remember(fmt.Sprint(i))
	}
	e.Remember("last", "last", " ")
	for range PastMax + 50 {
		e.Up(40)
	}
	if e.Text() != "51" || len(e.past.lines) != PastMax {
		t.Errorf("%q of %d", e.Text(), len(e.past.lines))
	}
}
