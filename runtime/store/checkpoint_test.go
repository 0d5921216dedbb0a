package store_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// JRN-24: a checkpoint is a separate store with all that was written before it, synced or not.
func TestACheckpointHoldsWhatTheStoreHeld(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	appendRecords(t, s, 1, 3, false)
	must(t, s.Checkpoint("copy"))
	appendRecords(t, s, 4, 5, true)
	for range 2 { // reading it changes nothing
		c, err := store.OpenReadOnly("copy", store.Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		records := 0
		if err := c.Replay(0, func(engine.Record) error { records++; return nil }); err != nil || records != 3 || c.Name() != s.Name() {
			t.Errorf("%d records of %s, %v", records, c.Name(), err)
		}
		end(t, &c)
	}
}

// A full disk fails a checkpoint but not the store (JRN-24).
func TestACheckpointThatFailsLeavesTheStoreAsItWas(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpMkdirAll, errorfs.OpCreate, errorfs.OpList, errorfs.OpFileWrite, errorfs.OpFileSync} {
		full := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if strings.HasPrefix(op.Path, "copy") && op.Kind == kind {
				return syscall.ENOSPC
			}
			return nil
		})
		s := open(t, dir, store.Options{FS: errorfs.Wrap(vfs.NewMem(), full)})
		appendRecords(t, s, 1, 3, true)
		if err := s.Checkpoint("copy"); !errors.Is(err, engine.ErrNoSpace) {
			t.Errorf("%v: %v; want ErrNoSpace", kind, err)
		}
		appendRecords(t, s, 4, 5, true)
		if err := s.Err(); err != nil {
			t.Errorf("%v: the store has failed: %v", kind, err)
		}
		end(t, &s)
	}
}
