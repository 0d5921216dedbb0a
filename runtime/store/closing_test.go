package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// muchBytes is more than stays in a log when a store is closed.
const muchBytes = 1280 << 10

// manyEntries and fewEntries divide it: each is written into the table by itself.
const manyEntries, fewEntries = 80, 10

// writeMuch writes muchBytes of noise, divided into so many entries, and three records, durably.
func writeMuch(t *testing.T, s *store.Store, entries int) {
	t.Helper()
	writeNoise(t, s, muchBytes, entries)
}

// writeNoise writes so many bytes of noise, likewise.
func writeNoise(t *testing.T, s *store.Store, noise, entries int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range entries {
		e := fsm.Entry{ID: fmt.Sprint("h", i), Vector: make([]byte, noise/entries), Model: "m"}
		for k := range e.Vector {
			e.Vector[k] = byte(r.Uint32())
		}
		must(t, s.PutEntry(e))
	}
	appendRecords(t, s, 1, 3, true)
}

// wantMuch fails t unless everything that writeMuch wrote is there.
func wantMuch(t *testing.T, fs vfs.FS, entries int) {
	t.Helper()
	wantSound(t, fs, 3)
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	count := 0
	err := s.Entries(func(fsm.Entry) error {
		count++
		return nil
	})
	if count != entries || err != nil {
		t.Errorf("%d entries, %v", count, err)
	}
}

// logBytes returns how many bytes are in a store's logs.
func logBytes(t *testing.T, fs vfs.FS) (bytes int) {
	t.Helper()
	for name, text := range files(t, fs) {
		if strings.HasSuffix(name, ".log") {
			bytes += len(text)
		}
	}
	return bytes
}

// A store that is closed leaves little in logs, and loses nothing.
func TestJRN36AClosedStoreHasShortLogs(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	writeMuch(t, s, manyEntries)
	if before := logBytes(t, fs); before <= 128<<10 {
		t.Fatalf("the logs have %d bytes", before)
	}
	end(t, &s)
	if after := logBytes(t, fs); after > 4<<10 {
		t.Errorf("the logs of the closed store have %d bytes", after)
	}
	for _, percent := range []int{0, 100} {
		wantMuch(t, survive(percent)(fs), manyEntries)
	}
}

// Logs of little more than 128 KiB are long, too.
func TestJRN36AClosedStoreHasNoLogOf160KiB(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	writeNoise(t, s, 160<<10, 10)
	if before := logBytes(t, fs); before <= 160<<10 {
		t.Fatalf("the logs have %d bytes", before)
	}
	end(t, &s)
	if after := logBytes(t, fs); after > 4<<10 {
		t.Errorf("the logs of the closed store have %d bytes", after)
	}
}

// Wherever a crash comes while a store is closed, nothing is lost (JRN-36).
func TestJRN36ACrashOfACloseLosesNothing(t *testing.T) {
	exhaustive.Test(t)
	for _, percent := range []int{0, 100} {
		fs := vfs.NewCrashableMem()
		closing, crashes := false, 0
		var mu sync.Mutex
		all := opClass{name: "all"}
		for _, class := range changing() {
			all.kinds = append(all.kinds, class.kinds...)
		}
		s := open(t, dir, store.Options{FS: errorfs.Wrap(fs, &atOp{class: all, do: func() error {
			mu.Lock()
			defer mu.Unlock()
			if closing {
				crashes++
				// The store may be closing in a goroutine of its own, which a failure must not end.
				t.Run(fmt.Sprintf("%d %% before operation %d", percent, crashes), func(t *testing.T) { wantMuch(t, survive(percent)(fs), fewEntries) })
			}
			return nil
		}})})
		writeMuch(t, s, fewEntries)
		mu.Lock()
		closing = true
		mu.Unlock()
		end(t, &s)
		if crashes < 10 {
			t.Errorf("%d crashes", crashes)
		}
	}
}

// Whichever operation of a close fails, the next opening finds everything (JRN-36).
func TestJRN36AnErrorOfACloseLosesNothing(t *testing.T) {
	exhaustive.Test(t)
	for _, class := range changing() {
		for at, more := int64(1), true; more; at++ {
			fs := vfs.NewCrashableMem()
			fault := &atOp{class: class, at: at}
			s := open(t, dir, store.Options{FS: errorfs.Wrap(fs, fault)})
			writeMuch(t, s, fewEntries)
			fault.at += fault.count.Load()
			fault.do = func() error { return errorfs.ErrInjected }
			if err := s.Close(); err != nil && !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("%s %d: %v; want the injected error", class.name, at, err)
			}
			more = fault.count.Load() >= fault.at
			wantMuch(t, survive(0)(fs), fewEntries)
		}
	}
}

// largeTable makes a closed store with a table too large to be summed as a whole, and returns the
// table's name.
func largeTable(t *testing.T, fs vfs.FS) (name string) {
	t.Helper()
	s := open(t, dir, store.Options{FS: fs})
	writeMuch(t, s, manyEntries)
	end(t, &s)
	for n, text := range files(t, fs) {
		if strings.HasSuffix(n, ".sst") && len(text) > 128<<10 {
			return n
		}
	}
	t.Fatal("there is no large table")
	return ""
}

// A store that was closed is opened without the usual checks, but what they look at is still
// covered: a flipped bit anywhere at the end of a table, from which the rest is read, is found
// before anything is changed (JRN-31).
func TestJRN31AFlippedBitAtTheEndOfATableRefusesAClosedStore(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewMem()
	name := largeTable(t, fs)
	size := len(files(t, fs)[name])
	r := rand.New(rand.NewPCG(2, 2))
	for range 120 {
		at, bit := size-1-r.IntN(1500), r.IntN(8)
		flipBit(t, fs, name, int64(at), bit)
		if s, err := store.OpenReadOnly(dir, store.Options{FS: fs}); err == nil {
			must(t, s.Close())
			t.Errorf("bit %d of byte %d of %d: it opens to be read", bit, at, size)
		} else {
			wantLost(t, fs, fmt.Sprintf("bit %d of byte %d of %d", bit, at, size), name)
		}
		flipBit(t, fs, name, int64(at), bit)
	}
	wantSound(t, fs, 3)
}

// A store that was killed knows the ends of its tables from its last close: they are compared with
// that, and any flipped bit is found as well, even after a rest and another kill (JRN-31).
func TestJRN31AKilledStoreKnowsTheEndsOfItsTables(t *testing.T) {
	made := vfs.NewCrashableMem()
	name := largeTable(t, made)
	killed := made
	for _, rests := range []bool{false, true} {
		s := open(t, dir, store.Options{FS: killed})
		if rests {
			appendRecords(t, s, 4, 5, true)
			must(t, s.Rest())
		}
		next := clone(killed)
		end(t, &s)
		killed = next
		again := clone(killed)
		s = open(t, dir, store.Options{FS: again})
		if n := s.TablesKnown(); n == 0 {
			t.Errorf("rest %v: no table is known", rests)
		}
		end(t, &s)
		size, r := len(files(t, killed)[name]), rand.New(rand.NewPCG(4, 4))
		for range 30 {
			at, bit := size-1-r.IntN(1500), r.IntN(8)
			flipBit(t, killed, name, int64(at), bit)
			wantLost(t, killed, fmt.Sprintf("rest %v: bit %d of byte %d of %d", rests, bit, at, size), name)
			flipBit(t, killed, name, int64(at), bit)
		}
	}
	wantSound(t, killed, 5)
}
