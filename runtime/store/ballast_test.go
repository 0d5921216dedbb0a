package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm/engine"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// The reserve, the ballast and the ballast's file in these tests.
const (
	reserveBytes = 1000
	ballastBytes = 500
	ballastFile  = dir + "/ballast"
)

// crowded is a file system in memory that is full from the write with the given number on, counted
// from 1, while the ballast exists; with always, even without it. With number 0 it is never full.
type crowded struct {
	vfs.FS
	mem    *vfs.MemFS
	from   atomic.Int64
	always atomic.Bool
	writes atomic.Int64
}

func newCrowded(mem *vfs.MemFS) *crowded {
	c := &crowded{mem: mem}
	c.FS = errorfs.Wrap(mem, c)
	c.free(1 << 20)
	return c
}

func (c *crowded) String() string { return "full" }

// MaybeError implements errorfs.Injector.
func (c *crowded) MaybeError(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpRename, errorfs.OpReuseForWrite, errorfs.OpFileWrite, errorfs.OpFileWriteAt:
	default:
		return nil
	}
	n, from := c.writes.Add(1), c.from.Load()
	if from == 0 || n < from {
		return nil
	}
	if _, err := c.mem.Stat(ballastFile); err == nil || c.always.Load() {
		return &fs.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
	}
	return nil
}

func (c *crowded) free(bytes uint64) {
	c.mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: bytes, TotalBytes: 1 << 30})
}

func (c *crowded) options() store.Options {
	return store.Options{FS: c, ReserveBytes: reserveBytes, BallastBytes: ballastBytes}
}

// wantBallast fails t unless the ballast is there, or is not.
func wantBallast(t *testing.T, mem vfs.FS, want bool) {
	t.Helper()
	if _, err := mem.Stat(ballastFile); (err == nil) != want {
		t.Errorf("the ballast: %v; want it there: %v", err, want)
	}
}

// opened is an open store with its ballast made.
func opened(t *testing.T, c *crowded) *store.Store {
	t.Helper()
	s := open(t, dir, c.options())
	must(t, s.Space())
	wantBallast(t, c.mem, true)
	return s
}

// The write that finds the disk full takes the ballast's space and succeeds, and the store reports
// that there is no space until there is room for another ballast (corpus/faults f032).
func TestJRN23AFullDiskTakesTheBallast(t *testing.T) {
	c := newCrowded(vfs.NewMem())
	s := opened(t, c)
	defer end(t, &s)
	for round := uint64(1); round <= 2; round++ {
		c.free(0)
		c.from.Store(1)
		appendRecords(t, s, 2*round-1, 2*round, true)
		wantBallast(t, c.mem, false)
		c.from.Store(0)
		c.free(reserveBytes + ballastBytes - 1)
		if err := s.Space(); !errors.Is(err, engine.ErrNoSpace) {
			t.Errorf("Space without room for the ballast: %v; want ErrNoSpace", err)
		}
		c.free(reserveBytes + ballastBytes)
		if err := s.Space(); err != nil {
			t.Errorf("Space with room for the ballast: %v", err)
		}
		wantBallast(t, c.mem, true)
	}
}

// Whichever write finds the disk full first, every write succeeds.
func TestJRN23WhicheverWriteFindsTheDiskFull(t *testing.T) {
	exhaustive.Test(t)
	t.Parallel()
	counter := newCrowded(vfs.NewMem())
	if _, err := syncing(counter); err != nil {
		t.Fatal(err)
	}
	total := counter.writes.Load()
	if total < 20 {
		t.Fatalf("only %d writes: the run does not reach what it should", total)
	}
	met := int64(0)
	for at := int64(1); at <= total; at++ {
		c := newCrowded(vfs.NewMem())
		leaveBallast(t, c.mem)
		c.from.Store(at)
		if last, err := syncingWith(c.options()); err != nil || last != 8 {
			t.Errorf("write %d: %d records, %v", at, last, err)
		}
		if _, err := c.mem.Stat(ballastFile); err != nil {
			met++
		}
	}
	if met < total*9/10 { // how writes to the log are combined differs from run to run
		t.Errorf("of %d writes %d met a full disk", total, met)
	}
	t.Logf("a full disk at each of %d writes", met)
}

