package store_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

func TestAReadOnlyStoreShowsAllAndChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, store.Options{})
	appendRecords(t, s, 1, 3, true)
	end(t, &s)
	before := contents(t, dir)
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir, store.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("beside it: %v", err)
	}
	if err := s.Space(); err != nil {
		t.Errorf("space: %v", err)
	}
	kept, err := s.Kept()
	if want := (engine.Kept{First: 1, Last: 3, Bytes: kept.Bytes}); err != nil || !cmp.Equal(kept, want) {
		t.Errorf("%+v, want %+v, %v", kept, want, err)
	}
	records := 0
	if err := s.Replay(0, func(engine.Record) error { records++; return nil }); err != nil || records != 3 {
		t.Errorf("%d records, %v", records, err)
	}
	end(t, &s)
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

func TestAReadOnlyOpeningRefusesWhatItCannotRead(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if _, err := store.OpenReadOnly(none, store.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := os.Stat(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	if _, err := store.OpenReadOnly(t.TempDir(), store.Options{}); !errors.Is(err, store.ErrNone) {
		t.Errorf("an empty folder: got %v; want %v", err, store.ErrNone)
	}
	for format, want := range map[uint32]error{2: store.ErrOlderFormat, store.Format + 1: store.ErrNewerFormat} {
		dir := filepath.Join(t.TempDir(), "store")
		s := open(t, dir, store.Options{})
		end(t, &s)
		edit(t, nil, dir, func(db *pebble.DB) error {
			return db.Set([]byte("Mformat"), binary.BigEndian.AppendUint32(nil, format), pebble.Sync)
		})
		if _, err := store.OpenReadOnly(dir, store.Options{}); !errors.Is(err, want) {
			t.Errorf("format %d: %v, want %v", format, err, want)
		}
	}
}
