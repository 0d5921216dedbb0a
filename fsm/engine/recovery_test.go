package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// If an engine is stopped between any two turns, the recovered one is in the same state, and
// continues as the first would have.
func TestJRN5RecoveryIsTheUninterruptedFold(t *testing.T) {
	inputs := session()
	whole, all := start(t, newJournal())
	turn(t, whole, inputs...)
	for cut := range len(inputs) {
		j := newJournal()
		before, performed := start(t, j)
		for _, in := range inputs[:cut] {
			turn(t, before, in)
		}
		after, world := start(t, j)
		if len(world.effects) != 0 {
			t.Errorf("cut %d: recovery performed %d effects", cut, len(world.effects))
		}
		if diff := cmp.Diff(before.Machine().Snapshot(), after.Machine().Snapshot()); diff != "" {
			t.Errorf("cut %d: state (-before +after):\n%s", cut, diff)
		}
		if after.Last() != uint64(cut) || len(after.Divergences()) != 0 {
			t.Errorf("cut %d: last record %d, divergences %v", cut, after.Last(), after.Divergences())
		}
		turn(t, after, inputs[cut:]...)
		if diff := cmp.Diff(all.effects, append(performed.effects, world.effects...)); diff != "" {
			t.Errorf("cut %d: effects (-uninterrupted +cut):\n%s", cut, diff)
		}
	}
}

func TestJRN6ADivergenceIsReportedAndRecoveryGoesOn(t *testing.T) {
	inputs := session()
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, inputs[:len(inputs)-1]...) // without the end, whose snapshot would leave nothing to replay
	records := j.Records()
	want := engine.Divergence{Index: 4, Want: records[3].Effects + 1, Got: records[3].Effects, Handle: 1}
	records[3].Effects++

	recovered, _ := start(t, j)
	if diff := cmp.Diff([]engine.Divergence{want}, recovered.Divergences()); diff != "" {
		t.Errorf("divergences (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(e.Machine().Snapshot(), recovered.Machine().Snapshot()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
}

func TestJRN1AGapInTheJournalIsAnError(t *testing.T) {
	for name, indexes := range map[string][]uint64{
		"gap": {1, 3}, "twice": {1, 1}, "late": {2}, "backwards": {1, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal()
			for _, index := range indexes {
				err := j.MemoryJournal.Append(engine.Batch{Records: []engine.Record{
					{Index: index, Input: fsm.Input{Fact: fsm.TimerFired{}}, Effects: fsm.HashEffects(nil)},
				}}, true)
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := engine.Open(j, &world{protocol: j.protocol}); err == nil || !strings.Contains(err.Error(), "record") {
				t.Errorf("Open: %v; want an error that names the record", err)
			}
		})
	}
}

// unreadable is a journal whose reads fail.
type unreadable struct {
	*engine.MemoryJournal
	snapshot, replay, request error
}

func (j unreadable) Snapshot(uint64) (uint64, state.Snapshot, error) {
	return 0, state.Snapshot{}, j.snapshot
}

func (j unreadable) Replay(uint64, func(engine.Record) error) error { return j.replay }

func (j unreadable) Request(fsm.RequestKey) (engine.Request, bool, error) {
	return engine.Request{}, false, j.request
}

// JRN-15: a journal by which a later edition of the machine decided is refused, wherever it says so.
func TestJRN15AJournalOfALaterEditionIsRefused(t *testing.T) {
	config := profile.Shelly()
	for edition, want := range map[int]error{fsm.PresentEdition: nil, fsm.PresentEdition + 1: engine.ErrNewer} { // order-free: each has its own journals
		config.Edition = edition
		for name, in := range map[string]fsm.Fact{"boot": fsm.Boot{Config: config}, "reload": fsm.Configured{Config: config}} { // order-free
			j := engine.NewMemoryJournal()
			must(t, j.Append(engine.Batch{Records: []engine.Record{{Index: 1, Input: fsm.Input{At: 1, Fact: in}}}}, true))
			_, err := engine.Recover(j)
			if known := engine.Known(j); !errors.Is(err, want) || !errors.Is(known, want) {
				t.Errorf("edition %d, a %s: %v, and without stepping: %v", edition, name, err, known)
			}
		}
		j := engine.NewMemoryJournal()
		must(t, j.SaveSnapshot(1, state.Snapshot{Config: config}))
		_, err := engine.Recover(j)
		if known := engine.Known(j); !errors.Is(err, want) || !errors.Is(known, want) {
			t.Errorf("edition %d, a snapshot: %v, and without stepping: %v", edition, err, known)
		}
	}
}

func TestAJournalThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, j := range map[string]unreadable{
		"snapshot": {MemoryJournal: engine.NewMemoryJournal(), snapshot: broken},
		"replay":   {MemoryJournal: engine.NewMemoryJournal(), replay: broken},
	} {
		if _, err := engine.Open(j, &world{protocol: &protocol{}}); !errors.Is(err, broken) {
			t.Errorf("Open with a broken %s: %v; want its error", name, err)
		}
	}
	j := unreadable{MemoryJournal: engine.NewMemoryJournal(), request: broken}
	e, err := engine.Open(j, &world{protocol: &protocol{}})
	if err != nil {
		t.Fatal(err)
	}
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	if _, err := e.Accept(10, ask("a")); !errors.Is(err, broken) || len(j.Records()) != 1 {
		t.Errorf("Accept: %v after %d records; want the journal's error and no write", err, len(j.Records()))
	}
}

