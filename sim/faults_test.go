package sim

import (
	"slices"
	"testing"

	"shelly/fsm"
)

// threeQuestions are three requests that the model answers one after the other.
func threeQuestions(faults ...Fault) Plan {
	p := roundTrip()
	p.Stubs, p.Faults, p.Timeline, p.Scripts[0].Lines = nil, faults, nil, nil
	for i, id := range []string{"a", "b", "c"} {
		p.Timeline = append(p.Timeline, Moment{At: fsm.Millis(i) * 10 * fsm.Second, Request: &fsm.Requested{Request: fsm.RequestKey{ID: id}, Text: id}})
		p.Scripts[0].Lines = append(p.Scripts[0].Lines, Line{Text: "answered", Optional: true, Takes: fsm.Second})
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

var broken = Line{Fails: fsm.BrainError, Reason: "broken"}

// SCN-24: the Nth call that the fault is meant for, of all of the run, and what was
// planned and never struck is told.
func TestSCN24AFaultHitsTheNthCall(t *testing.T) {
	const good, bad = "answered", "error: error: broken"
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
		if r.Hash != again.Hash {
			t.Fatalf("seed %d gives two traces", p.Seed)
		}
		struck += len(r.Struck)
	}
	if struck < seeds*3/4*3/4 || struck > seeds*3/4*5/4 {
		t.Errorf("%d of %d calls were struck; want about a quarter", struck, seeds*3)
	}
}

// SCN-24, SIM-6: a call that a crash has asked again meets what it met before, so that
// the crashed run has the replies of the uninterrupted one.
func TestSCN24ACallAskedAgainMeetsItsFaultAgain(t *testing.T) {
	for _, fault := range []Fault{
		{Kind: BrainFault, Nth: 2, Purpose: fsm.PurposeAnswer, Line: broken},
		{Kind: BrainFault, Chance: 400, Line: broken},
		{Kind: StoreFault, Nth: 2, Service: Service{Fails: "busy"}},
	} {
		p := threeQuestions(fault)
		for p.Seed = 1; p.Seed <= 5; p.Seed++ {
			m, err := Matrix(p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Failures {
				t.Errorf("%s, seed %d: crash at point %d (%s): %s", fault.Kind, p.Seed, f.Ordinal, f.Point, f.Text)
			}
		}
	}
}

// SIM-2: a run with faults by chance is reproduced by its tape.
func TestSIM2ATapeHoldsWhatStruck(t *testing.T) {
	p := threeQuestions(Fault{Kind: BrainFault, Chance: 500, Line: broken})
	rec := &Recorder{From: NewSeeded(3)}
	r := play(t, p, Options{Choose: rec})
	if again := play(t, p, Options{Choose: NewTape(rec.Choices)}); r.Hash != again.Hash || len(r.Struck) == 0 {
		t.Errorf("hash %x, from its tape %x; struck %v", r.Hash, again.Hash, r.Struck)
	}
}
