package store_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/runtime/store"
)

// openings opens a store the given number of times, each time for one entry, which the next opening
// writes into a table.
func openings(t *testing.T, fs vfs.FS, times int) {
	t.Helper()
	for n := range times {
		s := open(t, dir, store.Options{FS: fs})
		must(t, s.PutEntry(fsm.Entry{ID: "h", At: fsm.Millis(n)}))
		end(t, &s)
	}
}

// An opening that leaves overlapping tables to compact does not wait until they are compacted. That begins
// when the store is at rest, has enough written to it, or is asked to.
func TestJRN37NoOpeningWaitsForACompaction(t *testing.T) {
	for _, test := range []struct {
		name   string
		begins func(s *store.Store) error
	}{
		{"at rest", (*store.Store).Rest},
		{"much is written", func(s *store.Store) (err error) {
			noise := rand.New(rand.NewPCG(7, 7))
			for range 5 {
				e := fsm.Entry{ID: "i", Vector: make([]byte, 1<<20), Model: "m"}
				for k := range e.Vector {
					e.Vector[k] = byte(noise.Uint32())
				}
				err = errors.Join(err, s.PutEntry(e))
			}
			return err
		}},
		{"an entry is forgotten", func(s *store.Store) error { return s.ForgetEntries([]string{"h"}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			fs := vfs.NewMem()
			openings(t, fs, 10)
			s := open(t, dir, store.Options{FS: fs})
			defer end(t, &s)
			must(t, s.PutEntry(fsm.Entry{ID: "i"}))
			if n, above := s.Compactions(), s.TablesAbove(); n != 0 || above < 8 {
				t.Fatalf("%d compactions have begun, %d tables above each other; want none, and tables to compact", n, above)
			}
			must(t, test.begins(s))
			if s.Compactions() == 0 {
				t.Error("no compaction has begun")
			}
		})
	}
}

// A store that is never at rest has few levels of overlapping tables, however often it is opened.
func TestJRN37ManyOpeningsLeaveFewTables(t *testing.T) {
	fs := vfs.NewMem()
	for range 4 {
		openings(t, fs, 12)
		s := open(t, dir, store.Options{FS: fs})
		if n := s.TablesAbove(); n > 20 {
			t.Errorf("%d tables lie one above another", n)
		}
		end(t, &s)
	}
}

// Fewer overlapping tables than eight are left as they are: each compaction rewrites all that they
// overlap.
func TestJRN37FewTablesAreNotCompacted(t *testing.T) {
	fs := vfs.NewMem()
	openings(t, fs, 6)
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	must(t, s.Rest())
	if n, above := s.Compactions(), s.TablesAbove(); n != 0 || above < 4 {
		t.Errorf("%d compactions have begun, %d tables above each other; want none, and tables that could be compacted", n, above)
	}
}