// idle returns n inputs that change nothing but a counter.
func idle(n int) []fsm.Input {
	inputs := make([]fsm.Input, n)
	for i := range inputs {
		inputs[i] = fsm.Input{At: 60, Fact: fsm.TimerFired{Timer: 1 << 40}}
	}
	return inputs
}

func TestJRN13ASnapshotIsSavedAtRest(t *testing.T) {
	for _, test := range []struct {
		name   string
		inputs []fsm.Input
		want   uint64
	}{
		{"one record short", append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}}, idle(engine.SnapshotEvery-2)...), 0},
		{"due", append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}}, idle(engine.SnapshotEvery-1)...), engine.SnapshotEvery},
		{"due while a handle is active", append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}, {At: 10, Fact: ask("a")}}, idle(engine.SnapshotEvery)...), 0},
		{"never at rest, one record short", append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}, {At: 10, Fact: ask("a")}}, idle(engine.SnapshotLate-3)...), 0},
		{"never at rest", append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}, {At: 10, Fact: ask("a")}}, idle(engine.SnapshotLate-2)...), engine.SnapshotLate},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newJournal()
			e, _ := start(t, j)
			for _, in := range test.inputs {
				turn(t, e, in)
			}
			index, s, err := j.Snapshot(math.MaxUint64)
			if err != nil || index != test.want {
				t.Fatalf("snapshot at %d, error %v; want %d", index, err, test.want)
			}
			if index == 0 {
				return
			}
			if diff := cmp.Diff(e.Machine().Snapshot(), s); diff != "" {
				t.Errorf("snapshot (-state +saved):\n%s", diff)
			}
		})
	}
}

func TestJRN13AStartAfterAnOrderlyEndReplaysNothing(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	inputs := session()
	turn(t, e, inputs[:len(inputs)-1]...)
	if at, _, _ := j.Snapshot(math.MaxUint64); at != 0 {
		t.Fatalf("a snapshot at %d, before the end", at)
	}
	turn(t, e, inputs[len(inputs)-1])
	recovered, _ := start(t, j)
	if at, _, _ := j.Snapshot(math.MaxUint64); at != e.Last() || recovered.Last() != at {
		t.Errorf("the machine ended at %d, the snapshot is at %d, recovery at %d", e.Last(), at, recovered.Last())
	}
	if diff := cmp.Diff(e.Machine().Snapshot(), recovered.Machine().Snapshot()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
}

func TestJRN13RecoveryBeginsAtTheSnapshot(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	for _, in := range session() {
		turn(t, e, in)
	}
	for _, in := range idle(2 * engine.SnapshotEvery) {
		turn(t, e, in)
	}
	ended := uint64(len(session()))
	index, _, err := j.Snapshot(math.MaxUint64)
	if err != nil || index != ended+2*engine.SnapshotEvery {
		t.Fatalf("snapshot at %d, error %v; want the second one since the end, at %d", index, err, ended+2*engine.SnapshotEvery)
	}
	j.replayed = nil
	recovered, _ := start(t, j)
	if diff := cmp.Diff([]uint64{index}, j.replayed); diff != "" {
		t.Errorf("replayed after (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(e.Machine().Snapshot(), recovered.Machine().Snapshot()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
	if recovered.Last() != e.Last() {
		t.Errorf("last record %d; want %d", recovered.Last(), e.Last())
	}
	for recovered.Last() < ended+3*engine.SnapshotEvery {
		if at, _, _ := j.Snapshot(math.MaxUint64); at != index {
			t.Fatalf("record %d: a snapshot at %d; want the next one at %d", recovered.Last(), at, ended+3*engine.SnapshotEvery)
		}
		turn(t, recovered, idle(1)...)
	}
	if at, _, _ := j.Snapshot(math.MaxUint64); at != ended+3*engine.SnapshotEvery {
		t.Errorf("the next snapshot is at %d; want %d", at, ended+3*engine.SnapshotEvery)
	}
}

// brokenSnapshots is a journal that cannot save a snapshot.
type brokenSnapshots struct {
	*engine.MemoryJournal
	err error
}

func (j brokenSnapshots) SaveSnapshot(uint64, state.Snapshot) error { return j.err }

func TestJRN11ASnapshotThatCannotBeSavedEndsTheEngine(t *testing.T) {
	j := brokenSnapshots{engine.NewMemoryJournal(), errors.New("the disk is gone")}
	e, err := engine.Open(j, &world{protocol: &protocol{}})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Turn(append([]fsm.Input{{At: 1, Fact: fsm.Boot{Config: config()}}}, idle(engine.SnapshotEvery)...)...)
	if !errors.Is(err, engine.ErrDead) || !errors.Is(err, j.err) {
		t.Errorf("Turn: %v; want ErrDead and the journal's error", err)
	}
}
