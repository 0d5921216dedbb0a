package store_test

import (
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// If the process runs out of descriptors at any one operation, the store waits, and nothing fails
// (CFG-15).
func TestCFG15WantOfADescriptorFailsNoStore(t *testing.T) {
	exhaustive.Test(t)
	for _, class := range []opClass{
		{"create", []errorfs.OpKind{errorfs.OpCreate, errorfs.OpReuseForWrite}},
		{"open", []errorfs.OpKind{errorfs.OpOpen, errorfs.OpOpenDir, errorfs.OpList}},
	} {
		t.Run(class.name, func(t *testing.T) {
			t.Parallel()
			counter := &atOp{class: class}
			var a acknowledged
			must(t, work(store.Options{FS: errorfs.Wrap(vfs.NewCrashableMem(), counter)}, &a))
			total := counter.count.Load()
			if total < 10 {
				t.Fatalf("only %d operations", total)
			}
			for at := int64(1); at <= total; at++ {
				fs := vfs.NewCrashableMem()
				var a acknowledged
				short := &atOp{class: class, at: at, do: func() error { return syscall.EMFILE }}
				if err := work(store.Options{FS: errorfs.Wrap(fs, short)}, &a); err != nil {
					t.Errorf("%s %d: got %v; want no error", class.name, at, err)
				}
				if err := checkWork(fs, a.records.Load(), a.snapshot.Load(), a.trimmed.Load()); err != nil {
					t.Errorf("%s %d: got %v; want no error", class.name, at, err)
				}
			}
			t.Logf("%d operations, each short of a descriptor once", total)
		})
	}
}
