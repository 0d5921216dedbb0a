package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/state"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// logOf returns the name of the last log of a store.
func logOf(t *testing.T, fs vfs.FS) (name string) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasSuffix(n, ".log") && n > name {
			name = n
		}
	}
	return name
}

// replaceFile replaces the content of a file; nil removes it.
func replaceFile(t *testing.T, fs vfs.FS, name string, text []byte) {
	t.Helper()
	path := fs.PathJoin(dir, name)
	if text == nil {
		must(t, fs.Remove(path))
		return
	}
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(text)
	}
	must(t, errors.Join(err, f.Close()))
}

// clone copies a file system as it would be left by a process that is killed.
func clone(fs *vfs.MemFS) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
}

// wantLost fails t unless opening the store is refused, read-only and for writing, with these
// words, and leaves the store as it is.
func wantLost(t *testing.T, fs vfs.FS, what, words string) {
	t.Helper()
	before := files(t, fs)
	for verb, open := range map[string]func(string, store.Options) (*store.Store, error){"read": store.OpenReadOnly, "write": store.Open} {
		s, err := open(dir, store.Options{FS: fs})
		if err == nil {
			t.Errorf("%s: it opens to %s: %v", what, verb, s.Close())
			return
		}
		if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: to %s: %v; want ErrCorrupt and %q", what, verb, err, words)
		}
	}
	after := files(t, fs)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s: %s was changed", what, name)
		}
	}
}

// What was synced is not lost silently: if the last log is cut short or removed after an orderly
// end, the error names the file and the lost records.
func TestJRN31ALogThatIsCutIsNotTakenForTheEnd(t *testing.T) {
	made := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: made})
	appendRecords(t, s, 1, 40, true)
	end(t, &s)
	log := logOf(t, made)
	text := files(t, made)[log]
	for size := 300; size < len(text); size += 97 {
		fs := clone(made)
		replaceFile(t, fs, log, []byte(text[:size]))
		wantLost(t, fs, fmt.Sprintf("cut to %d of %d bytes", size, len(text)), fmt.Sprintf("%s has %d bytes but had %d", log, size, len(text)))
		if size < len(text)/2 {
			wantLost(t, fs, "cut to the half", "to 40 are lost")
		}
	}
	fs := clone(made)
	replaceFile(t, fs, log, []byte{})
	wantLost(t, fs, "emptied", log+" has 0 bytes but had")
	wantLost(t, fs, "emptied", "records 1 to 40 are lost")
	replaceFile(t, fs, log, nil)
	wantLost(t, fs, "removed", log+" is missing; the journal ends with record 0, and record 40 was durable: records 1 to 40 are lost")
}

// A process that is killed leaves an anchor that may lag: what is missing up to it is reported, and
// what comes after it may be what a crash cut short.
func TestJRN31AKilledProcessLeavesAnAnchorThatMayLag(t *testing.T) {
	for name, anchor := range map[string]func(*store.Store) error{
		"a snapshot": func(s *store.Store) error { return s.SaveSnapshot(15, state.Snapshot{Lifecycle: state.Serving}) },
		"rest":       func(s *store.Store) error { return s.Rest() },
	} {
		t.Run(name, func(t *testing.T) {
			made := vfs.NewCrashableMem()
			s := open(t, dir, store.Options{FS: made})
			defer end(t, &s)
			appendRecords(t, s, 1, 20, true)
			kept := len(files(t, made)[logOf(t, made)])
			must(t, anchor(s))
			appendRecords(t, s, 21, 40, true)
			killed := clone(made)
			log := logOf(t, killed)
			text := files(t, killed)[log]
			for size := 500; size < len(text); size += 331 {
				fs := clone(killed)
				replaceFile(t, fs, log, []byte(text[:size]))
				if size < kept-100 {
					wantLost(t, fs, fmt.Sprintf("cut to %d of %d bytes", size, len(text)), "record 20 was durable: record")
				}
				if size < kept {
					continue
				}
				again, err := store.Open(dir, store.Options{FS: fs})
				if err != nil {
					t.Errorf("cut to %d of %d bytes: %v", size, len(text), err)
					continue
				}
				end(t, &again)
			}
		})
	}
}

