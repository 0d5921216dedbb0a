package offer

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
)

func twoTools() []fsm.ToolDecl {
	return []fsm.ToolDecl{
		{Name: "look", Description: "Look around.", Parameters: `{"type":"object"}`},
		{Name: "note", Description: "Note something down.", Parameters: `{"type":"object"}`},
	}
}

// A tool that takes exactly the room that is left is shown whole.
func TestTOL61WhatJustFitsIsWhole(t *testing.T) {
	all := twoTools()
	both := cost(&all[0]) + cost(&all[1])
	for room, want := range map[int]int{both: 2, both - 1: 1, cost(&all[0]): 1, 0: 0} {
		if whole, rest := split(&fsm.Config{}, all, nil, room); len(whole) != want || len(whole)+len(rest) != len(all) {
			t.Errorf("with room for %d: %d whole, %d named; want %d whole", room, len(whole), len(rest), want)
		}
	}
}

// An offer is made again after any change of shelly's own tools that a model would see.
func TestTOL60AnOfferIsOfItsTools(t *testing.T) {
	c := &fsm.Config{Limits: fsm.Limits{OfferTokens: 100}}
	before := own(c, twoTools())
	for name, change := range map[string]func(d *fsm.ToolDecl){
		"name":        func(d *fsm.ToolDecl) { d.Name = "see" },
		"description": func(d *fsm.ToolDecl) { d.Description = "Look." },
		"parameters":  func(d *fsm.ToolDecl) { d.Parameters = `{"type":"object","properties":{}}` },
	} {
		all := twoTools()
		change(&all[0])
		if own(c, all) == before {
			t.Errorf("with another %s the offer is the same", name)
		}
	}
}

// Tools that take exactly the room that there is are all whole, and this stays so.
func TestTOL60ToolsThatJustFitAreAllWhole(t *testing.T) {
	const system = "a system prompt"
	c := &fsm.Config{Words: fsm.PresentWords(), Tools: twoTools()}
	just := fsm.TextTokens(system) + tokensOf(c.Tools)
	for _, less := range []int{0, 1} {
		c.Limits.OfferTokens = just - less
		o := Build(c, fsm.AllTools, system, nil)
		if o.Made() != (less > 0) || Holds(c, fsm.AllTools, system, &fsm.Offer{}) != (less == 0) {
			t.Errorf("with %d tokens too few: %d tools are chosen; all hold: %t", less, len(o.Tools), Holds(c, fsm.AllTools, system, &fsm.Offer{}))
		}
	}
}

// Builtin tools are whole only if there is room left after shelly's others, even if they are
// declared first.
func TestTOL61BuiltinToolsComeLast(t *testing.T) {
	all := append(fsm.Builtins(fsm.ToolReadMore), twoTools()[0])
	whole, rest := split(&fsm.Config{}, all, nil, tokensOf(all)-1)
	if got := append(names(whole), names(rest)...); !slices.Equal(got, []string{"look", fsm.ToolReadMore}) || len(whole) != 1 {
		t.Errorf("%d of %q are whole", len(whole), got)
	}
}

// Each server is named once, in one order whatever order the tools are in: as it is declared or,
// without that, as the tool's name says.
func TestTOL60EachServerIsNamedOnce(t *testing.T) {
	tools := []fsm.ToolDecl{{Name: "b__x"}, {Name: "a__x"}, {Name: "look"}, {Name: "b__y"}, {Name: "x", Server: "d"}, {Name: "a__z", Server: "c"}}
	if got := servers(tools); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("got %q; want %q", got, []string{"a", "b", "c", "d"})
	}
}

// A list that takes exactly the room that there is keeps its form.
func TestTOL60AListThatJustFitsKeepsItsForm(t *testing.T) {
	w, rest := fsm.PresentWords(), twoTools()
	full := strings.Join(lines(w, rest), "\n")
	for _, less := range []int{0, 1} {
		if got := listed(w, rest, fsm.TextTokens(full)-less); (got == full) != (less == 0) {
			t.Errorf("with %d tokens too few: %q", less, got)
		}
	}
}

// Where not all lines have room, those that just fit beside the number of the others are named.
func TestTOL62LinesThatJustFitAreNamed(t *testing.T) {
	w := fsm.PresentWords()
	two := "first\nsecond\n" + w.Text(fsm.WordOfferMore, "count", "2")
	one := "first\n" + w.Text(fsm.WordOfferMore, "count", "3")
	for less, want := range []string{two, one} {
		if got := within(w, []string{"first", "second", "third of them", "fourth"}, fsm.TextTokens(two)-less); got != want {
			t.Errorf("with %d tokens too few: %q, want %q", less, got, want)
		}
	}
}

// A list has the beginning of a description: its first sentence, or as much of its first line as
// there is room for.
func TestTOL60AListHasTheBeginningOfADescription(t *testing.T) {
	long := strings.Repeat("x", lineBytesMax)
	for about, want := range map[string]string{
		"Read a file": "Read a file", " Read a file.\n": "Read a file", "Read a file. Or a folder.": "Read a file",
		"Read a file\nor a folder": "Read a file", "Read a.txt": "Read a.txt", long: long, long + "y": long + " …", "": "",
	} {
		if got := line(about); got != want {
			t.Errorf("%q begins %q, want %q", about, got, want)
		}
	}
}
