package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// kept returns what a store holds of sessions, by id.
func kept(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := s.Sessions(func(id string, body []byte) error {
		found[id] = []string{string(body)}
		return s.Archived(id, 0, 100, func(number uint64, part []byte) error {
			found[id] = append(found[id], fmt.Sprintf("%d %s", number, part))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, s *store.Store, id, body string, parts ...string) {
	t.Helper()
	var archived [][]byte
	for _, part := range parts {
		archived = append(archived, []byte(part))
	}
	must(t, s.PutSession(id, []byte(body), archived))
}

// Sessions are replaced, archives grow, and no two of either get mixed up.
func TestSES16ASessionIsPutWithItsArchive(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	put(t, s, "a", "1", "x", "y")
	put(t, s, "ab", "2", "z")
	put(t, s, "", "3")
	put(t, s, "a", "4", "w")
	end(t, &s)
	s = open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	put(t, s, "a", "5", "v")
	want := map[string][]string{"": {"3"}, "a": {"5", "1 x", "2 y", "3 w", "4 v"}, "ab": {"2", "1 z"}}
	if diff := cmp.Diff(want, kept(t, s)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	if body, err := s.Session("b"); body != nil || err != nil {
		t.Errorf("a session that is not there: %q, %v", body, err)
	}
	var some []uint64
	err := s.Archived("a", 1, 2, func(number uint64, _ []byte) error { some = append(some, number); return nil })
	if diff := cmp.Diff([]uint64{2, 3}, some); diff != "" || err != nil {
		t.Errorf("two parts after the first (-want +got), error %v:\n%s", err, diff)
	}
	stop := errors.New("stop")
	if err := s.Archived("a", 0, 9, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Archived: %v; want what its function returned", err)
	}
}

// A session needs no sync of its own, and is either whole or absent.
func TestASyncedAppendMakesTheSessionsBeforeItDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	put(t, s, "a", "kept", "x")
	appendRecords(t, s, 1, 1, true)
	put(t, s, "a", "lost", "y")
	must(t, s.Append(engine.Batch{Records: []engine.Record{record(2)}}, false))
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	wantRecords(t, s, 1)
	if diff := cmp.Diff(map[string][]string{"a": {"kept", "1 x"}}, kept(t, s)); diff != "" {
		t.Errorf("sessions after a crash (-want +got):\n%s", diff)
	}
}

// Numbers of parts that were dropped from an archive are not used again, even if no part is left
// (SES-19).
func TestSES19DroppedPartsLeaveTheirNumbers(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	put(t, s, "a", "1", "x", "y", "z")
	put(t, s, "ab", "2", "w")
	put(t, s, "none", "3")
	drop := func(id string, upTo uint64) {
		t.Helper()
		must(t, s.DropArchived(id, upTo))
	}
	drop("a", 2)
	drop("ab", 9)
	drop("none", 9)
	drop("a", 0)
	must(t, s.Append(engine.Batch{}, true))
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	want := map[string][]string{"a": {"1", "3 z"}, "ab": {"2"}, "none": {"3"}}
	if diff := cmp.Diff(want, kept(t, s)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	put(t, s, "a", "4", "v")
	put(t, s, "ab", "5", "u")
	drop("a", 1) // already gone
	drop("a", 4)
	drop("a", 2)
	put(t, s, "a", "6", "t")
	want = map[string][]string{"a": {"6", "5 t"}, "ab": {"5", "2 u"}, "none": {"3"}}
	if diff := cmp.Diff(want, kept(t, s)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	var ids []string
	err := s.Archives(func(id string) error { ids = append(ids, id); return nil })
	if diff := cmp.Diff([]string{"a", "ab"}, ids); diff != "" || err != nil {
		t.Errorf("archives, error %v (-want +got):\n%s", err, diff)
	}
	stop := errors.New("stop")
	if err := s.Archives(func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Archives: %v; want what its function returned", err)
	}
}