// leaveBallast makes a ballast as an earlier process has left it.
func leaveBallast(t *testing.T, mem *vfs.MemFS) {
	t.Helper()
	must(t, mem.MkdirAll(dir, 0o700))
	f, err := mem.Create(ballastFile, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	must(t, f.Close())
}

// A store opens on a full disk with the ballast that an earlier process left.
func TestJRN23AFullDiskIsOpenedWithTheBallast(t *testing.T) {
	c := newCrowded(vfs.NewMem())
	s := opened(t, c)
	appendRecords(t, s, 1, 2, true)
	end(t, &s)
	c.writes.Store(0)
	c.from.Store(1)
	c.free(0)
	s = open(t, dir, c.options())
	defer end(t, &s)
	wantRecords(t, s, 2)
	wantBallast(t, c.mem, false)
	if err := s.Space(); !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("Space: %v; want ErrNoSpace", err)
	}
}

// A full disk with no ballast left is fatal; so is one that only a sync finds full, because a sync
// must not be tried again (JRN-11).
func TestJRN11AFullDiskWithoutBallastIsFatal(t *testing.T) {
	t.Run("write", func(t *testing.T) {
		c := newCrowded(vfs.NewMem())
		s := opened(t, c)
		c.always.Store(true)
		c.from.Store(1)
		wantFull(t, s)
		wantBallast(t, c.mem, false)
	})
	t.Run("sync", func(t *testing.T) {
		c := newCrowded(vfs.NewMem())
		syncs := &errorfs.Toggle{Injector: &faults{at: 1, err: syscall.ENOSPC}}
		o := c.options()
		o.FS = errorfs.Wrap(c, syncs)
		s := open(t, dir, o)
		must(t, s.Space())
		syncs.On()
		wantFull(t, s)
		wantBallast(t, c.mem, false)
	})
}

// wantFull fails t unless an append fails permanently for lack of space.
func wantFull(t *testing.T, s *store.Store) {
	t.Helper()
	err := s.Append(engine.Batch{Records: []engine.Record{record(1)}}, true)
	if !errors.Is(err, engine.ErrNoSpace) || s.Err() == nil {
		t.Errorf("Append: %v; want ErrNoSpace, and the store failed", err)
	}
}

// No ballast is made if it would take from the reserve, or if the file system cannot reserve space.
func TestJRN23WhereThereIsNoBallast(t *testing.T) {
	c := newCrowded(vfs.NewMem())
	c.free(reserveBytes + ballastBytes - 1)
	s := open(t, dir, c.options())
	defer end(t, &s)
	if err := s.Space(); err != nil {
		t.Errorf("Space above the reserve: %v", err)
	}
	wantBallast(t, c.mem, false)

	unable := newCrowded(vfs.NewMem())
	o := unable.options()
	o.FS = errorfs.Wrap(unable, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFilePreallocate && op.Path == ballastFile {
			return syscall.EOPNOTSUPP
		}
		return nil
	}))
	other := open(t, dir, o)
	defer end(t, &other)
	if err := other.Space(); err != nil {
		t.Errorf("Space without a ballast: %v", err)
	}
	wantBallast(t, unable.mem, false)
}

// On a disk the ballast has blocks of its own, also in a copy of the folder, in which it has none
// at first.
func TestJRN23TheBallastTakesSpace(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "store")
	file := filepath.Join(folder, "ballast")
	for _, which := range []string{"the first", "a copy"} {
		s := open(t, folder, store.Options{BallastBytes: 1 << 20})
		must(t, s.Space())
		end(t, &s)
		info, err := os.Stat(file)
		if err != nil {
			t.Skipf("there is none: %v", err)
		}
		if blocks := info.Sys().(*syscall.Stat_t).Blocks; blocks*512 < 1<<20 {
			t.Errorf("%s has %d blocks of 512 bytes; want 1 MiB of them", which, blocks)
		}
		must(t, os.WriteFile(file, nil, 0o600)) // as cp makes it
	}
}
