package sim

import (
	"slices"
	"testing"

	"shelly/fsm"
)

// SIM-5: a process that dies in its very first boot is started again, though
// nothing is due.
func TestACrashInTheFirstBootIsFollowedByARestart(t *testing.T) {
	const restartAfter = 5 * fsm.Second
	for n, point := range []Point{BeforeAppend, AfterAppend, BeforeEffect, AfterEffect} {
		p := Plan{Config: fsm.ShellyProfile(), Crashes: []Crash{{Point: point, After: restartAfter}}}
		r := play(t, p, Options{})
		ordinal := n + 1
		if len(r.Crashes) != 1 || r.Final.Lifecycle != fsm.Serving || len(r.Memory) != 1 {
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
	p := Plan{Config: fsm.ShellyProfile(), Scripts: []Script{{Purpose: fsm.PurposeAnswer}}}
	p.Config.Init = fsm.InitOff
	const events = 205 // of five records each, behind the boot: the last ends with a snapshot
	for i := range events {
		p.Scripts[0].Lines = append(p.Scripts[0].Lines, Line{Text: "noted"})
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
	m, err := Matrix(roundTrip(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range Points() {
		if !slices.Contains(m.Struck, string(point)) {
			t.Errorf("no run of the matrix met %s: %v", point, m.Struck)
		}
	}
}
