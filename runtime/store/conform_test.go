package store_test

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"shelly/fsm/engine"
	"shelly/fsm/engine/journaltest"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

func TestJRN16ConformsOnDisk(t *testing.T) {
	exhaustive.Test(t)
	t.Parallel()
	journaltest.Conform(t, &diskHarness{root: t.TempDir()})
}

// This one the race detector watches.
func TestJRN16KeepsEachPromiseInMemory(t *testing.T) {
	t.Parallel()
	journaltest.Promises(t, &memoryHarness{fresh: vfs.NewMem})
}

func TestJRN16AnyHistoryConformsInMemory(t *testing.T) {
	exhaustive.Test(t)
	t.Parallel()
	journaltest.Histories(t, &memoryHarness{fresh: vfs.NewMem})
}

// The crash keeps nothing that was not synced.
func TestJRN16ConformsWhenACrashLosesTheTail(t *testing.T) {
	exhaustive.Test(t)
	t.Parallel()
	journaltest.Conform(t, &memoryHarness{fresh: vfs.NewCrashableMem, crash: survive(0)})
}

// The crash keeps everything that had reached the file system, synced or not.
func TestJRN16ConformsWhenACrashKeepsTheTail(t *testing.T) {
	exhaustive.Test(t)
	t.Parallel()
	journaltest.Conform(t, &memoryHarness{fresh: vfs.NewCrashableMem, crash: survive(100)})
}

// survive keeps the given percentage of the unsynced data. Only 0 and 100 give the same result
// every time.
func survive(percent int) func(*vfs.MemFS) *vfs.MemFS {
	return func(fs *vfs.MemFS) *vfs.MemFS {
		return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, 2))})
	}
}

const dir = "data/store"

// memoryHarness keeps stores on file systems in memory. A file system forgets nothing unless it
// crashes itself; otherwise a crash is just a restart.
type memoryHarness struct {
	fresh func() *vfs.MemFS
	crash func(*vfs.MemFS) *vfs.MemFS
	fs    *vfs.MemFS
	store *store.Store
}

func (h *memoryHarness) Create(t rapid.TB) engine.Journal {
	h.end(t)
	h.fs = h.fresh()
	return h.open(t)
}

func (h *memoryHarness) Reopen(t rapid.TB) engine.Journal {
	h.end(t)
	return h.open(t)
}

func (h *memoryHarness) Crash(t rapid.TB) engine.Journal {
	if h.crash == nil {
		return h.Reopen(t)
	}
	after := h.crash(h.fs)
	h.end(t)
	h.fs = after
	return h.open(t)
}

func (h *memoryHarness) open(t rapid.TB) engine.Journal {
	h.store = open(t, dir, store.Options{FS: h.fs})
	return h.store
}

func (h *memoryHarness) end(t rapid.TB) { end(t, &h.store) }

// diskHarness keeps stores on disk, where a crash is just a restart: a killed process has its own
// test.
type diskHarness struct {
	root  string
	count int
	store *store.Store
}

func (h *diskHarness) Create(t rapid.TB) engine.Journal {
	h.count++
	return h.Reopen(t)
}

func (h *diskHarness) Reopen(t rapid.TB) engine.Journal {
	end(t, &h.store)
	h.store = open(t, filepath.Join(h.root, strconv.Itoa(h.count)), store.Options{})
	return h.store
}

func (h *diskHarness) Crash(t rapid.TB) engine.Journal { return h.Reopen(t) }

// open opens a store or fails t.
func open(t rapid.TB, dir string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// end closes the store that s points to, if any.
func end(t rapid.TB, s **store.Store) {
	t.Helper()
	if *s == nil {
		return
	}
	if err := (*s).Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	*s = nil
}
