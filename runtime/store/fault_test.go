package store_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// faults fails the sync with the given number, counted from 1, and every later one. With number 0
// it fails none.
type faults struct {
	at    int64
	err   error
	syncs atomic.Int64
}

func (f *faults) String() string { return "sync" }

func (f *faults) MaybeError(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		if n := f.syncs.Add(1); f.at > 0 && n >= f.at {
			return f.err
		}
	}
	return nil
}

// syncing runs every kind of write, with more data than a memtable holds, so that meanwhile logs
// are switched and tables are written. It returns how many records were acknowledged as synced, and
// what failed.
func syncing(fs vfs.FS) (acknowledged uint64, err error) {
	return syncingWith(store.Options{FS: fs})
}

func syncingWith(o store.Options) (acknowledged uint64, err error) {
	s, err := store.Open(dir, o)
	if err != nil {
		return 0, err
	}
	ballast := strings.Repeat("x", 300<<10)
	for index := uint64(1); index <= 8; index++ {
		if err := s.PutEntry(fsm.Entry{ID: "h1", Text: ballast}); err != nil {
			return acknowledged, err
		}
		if err := s.Append(engine.Batch{Records: []engine.Record{record(index)}}, index%2 == 0); err != nil {
			return acknowledged, err
		}
		if index%2 == 0 {
			acknowledged = index
		}
	}
	if err := s.SaveSnapshot(8, state.Snapshot{}); err != nil {
		return acknowledged, err
	}
	return acknowledged, s.Close()
}

// Whichever sync fails first, the write that needed it returns the error, the process is not ended,
// and a store reopened on what the disk kept holds every record that was acknowledged.
func TestJRN11AFailedSyncIsReturnedAndLosesNothingAcknowledged(t *testing.T) {
	exhaustive.Test(t)
	counter := &faults{}
	if _, err := syncing(errorfs.Wrap(vfs.NewCrashableMem(), counter)); err != nil {
		t.Fatal(err)
	}
	total := counter.syncs.Load()
	if total < 10 {
		t.Fatalf("only %d syncs: the run does not reach what it should", total)
	}
	failed := 0
	for at := int64(1); at <= total; at++ {
		fs := vfs.NewCrashableMem()
		acknowledged, err := syncing(errorfs.Wrap(fs, &faults{at: at, err: errorfs.ErrInjected}))
		if err != nil {
			failed++
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("sync %d: %v; want the injected error", at, err)
			}
		}
		s := open(t, dir, store.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		last := uint64(0)
		if err := s.Replay(0, func(r engine.Record) error { last = r.Index; return nil }); err != nil {
			t.Errorf("sync %d: Replay: %v", at, err)
		}
		if last < acknowledged {
			t.Errorf("sync %d: record %d was acknowledged, only %d are there", at, acknowledged, last)
		}
		end(t, &s)
	}
	if failed < int(total)/2 {
		t.Errorf("%d of %d failed syncs were noticed", failed, total)
	}
}

func TestAFullDiskIsErrNoSpace(t *testing.T) {
	fs := vfs.NewMem()
	toggle := &errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite {
			return syscall.ENOSPC
		}
		return nil
	})}
	s := open(t, dir, store.Options{FS: errorfs.Wrap(fs, toggle)})
	appendRecords(t, s, 1, 1, true)
	toggle.On()
	err := s.Append(engine.Batch{Records: []engine.Record{record(2)}}, true)
	if !errors.Is(err, engine.ErrNoSpace) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Append: %v; want ErrNoSpace with the folder's name", err)
	}
	if !errors.Is(err, engine.ErrDead) {
		t.Errorf("Append: %v; want an ErrDead: it is not known that nothing has happened", err)
	}
}

// After a failed write nothing more is written, even if the disk has recovered: it is unknown what
// the log holds.
func TestJRN11AFailureIsFinal(t *testing.T) {
	fs := vfs.NewCrashableMem()
	toggle := &errorfs.Toggle{Injector: &faults{at: 1, err: errorfs.ErrInjected}}
	s := open(t, dir, store.Options{FS: errorfs.Wrap(fs, toggle)})
	appendRecords(t, s, 1, 2, true)
	select {
	case <-s.Failed():
		t.Fatal("the store has failed already")
	default:
	}
	toggle.On()
	first := s.Append(engine.Batch{Records: []engine.Record{record(3)}}, true)
	if !errors.Is(first, errorfs.ErrInjected) {
		t.Fatalf("Append: %v; want the injected error", first)
	}
	toggle.Off()
	<-s.Failed()
	for name, err := range map[string]error{
		"Append":       s.Append(engine.Batch{Records: []engine.Record{record(3)}}, true),
		"PutEntry":     s.PutEntry(fsm.Entry{ID: "h1"}),
		"SaveSnapshot": s.SaveSnapshot(2, state.Snapshot{}),
		"Replay":       s.Replay(0, func(engine.Record) error { return nil }),
		"Err":          s.Err(),
		"Close":        s.Close(),
	} {
		if !errors.Is(err, errorfs.ErrInjected) {
			t.Errorf("%s: %v; want the first failure", name, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, percent := range []int{0, 100} {
		s := open(t, dir, store.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})})
		last := uint64(0)
		if err := s.Replay(0, func(r engine.Record) error { last = r.Index; return nil }); err != nil || last < 2 {
			t.Errorf("with %d %% of the unsynced data: %d records, error %v; want at least 2", percent, last, err)
		}
		end(t, &s)
	}
}

// A record that does not follow the last one is a mistake of the caller's that must not reach the
// disk.
func TestAppendRefusesAGap(t *testing.T) {
	for _, index := range []uint64{0, 1, 3} {
		fs := vfs.NewCrashableMem()
		s := open(t, dir, store.Options{FS: fs})
		appendRecords(t, s, 1, 1, true)
		if err := s.Append(engine.Batch{Records: []engine.Record{record(index)}}, true); err == nil {
			t.Errorf("record %d was appended after record 1", index)
		}
		s = open(t, dir, store.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		wantRecords(t, s, 1)
		end(t, &s)
	}
}

func TestMEM2EntriesAreKeptByID(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	want := map[string]fsm.Entry{
		"h1":  {ID: "h1", Kind: fsm.KindUser, Session: "s", At: 5, Summary: "new", Text: "磁盘", Vector: []byte{1, 2, 3, 4}, Model: "m"},
		"h10": {ID: "h10", Summary: "ten"},
		"":    {Summary: "no id"},
	}
	must(t, s.PutEntry(fsm.Entry{ID: "h1", Summary: "old"}))
	for _, e := range want {
		must(t, s.PutEntry(e))
	}
	end(t, &s)
	s = open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	got := map[string]fsm.Entry{}
	must(t, s.Entries(func(e fsm.Entry) error { got[e.ID] = e; return nil }))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	stop := errors.New("enough")
	if err := s.Entries(func(fsm.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Entries: %v; want what its function returned", err)
	}
}

// An entry needs no sync of its own: the next synced append carries it.
func TestMEM1ASyncedAppendMakesTheEntriesBeforeItDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	must(t, s.PutEntry(fsm.Entry{ID: "h1", Summary: "kept"}))
	appendRecords(t, s, 1, 1, true)
	must(t, s.PutEntry(fsm.Entry{ID: "h2", Summary: "lost"}))
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	var ids []string
	must(t, s.Entries(func(e fsm.Entry) error { ids = append(ids, e.ID); return nil }))
	if diff := cmp.Diff([]string{"h1"}, ids); diff != "" {
		t.Errorf("entries after a crash (-want +got):\n%s", diff)
	}
}
