package sim

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim/script"
)

// threeQuestions are three requests that the model answers one after the other.
func threeQuestions(faults ...Fault) Plan {
	p := roundTrip()
	p.Stubs, p.Faults, p.Timeline, p.Scripts[0].Lines = nil, faults, nil, nil
	for i, id := range []string{"a", "b", "c"} {
		p.Timeline = append(p.Timeline, Moment{At: fsm.Millis(i) * 10 * fsm.Second, Request: &fsm.Requested{Request: fsm.RequestKey{ID: id}, Text: id}})
		p.Scripts[0].Lines = append(p.Scripts[0].Lines, script.Line{Text: "answered", Takes: fsm.Second})
	}
	return p
}

func replies(r *Result) []string {
	var list []string
	for _, q := range r.Replies() {
		list = append(list, q.Reply)
	}
	return list
}

var broken = script.Line{Fails: fsm.BrainError, Reason: "broken"}

// SCN-24: the Nth call that the fault is meant for, of all of the run, and what was
// planned and never struck is listed.
func TestSCN24AFaultHitsTheNthCall(t *testing.T) {
	const good, bad = "answered", "error: broken"
	for _, test := range []struct {
		name     string
		fault    Fault
		want     []string
		unstruck bool
	}{
		{"the second", Fault{Kind: BrainFault, Nth: 2, Purpose: fsm.PurposeAnswer}, []string{good, bad, good}, false},
		{"of its session", Fault{Kind: BrainFault, Nth: 1, Session: "no such"}, []string{good, good, good}, true},
		{"one too many", Fault{Kind: BrainFault, Nth: 4, Purpose: fsm.PurposeAnswer}, []string{good, good, good}, true},
		{"one too many, which may be", Fault{Kind: BrainFault, Nth: 4, Purpose: fsm.PurposeAnswer, Optional: true}, []string{good, good, good}, false},
		{"always", Fault{Kind: BrainFault, Chance: 1000}, []string{bad, bad, bad}, false},
		{"never", Fault{Kind: BrainFault, Chance: 0}, []string{good, good, good}, false},
		{"of a plan without a seed", Fault{Kind: BrainFault, Chance: 999}, []string{good, good, good}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.fault.Line = broken
			r := play(t, threeQuestions(test.fault), Options{})
			if got := replies(r); !slices.Equal(got, test.want) || (len(r.Unstruck) > 0) != test.unstruck {
				t.Errorf("replies %q, unstruck %v; want %q and %t", got, r.Unstruck, test.want, test.unstruck)
			}
		})
	}
}

// SCN-24: chance is the seed's, the same each time, and about as often as it says.
func TestSCN24ChanceIsTheSeeds(t *testing.T) {
	struck := 0
	const seeds = 200
	for seed := range uint64(seeds) {
		p := threeQuestions(Fault{Kind: BrainFault, Chance: 250, Purpose: fsm.PurposeAnswer, Line: broken})
		p.Seed = seed + 1
		r, again := play(t, p, Options{}), play(t, p, Options{})
		if r.Hash() != again.Hash() {
			t.Fatalf("seed %d gives two traces", p.Seed)
		}
		struck += len(r.Struck)
	}
	if struck < seeds*3/4*3/4 || struck > seeds*3/4*5/4 {
		t.Errorf("%d of %d calls were struck; want about a quarter", struck, seeds*3)
	}
}

// SIM-2: a run with faults by chance is reproduced by its tape.
func TestSIM2ATapeHoldsWhatStruck(t *testing.T) {
	p := threeQuestions(Fault{Kind: BrainFault, Chance: 500, Line: broken})
	rec := &Recorder{From: NewSeeded(3)}
	r := play(t, p, Options{Choose: rec})
	if again := play(t, p, Options{Choose: NewTape(rec.Choices)}); r.Hash() != again.Hash() || len(r.Struck) == 0 {
		t.Errorf("hash %x, from its tape %x; struck %v", r.Hash(), again.Hash(), r.Struck)
	}
}