// After an orderly end a flipped bit is found wherever it is.
func TestJRN31AnyFlippedBitOfAClosedStoreIsFound(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 1, 12, true)
	end(t, &s)
	s = open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 13, 20, true)
	end(t, &s)
	if _, err := examine(t, fs); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for name, text := range files(t, fs) {
		if name == "LOCK" || strings.HasPrefix(name, "MANIFEST-000001") {
			continue // their content is never read
		}
		for range min(len(text), 150) {
			at, bit := r.IntN(len(text)), r.IntN(8)
			flipBit(t, fs, name, int64(at), bit)
			if x, err := examine(t, fs); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("bit %d of byte %d of %s: %+v, %v; want ErrCorrupt", bit, at, name, x, err)
			}
			flipBit(t, fs, name, int64(at), bit)
		}
	}
}

// A store that was killed amid work is not taken for one that ends where a bit has flipped, in its
// first run as in a later one: its log shows what was durable. Only the last sync has nothing after
// it that shows it.
func TestJRN31AFlippedBitInTheLogOfAKilledStoreIsFound(t *testing.T) {
	made := vfs.NewCrashableMem()
	for run, first := range []uint64{1, 31} {
		s := open(t, dir, store.Options{FS: made})
		for i := first; i < first+30; i++ {
			appendRecords(t, s, i, i, true)
		}
		killed := clone(made)
		log := logOf(t, killed)
		text := files(t, killed)[log]
		r := rand.New(rand.NewPCG(7, 7))
		for range 60 {
			at, bit := r.IntN(len(text)*8/10), r.IntN(8)
			flipBit(t, killed, log, int64(at), bit)
			wantLost(t, killed, fmt.Sprintf("run %d: bit %d of byte %d of %d", run+1, bit, at, len(text)), log)
			flipBit(t, killed, log, int64(at), bit)
		}
		wantSound(t, clone(killed), first+29)
		end(t, &s)
	}
}

// An older shelly knows no anchor: what it has written since does not count as damage.
func TestJRN31AnAnchorSaysNothingOfWhatWasWrittenSince(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 1, 5, true)
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error { return db.Delete([]byte("fnone"), pebble.Sync) })
	if _, err := examine(t, fs); err != nil {
		t.Error(err)
	}
	s = open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 6, 7, true)
	end(t, &s)
	wantSound(t, fs, 7)
}

func wantSound(t *testing.T, fs vfs.FS, last uint64) {
	t.Helper()
	if _, err := examine(t, fs); err != nil {
		t.Error(err)
	}
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	wantRecords(t, s, last)
}

// A store without its anchor, or with a damaged one, is served: nothing is known to be missing.
// Afterwards it has an anchor again.
func TestJRN31AStoreWithoutItsAnchorIsServed(t *testing.T) {
	for name, text := range map[string][]byte{"none": nil, "a damaged one": []byte("00000000\n{}"), "an empty one": {}} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := open(t, dir, store.Options{FS: fs})
			appendRecords(t, s, 1, 5, true)
			end(t, &s)
			replaceFile(t, fs, "anchor", text)
			if _, err := examine(t, fs); (err == nil) != (text == nil) {
				t.Errorf("read: %v", err)
			}
			s = open(t, dir, store.Options{FS: fs})
			end(t, &s)
			wantSound(t, fs, 5)
		})
	}
}

// Whatever an options file holds, the store is served.
func TestJRN31DamagedOptionsDoNotMatter(t *testing.T) {
	for name, text := range map[string][]byte{
		"empty": {}, "cut": []byte("[Version]\n  pebble_ver"), "zeros": make([]byte, 3000), "another comparer": []byte("[Options]\n  comparer=x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := open(t, dir, store.Options{FS: fs})
			appendRecords(t, s, 1, 5, true)
			killed := clone(fs)
			end(t, &s)
			for what, fs := range map[string]*vfs.MemFS{"killed": killed, "closed": fs} {
				for file := range files(t, fs) {
					if strings.HasPrefix(file, "OPTIONS-") {
						replaceFile(t, fs, file, text)
					}
				}
				s, err := store.OpenReadOnly(dir, store.Options{FS: fs})
				if err != nil {
					t.Fatalf("%s, read only: %v", what, err)
				}
				wantRecords(t, s, 5)
				end(t, &s)
				s = open(t, dir, store.Options{FS: fs})
				end(t, &s)
				wantSound(t, fs, 5)
			}
		})
	}
}

func TestJRN31AnAnchorOfAnotherStoreIsNoticed(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	end(t, &s)
	other := files(t, fs)["anchor"]
	must(t, fs.RemoveAll(dir))
	s = open(t, dir, store.Options{FS: fs})
	end(t, &s)
	replaceFile(t, fs, "anchor", []byte(other))
	wantLost(t, fs, "another anchor", "but the file anchor belongs to the store")
}
