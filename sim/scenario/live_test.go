package scenario

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario/casetest"
	"shelly/sim/scenario/judge"
)

// SCN-29: what only a script can promise, and what only a live case can ask for.
func TestSCN29WhatALiveCaseCannotHave(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"a misspelt word", "brain: live", "brain: liv", "f.scenario.yaml:3:8: brain: unknown word liv; did you mean live?, or give a list of what the model says"},
		{"a map", "brain: live", "brain: {says: x}", "brain: wants a list, found a map"},
		{"runs of a script", "brain: live", "brain: []\nrepeat: 2", "repeat: is for brain: live; a script is the same each time"},
		{"passes of a script", "brain: live", "brain: []\npass: 1", "pass: is for brain: live"},
		{"a script's model", "brain: live", "brain: []\nmodel: m", "model: is for brain: live; a script needs no model"},
		{"too many runs", "brain: live", "brain: live\nrepeat: 1001", "repeat: is 1001; the most is 1000"},
		{"no run", "brain: live", "brain: live\nrepeat: 0", "repeat: wants a number of at least 1, not 0"},
		{"more than all", "brain: live", "brain: live\nrepeat: 2\npass: 3", "f.scenario.yaml:5:1: pass: wants 3 of 2 runs; give repeat as many runs, or want fewer"},
		{"more than one", "brain: live", "brain: live\npass: 3", "pass: wants 3 of 1 run;"},
		{"every crash", "brain: live", "brain: live\nfaults: {crash: {at: $every}}", "faults.crash: with at: $every holds runs against one another"},
		{"strict", "brain: live", "brain: live\nstrict: true", "strict: is for scripts"},
		{"a golden", "ends: serving", "golden: [replies]", "expect.golden: holds the case to the letter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Live, test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v; want %q", err, test.want)
			}
		})
	}
}

func liveFile(t *testing.T, more string) *File {
	t.Helper()
	f, err := Parse("f.scenario.yaml", []byte(casetest.Live+more))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// SCN-29, SCN-30, SCN-40: a case that needs more than there is is skipped, not passed.
func TestSCN29WithoutAModelACaseIsSkipped(t *testing.T) {
	o := liveFile(t, "").Run(sim.Options{})
	if o.OK() || o.Err != nil || o.Skipped != "brain: live asks a model for real: run it with --on runtime" {
		t.Errorf("a live case: %+v", o)
	}
	f, err := Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Live, "brain: live", "brain: []\ntools: real", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if o := f.Run(sim.Options{}); o.OK() || o.Err != nil || !strings.HasPrefix(o.Skipped, "tools: real needs") {
		t.Errorf("a case with real tools: %+v", o)
	}
}

// SCN-51: enough runs must hold; of those that did not the first is reported.
func TestSCN29SoManyRunsMustHold(t *testing.T) {
	good := Outcome{Steps: 1}
	bad := func(what string) Outcome { return Outcome{Steps: 2, Failures: []judge.Failure{{Text: what}}} }
	lost := Outcome{Err: errors.New("lost")}
	for _, test := range []struct {
		name, more string
		runs       []Outcome
		want       []string
		held       int
	}{
		{"one that holds", "", []Outcome{good}, nil, 1},
		{"one that does not", "", []Outcome{bad("a")}, []string{"a"}, 0},
		{"all must", "repeat: 2\n", []Outcome{good, bad("a")}, []string{"held 1 of 2, wants 2; shown is run 2, the first that did not hold", "a"}, 1},
		{"enough", "repeat: 3\npass: 2\n", []Outcome{good, bad("a"), good}, nil, 2},
		{"too few", "repeat: 3\npass: 2\n", []Outcome{bad("a"), good, bad("b")}, []string{"held 1 of 3, wants 2; shown is run 1, the first that did not hold", "a"}, 1},
	} {
		out := liveFile(t, test.more).Held(test.runs)
		var got []string
		for _, f := range out.Failures {
			got = append(got, f.Text)
		}
		if !slices.Equal(got, test.want) || out.Live == nil || out.Live.Held != test.held || out.Live.Runs != len(test.runs) {
			t.Errorf("%s: got %q, %+v; want %q, not nil, Held %d, Runs %d", test.name, got, out.Live, test.want, test.held, len(test.runs))
		}
		if len(test.runs) > 1 && len(got) > 0 && out.Failures[0].Pos.Line < 6 {
			t.Errorf("%s: told at %+v", test.name, out.Failures[0].Pos)
		}
	}
	if out := liveFile(t, "repeat: 2\npass: 1\n").Held([]Outcome{good, lost}); out.Err == nil {
		t.Error("a run that could not be played counts as one that was")
	}
	if out := liveFile(t, "repeat: 2\npass: 1\n").Held([]Outcome{bad("a"), {Skipped: "the server has gone"}}); out.Skipped == "" || out.Failures != nil {
		t.Errorf("got %+v; want a case that is skipped where one of its runs is", out)
	}
}

// SCN-10: the command that reproduces a live case's failure asks a model.
func TestSCN29TheCommandAsksAModel(t *testing.T) {
	if got := judge.Again(liveFile(t, "").File); got != "shelly test f.scenario.yaml:1 --on runtime" {
		t.Errorf("got %q; want %q", got, "shelly test f.scenario.yaml:1 --on runtime")
	}
}