// SCN-49, JRN-11: what each fault of the journal leaves, told by how often the tool and
// the model were called for again: the steps are boot, request, call, tool's answer, reply.
func TestSCN24WhatAFaultOfTheJournalLeaves(t *testing.T) {
	for _, test := range []struct {
		kind       FaultKind
		nth        int
		asked, ran int
	}{
		{JournalFull, 2, 2, 1},  // the request, which is sent again
		{JournalFull, 4, 2, 2},  // the tool's answer: the call stays
		{JournalFsync, 2, 2, 1}, // the request
		{JournalFsync, 3, 3, 1}, // the reply: what is a second old stays
		{JournalTorn, 1, 3, 1},  // the call
		{JournalTorn, 2, 2, 2},  // the tool's answer
	} {
		p := roundTrip()
		p.Config.Switches.Remember = "off"
		p.Stubs[0].Decl.Effects = "none"
		p.Faults = []Fault{{Kind: test.kind, Nth: test.nth, After: 5000}}
		r := play(t, p, Options{})
		if got := replies(r); len(r.Asked) != test.asked || len(r.Ran) != test.ran || !slices.Equal(got, []string{"92 % full"}) {
			t.Errorf("%s %d: the model was asked %d times, the tool ran %d times, replies %q; want %d and %d", test.kind, test.nth, len(r.Asked), len(r.Ran), got, test.asked, test.ran)
		}
		if !slices.Equal(r.Struck, []string{string(test.kind)}) || len(r.Crashes) != 1 {
			t.Errorf("%s %d: struck %v, crashes %v", test.kind, test.nth, r.Struck, r.Crashes)
		}
	}
}

// SIM-11: a journal that always fails comes to no rest, and the run says so.
func TestSIM11AJournalThatAlwaysFailsIsAnError(t *testing.T) {
	p := roundTrip()
	p.Faults = []Fault{{Kind: JournalFull, Chance: 1000}}
	if _, err := Run(p, Options{}); err == nil || !strings.Contains(err.Error(), "no rest after 1000 crashes") {
		t.Errorf("the error is %v", err)
	}
}

// SIM-5: a process that dies in its very first boot is started again, though
// nothing is due.
func TestACrashInTheFirstBootIsFollowedByARestart(t *testing.T) {
	const restartAfter = 5 * fsm.Second
	for n, point := range []Point{BeforeAppend, AfterAppend, BeforeEffect, AfterEffect} {
		p := Plan{Config: profile.Shelly(), Crashes: []Crash{{Point: point, After: restartAfter}}}
		r := play(t, p, Options{})
		ordinal := n + 1
		if len(r.Crashes) != 1 || r.Final.Lifecycle != state.Serving || len(r.Memory) != 1 {
			t.Errorf("crash at point %d: crashes %v, %s at the end, memory %v", ordinal, r.Crashes, r.Final.Lifecycle, r.Memory)
		}
		if n := len(r.Steps); n == 0 || r.Steps[n-1].At != restartAfter {
			t.Errorf("crash at point %d: %d steps; want the last at the restart, %d", ordinal, n, restartAfter)
		}
	}
}

// SIM-4: a step is named by its index in the journal, whatever was asked without
// one.
func TestACrashAfterAStepIsAfterTheStepOfThatIndex(t *testing.T) {
	p := roundTrip()
	p.Timeline = append(p.Timeline, Moment{At: 1, Again: true}) // between steps 2 and 3
	p.Crashes = []Crash{{Point: AfterStep, Nth: 3, After: fsm.Second}}
	if r := play(t, p, Options{}); len(r.Crashes) != 1 || r.Crashes[0].At != 1200 {
		t.Errorf("crashes %v; want one when the model has answered", r.Crashes)
	}
}

// MEM-1, JRN-13: a snapshot makes durable what was stored before it, with the
// record that it was.
func TestASnapshotKeepsMemoryFromTheCrash(t *testing.T) {
	p := Plan{Config: profile.Shelly(), Scripts: []script.Script{{Purpose: fsm.PurposeAnswer}}}
	p.Config.Init = fsm.InitOff
	const events = 205 // of five records each, after the boot: the last ends with a snapshot
	for i := range events {
		p.Scripts[0].Lines = append(p.Scripts[0].Lines, script.Line{Text: "noted"})
		p.Timeline = append(p.Timeline, Moment{At: fsm.Millis(i), Event: &fsm.EventRaised{Source: "disk", Event: "full"}})
	}
	p.Crashes = []Crash{{Point: AfterStep, Nth: 5*events + 1, After: fsm.Second}}
	if r := play(t, p, Options{}); len(r.Crashes) != 1 || len(r.Memory) != events {
		t.Errorf("crashes %v, %d entries; want one crash and %d entries", r.Crashes, len(r.Memory), events)
	}
}

// SIM-4: the faults that struck are named, in their order.
func TestACrashIsAFaultThatStruck(t *testing.T) {
	p := roundTrip()
	p.Crashes = []Crash{{Point: AfterStep, Nth: 2}, {Point: BeforeEffect, Effect: "run_tool"}}
	if r := play(t, p, Options{}); !slices.Equal(r.Struck, []string{"step", "effect.before"}) {
		t.Errorf("struck %v", r.Struck)
	}
}
