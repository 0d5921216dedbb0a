package store_test

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// reading returns the operations that recovery reads with.
func reading() opClass {
	return opClass{"read", []errorfs.OpKind{errorfs.OpFileRead, errorfs.OpFileReadAt, errorfs.OpOpen, errorfs.OpList}}
}

// recovery reads what an engine reads when it is opened.
func recovery(fs vfs.FS) (err error) {
	s, err := store.Open(dir, store.Options{FS: fs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	index, _, err := s.Snapshot(math.MaxUint64)
	if err != nil {
		return err
	}
	return s.Replay(index, func(engine.Record) error { return nil })
}

// Whichever single read fails while a store is recovered, recovery is refused and loses nothing.
// The whole journal is checked before the first write, so an error in that check leaves every file
// as it is (JRN-11).
func TestJRN11WhicheverReadFailsRecoveryIsRefusedAndNothingIsLost(t *testing.T) {
	exhaustive.Test(t)
	used := vfs.NewCrashableMem()
	var a acknowledged
	must(t, work(store.Options{FS: used}, &a))
	total, look := countReads(t, survive(100)(used))
	refused := 0
	for at := int64(1); at <= total; at++ {
		fs := survive(100)(used)
		before := files(t, fs)
		err := recovery(errorfs.Wrap(fs, &atOp{class: reading(), at: at, do: func() error { return errorfs.ErrInjected }}))
		if err == nil {
			continue // recovery does not depend on this read
		}
		refused++
		if !errors.Is(err, errorfs.ErrInjected) {
			t.Errorf("read %d: %v; want the injected error", at, err)
		}
		if at <= look { // after later ones the store may still remove files that it no longer needs
			if diff := cmp.Diff(before, files(t, fs)); diff != "" {
				t.Errorf("read %d: what was there (-before +after)\n%s", at, diff)
			}
		}
		if err := checkWork(survive(100)(fs), rounds, 6, true); err != nil {
			t.Errorf("read %d, and then none: %v", at, err)
		}
	}
	t.Logf("%d reads, %d of them before the first write, each failed once: %d times recovery was refused", total, look, refused)
	if refused < int(total)*2/3 || look < 10 {
		t.Errorf("of %d errors %d were noticed; %d reads come before the first write", total, refused, look)
	}
}

// countReads counts the reads of a recovery, in all and before it first makes a file.
func countReads(t *testing.T, fs vfs.FS) (total, look int64) {
	t.Helper()
	reads := &atOp{class: reading()}
	creates := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && fs.PathBase(op.Path) != "LOCK" && look == 0 {
			look = reads.count.Load()
		}
		return nil
	})
	must(t, recovery(errorfs.Wrap(errorfs.Wrap(fs, reads), creates)))
	return reads.count.Load(), look
}

// files returns the content of each file in the store's folder.
func files(t *testing.T, fs vfs.FS) map[string]string {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range names {
		f, err := fs.Open(fs.PathJoin(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		must(t, errors.Join(err, f.Close()))
		found[name] = string(text)
	}
	return found
}
