package datafolder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

// used makes a data folder with records in a table and in the log.
func used(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	for index := uint64(1); index <= 4; index += 2 {
		s, err := datafolder.Open(data, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		records := []engine.Record{
			{Index: index, Input: fsm.Input{At: 1, Fact: fsm.TimerFired{Timer: 1}}},
			{Index: index + 1, Input: fsm.Input{At: 2, Fact: fsm.TimerFired{Timer: 2}}},
		}
		must(t, errors.Join(s.Append(engine.Batch{Records: records}, true), s.Close()))
	}
	return data
}

// contents returns the content of each file in a folder, at any depth.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// remove removes what matches a pattern in the store's folder, and fails t if nothing does.
func remove(t *testing.T, data, pattern string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(datafolder.Store(data), pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: got %q, %v; want some of them", pattern, names, err)
	}
	for _, name := range names {
		must(t, os.RemoveAll(name))
	}
}

// Whatever is missing from a store, no new one is made in its place, and no opening, for writing or
// reading, changes anything there.
func TestJRN29AStoreThatWasThereIsNeverStartedOver(t *testing.T) {
	for name, test := range map[string]struct {
		gone []string
		says string
	}{
		"the manifest's marker": {[]string{"marker.manifest.*"}, "marker.manifest.* is missing beside"},
		"the version's marker":  {[]string{"marker.format-version.*"}, "marker.format-version.* is missing beside"},
		"all empty files":       {[]string{"marker.*", "LOCK"}, "marker.manifest.* and marker.format-version.* are missing beside"},
		"the manifests":         {[]string{"MANIFEST-*"}, "MANIFEST-000008 is missing beside"},
		"the tables":            {[]string{"*.sst"}, "a file is missing: 000005.sst"},
		"the log":               {[]string{"*.log"}, "the log (*.log) is missing beside"},
		"all but the tables":    {[]string{"marker.*", "MANIFEST-*", "OPTIONS-*", "*.log"}, "missing beside"},
		"all files":             {[]string{"*"}, "nothing is left of the store, and "},
		"the folder":            {[]string{"../store"}, "nothing is left of the store, and "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := used(t)
			for _, pattern := range test.gone {
				remove(t, data, pattern)
			}
			before := contents(t, data)
			for verb, open := range map[string]func(string, store.Options) (*store.Store, error){
				"read": datafolder.OpenReadOnly, "write": datafolder.Open,
			} {
				s, err := open(data, store.Options{})
				if err == nil {
					t.Fatalf("to %s: it opens: %v", verb, s.Close())
				}
				if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("to %s: %v; want ErrCorrupt and %q", verb, err, test.says)
				}
				if diff := cmp.Diff(before, contents(t, data)); diff != "" {
					t.Errorf("to %s: the folder has changed (-before +after)\n%s", verb, diff)
				}
			}
		})
	}
}

// A folder made by an older shelly has no identity.json: there a token beside an empty store folder
// shows that there was a store. A token alone may have been put there for a first start.
func TestJRN29ATokenBesideAnEmptyStoreShowsThatOneWasThere(t *testing.T) {
	data := t.TempDir()
	must(t, os.WriteFile(filepath.Join(data, "token"), []byte("secret"), 0o600))
	if err := datafolder.Check(data); !errors.Is(err, datafolder.ErrNone) {
		t.Errorf("a token alone: %v; want ErrNone", err)
	}
	must(t, os.Mkdir(datafolder.Store(data), 0o700))
	if err := datafolder.Check(data); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "token shows that there was one") {
		t.Errorf("a token beside an empty store: %v", err)
	}
}

func TestJRN29AFirstStartIsNotDamage(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	if _, err := datafolder.OpenReadOnly(data, store.Options{}); !errors.Is(err, datafolder.ErrNone) {
		t.Errorf("to read: %v; want ErrNone", err)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	s, err := datafolder.Open(data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	if err := datafolder.Check(data); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A crash may leave a database to which nothing was written yet.
func TestJRN29AnInterruptedFirstStartIsNotDamage(t *testing.T) {
	data := t.TempDir()
	db, err := pebble.Open(datafolder.Store(data), &pebble.Options{})
	must(t, err)
	must(t, db.Close())
	if _, err := datafolder.OpenReadOnly(data, store.Options{}); !errors.Is(err, datafolder.ErrNone) {
		t.Errorf("to read: got %v; want %v", err, datafolder.ErrNone)
	}
}

func TestJRN15AFolderOfANewerLayoutIsRefused(t *testing.T) {
	data := used(t)
	must(t, os.WriteFile(filepath.Join(data, "identity.json"), []byte(`{"format":2,"later":{}}`), 0o600))
	remove(t, data, "../store")
	if _, err := datafolder.Open(data, store.Options{}); !errors.Is(err, store.ErrNewerFormat) {
		t.Errorf("%v; want ErrNewerFormat", err)
	}
}

// A journal in which newer code decided is refused before a file is changed, also after a crash.
func TestJRN15AJournalOfALaterEditionIsRefusedAndLeftUntouched(t *testing.T) {
	later := fsm.Config{Edition: fsm.PresentEdition + 1}
	for name, write := range map[string]func(*store.Store) error{ // order-free: each has its own folder
		"a boot": func(s *store.Store) error {
			return s.Append(engine.Batch{Records: []engine.Record{{Index: 5, Input: fsm.Input{At: 5, Fact: fsm.Boot{Config: later}}}}}, true)
		},
		"a reload": func(s *store.Store) error {
			return s.Append(engine.Batch{Records: []engine.Record{{Index: 5, Input: fsm.Input{At: 5, Fact: fsm.Configured{Config: later}}}}}, true)
		},
		"a snapshot": func(s *store.Store) error { return s.SaveSnapshot(4, state.Snapshot{Config: later}) },
	} {
		for _, closed := range []bool{true, false} {
			data := used(t)
			s, err := datafolder.Open(data, store.Options{})
			must(t, err)
			must(t, errors.Join(write(s), s.Close()))
			if !closed {
				remove(t, data, "anchor") // nothing says how it was closed
			}
			before := contents(t, data)
			_, err = datafolder.Open(data, store.Options{})
			if !errors.Is(err, engine.ErrNewer) || !strings.Contains(err.Error(), data) {
				t.Errorf("%s, closed: %t: %v; want ErrNewer with the folder's name", name, closed, err)
			}
			if diff := cmp.Diff(before, contents(t, data)); diff != "" {
				t.Errorf("%s, closed: %t: the folder has changed (-before +after):\n%s", name, closed, diff)
			}
			r, err := datafolder.OpenReadOnly(data, store.Options{})
			must(t, err) // the lock was given back
			must(t, r.Close())
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
