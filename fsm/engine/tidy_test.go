package engine_test

import (
	"errors"
	"math"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
)

const age = 800

// tidied calls Tidy until nothing is left to drop.
func tidied(t *testing.T, e *engine.Engine, now fsm.Millis, r engine.Retention) (sum engine.Trimmed) {
	t.Helper()
	for {
		dropped, err := e.Tidy(now, r)
		if err != nil {
			t.Fatal(err)
		}
		if dropped == (engine.Trimmed{}) {
			return sum
		}
		sum = sum.And(dropped)
	}
}

func snapshotOf(t *testing.T, j engine.Journal) uint64 {
	t.Helper()
	index, _, err := j.Snapshot(math.MaxUint64)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// A snapshot is saved in order to trim if nothing is active and the records after the last one
// are an eighth of the age old, or too large.
func TestJRN13ASnapshotIsSavedToTrim(t *testing.T) {
	boot := fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}
	for _, test := range []struct {
		name   string
		inputs []fsm.Input
		now    fsm.Millis
		keep   engine.Retention
		want   uint64
	}{
		{"nothing is old", idle(1), 101, engine.Retention{Age: age}, 0},
		{"the first is old", idle(1), 102, engine.Retention{Age: age}, 2},
		{"a handle is active", []fsm.Input{{At: 10, Fact: ask("a")}}, 5000, engine.Retention{Age: age, Bytes: 1}, 0},
		{"not too much", idle(1), 5000, engine.Retention{Bytes: 1 << 30}, 0},
		{"too much", idle(1), 2, engine.Retention{Bytes: 1}, 2},
		{"no bound", idle(1), 1 << 40, engine.Retention{}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newJournal()
			e, _ := start(t, j)
			saved := 0
			e.Saved = func() { saved++ }
			turn(t, e, boot)
			turn(t, e, test.inputs...)
			tidied(t, e, test.now, test.keep)
			if got := snapshotOf(t, j); got != test.want || saved != min(int(test.want), 1) {
				t.Errorf("the snapshot is at %d, %d were reported; want it at %d", got, saved, test.want)
			}
		})
	}
}

// If a handle is active, the snapshot is saved once none is.
func TestJRN13ASnapshotToTrimWaitsForRest(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	inputs := answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	turn(t, e, inputs[:3]...)
	tidied(t, e, 5000, engine.Retention{Age: age})
	for _, in := range inputs[3:] {
		if at := snapshotOf(t, j); at != 0 {
			t.Fatalf("a snapshot at %d while the handle is active", at)
		}
		turn(t, e, in)
	}
	turn(t, e, idle(1)...)
	if at := snapshotOf(t, j); at != uint64(len(inputs)) {
		t.Errorf("the snapshot is at %d; want the end of the handle, %d", at, len(inputs))
	}
}

// Records, requests and audit of a process that ended long ago are dropped before the next one
// boots. Its state comes from the snapshot (JRN-20).
func TestJRN20WhatIsOldGoesBeforeTheBoot(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	for _, in := range session() {
		turn(t, e, in)
	}
	last, state := e.Last(), e.Machine().Snapshot()
	e, _ = start(t, j)
	dropped := tidied(t, e, 50+age+1, engine.Retention{Age: age})
	if dropped.Records != int(last) || dropped.Requests != 2 || dropped.Audit == 0 {
		t.Errorf("dropped %+v, of %d records", dropped, last)
	}
	if kept, err := j.Kept(); err != nil || kept.First != last+1 || kept.Bytes != 0 {
		t.Errorf("%+v, %v is kept after record %d", kept, err, last)
	}
	e, _ = start(t, j)
	if got := e.Machine().Snapshot(); got.Hash() != state.Hash() || e.Last() != last {
		t.Errorf("the state differs after record %d; want that after %d", e.Last(), last)
	}
	turn(t, e, fsm.Input{At: 900, Fact: fsm.Boot{Config: config()}})
	a, err := e.Accept(10, ask("a"))
	if err != nil || !a.New {
		t.Errorf("an id that was forgotten: %+v, %v; want a new request", a, err)
	}
}

// An unanswered request and everything that it needs are kept, however old they are.
func TestJRN20WhatIsUnfinishedStays(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	e, _ = start(t, j)
	if dropped := tidied(t, e, 1<<40, engine.Retention{Age: age}); dropped.Records != 2 || dropped.Requests != 0 {
		t.Errorf("%+v was dropped; want the records alone", dropped)
	}
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1 << 40, Fact: fsm.Boot{Config: config()}})
	a, err := e.Accept(10, ask("a"))
	if err != nil || a.New || a.Request.Done {
		t.Errorf("the request is %+v, %v; want the one that waits", a, err)
	}
	if !asks(w.effects) {
		t.Errorf("the request is not continued: %+v", w.effects)
	}
}

func asks(effects []fsm.Effect) bool {
	for _, e := range effects {
		if ask, ok := e.(fsm.AskBrain); ok && ask.Handle > 0 {
			return true
		}
	}
	return false
}

// Before the boot a snapshot would hide the divergence that the boot must report (JRN-6).
func TestJRN6NoSnapshotHidesWhatDiverges(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	j.Records()[1].Effects++
	e, _ = start(t, j)
	tidied(t, e, 1<<40, engine.Retention{Age: age})
	if at := snapshotOf(t, j); at != 0 || len(e.Doubts()) != 1 {
		t.Errorf("a snapshot at %d, %d doubts; want none and one", at, len(e.Doubts()))
	}
}

// untrimmable is a journal with a damaged old record.
type untrimmable struct {
	*engine.MemoryJournal
	err error
}

func (j untrimmable) Trim(engine.Keep) (engine.Trimmed, error) { return engine.Trimmed{}, j.err }

func TestTidyingThatFailsLeavesTheEngineAlive(t *testing.T) {
	j := untrimmable{engine.NewMemoryJournal(), errors.New("a record is damaged")}
	e, err := engine.Open(j, &world{protocol: &protocol{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Tidy(1, engine.Retention{Age: age}); !errors.Is(err, j.err) || e.Err() != nil {
		t.Errorf("Tidy: %v, the engine: %v; want the journal's error, and none", err, e.Err())
	}
}
