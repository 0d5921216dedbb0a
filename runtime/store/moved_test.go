//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// CFG-8: a store whose folder is not at its path any more acknowledges nothing, and what stands there
// now stays as it is.
func TestCFG8AStoreWhoseFolderWasMovedChangesNothingInItsPlace(t *testing.T) {
	for name, write := range map[string]func(s *store.Store) error{ // order-free: each for itself
		"a synced record": func(s *store.Store) error {
			return s.Append(engine.Batch{Records: []engine.Record{record(4)}}, true)
		},
		"a record and a sync": func(s *store.Store) error {
			return errors.Join(s.Append(engine.Batch{Records: []engine.Record{record(4)}}, false), s.Append(engine.Batch{}, true))
		},
		"a rest": (*store.Store).Rest,
		"an end": (*store.Store).Close,
	} {
		for what, take := range map[string]func(dir string) error{ // order-free: each for itself
			"moved":   func(dir string) error { return os.Rename(dir, dir+".bak") },
			"removed": os.RemoveAll,
		} {
			t.Run(name+" in one that was "+what, func(t *testing.T) {
				folder := t.TempDir()
				dir, other := filepath.Join(folder, "store"), filepath.Join(folder, "other")
				second := open(t, other, store.Options{})
				appendRecords(t, second, 1, 2, true)
				end(t, &second)
				first := open(t, dir, store.Options{})
				appendRecords(t, first, 1, 3, true)
				must(t, take(dir))
				must(t, os.Rename(other, dir))
				before := contents(t, dir)
				if err := write(first); !errors.Is(err, store.ErrMoved) || !strings.Contains(err.Error(), dir) {
					t.Errorf("got %v; want ErrMoved with the folder's name", err)
				}
				_ = first.Close() // it has failed
				if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
					t.Errorf("what stands in its place was changed: (-before +after)\n%s", diff)
				}
				if what == "moved" { // and nothing is lost
					must(t, os.CopyFS(other, os.DirFS(dir+".bak")))
					left := open(t, other, store.Options{})
					wantRecords(t, left, 3)
					end(t, &left)
				}
			})
		}
	}
}
