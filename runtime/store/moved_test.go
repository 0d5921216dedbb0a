//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
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
		"a synced record with a text": func(s *store.Store) error {
			long := record(4)
			long.Input.Fact = fsm.ToolAnswered{Text: strings.Repeat("word ", 1000)}
			return s.Append(engine.Batch{Records: []engine.Record{long}}, true)
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
					kept := uint64(3)
					if name == "a record and a sync" { // what was not synced may have been written all the same
						kept = max(kept, last(t, left))
					}
					wantRecords(t, left, kept)
					end(t, &left)
				}
			})
		}
	}
}

// last returns the index of a store's last record.
func last(t *testing.T, s *store.Store) (index uint64) {
	t.Helper()
	must(t, s.Replay(0, func(r engine.Record) error {
		index = r.Index
		return nil
	}))
	return index
}

// CFG-8: so does each change of a name that is not a write of the store's own.
func TestCFG8NothingIsNamedInTheFolderOfAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, store.Options{})
	must(t, os.Rename(dir, dir+".bak"))
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("theirs"), 0o600))
	before := contents(t, dir)
	disk, a, b := s.Disk(), filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for name, change := range map[string]func() error{ // order-free: each for itself
		"Create":        func() error { _, err := disk.Create(a, vfs.WriteCategoryUnspecified); return err },
		"OpenReadWrite": func() error { _, err := disk.OpenReadWrite(b, vfs.WriteCategoryUnspecified); return err },
		"ReuseForWrite": func() error { _, err := disk.ReuseForWrite(a, b, vfs.WriteCategoryUnspecified); return err },
		"Link":          func() error { return disk.Link(a, b) },
		"Rename":        func() error { return disk.Rename(a, b) },
		"Remove":        func() error { return disk.Remove(a) },
		"RemoveAll":     func() error { return disk.RemoveAll(a) },
		"MkdirAll":      func() error { return disk.MkdirAll(b, 0o700) },
	} {
		if err := change(); !errors.Is(err, store.ErrMoved) {
			t.Errorf("%s: %v; want ErrMoved", name, err)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Fatalf("%s has changed it: (-before +after)\n%s", name, diff)
		}
	}
}

// CFG-8: a store asks for space before it accepts something. If the folder is gone, so that nobody can
// tell how much is free, that does not keep what is accepted from being written, and failing.
func TestCFG8ALackOfTheFolderIsFoundByTheWriteAndNotTheLookForSpace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, store.Options{})
	appendRecords(t, s, 1, 3, true)
	must(t, os.Rename(dir, dir+".bak"))
	if err := s.Space(); err != nil {
		t.Errorf("the space of a folder that has gone: %v; want nil", err)
	}
	if err := s.Append(engine.Batch{Records: []engine.Record{record(4)}}, true); !errors.Is(err, store.ErrMoved) {
		t.Errorf("got %v; want ErrMoved", err)
	}
	_ = s.Close() // it has failed
}
