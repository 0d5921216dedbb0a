package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// opClass is a class of file system operations.
type opClass struct {
	name  string
	kinds []errorfs.OpKind
}

// changing returns the operations that change what is on a disk.
func changing() []opClass {
	return []opClass{
		{"write", []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileWriteAt}},
		{"sync", []errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo, errorfs.OpFileFlush}},
		{"create", []errorfs.OpKind{errorfs.OpCreate, errorfs.OpReuseForWrite, errorfs.OpMkdirAll}},
		{"open a folder", []errorfs.OpKind{errorfs.OpOpenDir}},
		{"rename", []errorfs.OpKind{errorfs.OpRename}},
		{"remove", []errorfs.OpKind{errorfs.OpRemove, errorfs.OpRemoveAll}},
		{"link", []errorfs.OpKind{errorfs.OpLink}},
	}
}

// atOp does something at the operation of a class with the given number, counted from 1, or at each
// one if the number is 0.
type atOp struct {
	class opClass
	at    int64
	do    func() error
	count atomic.Int64
}

func (f *atOp) String() string { return f.class.name }

func (f *atOp) MaybeError(op errorfs.Op) error {
	if !slices.Contains(f.class.kinds, op.Kind) {
		return nil
	}
	if n := f.count.Add(1); f.do != nil && (f.at == 0 || n == f.at) {
		return f.do()
	}
	return nil
}

// Whichever single write, sync, create, rename or remove fails, the process is not ended. A store
// reopened on what a crash right after it leaves, with all or nothing of what was not synced, has
// everything that was acknowledged, and has it whole (JRN-2, JRN-11, JRN-20, MEM-1).
func TestJRN11WhicheverOperationFailsNothingAcknowledgedIsLost(t *testing.T) {
	exhaustive.Test(t)
	for _, class := range changing() {
		t.Run(class.name, func(t *testing.T) {
			t.Parallel()
			counter := &atOp{class: class}
			var a acknowledged
			must(t, work(store.Options{FS: errorfs.Wrap(vfs.NewCrashableMem(), counter)}, &a))
			total, returned := counter.count.Load(), 0
			for at := int64(1); at <= total; at++ {
				if failAt(t, class, at) {
					returned++
				}
			}
			t.Logf("%d operations, each failed once: the error was returned %d times", total, returned)
			if (class.name == "write" || class.name == "sync") && returned < int(total)*2/3 {
				t.Errorf("%d of %d errors were returned", returned, total)
			}
		})
	}
}

// failAt is one run with an error. It reports whether the store returned it.
func failAt(t *testing.T, class opClass, at int64) (returned bool) {
	fs := vfs.NewCrashableMem()
	var a acknowledged
	err := work(store.Options{FS: errorfs.Wrap(fs, &atOp{class: class, at: at, do: func() error { return errorfs.ErrInjected }})}, &a)
	if err != nil && !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("%s %d: %v; want the injected error", class.name, at, err)
	}
	for _, percent := range []int{0, 100} {
		if err := checkWork(survive(percent)(fs), a.records.Load(), a.snapshot.Load(), a.trimmed.Load()); err != nil {
			t.Errorf("%s %d, with %d %% of what was not synced: %v", class.name, at, percent, err)
		}
	}
	return err != nil
}

// A crash may come before any operation that changes the disk, and may keep all or nothing of what
// was not synced.
func TestJRN12ACrashAtAnyOperationLosesNothingAcknowledged(t *testing.T) {
	exhaustive.Test(t)
	for _, percent := range []int{0, 100} {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			t.Parallel()
			crashes, failed := crashEverywhere(percent)
			t.Logf("%d crashes with %d %% of what was not synced", crashes, percent)
			for _, err := range failed {
				t.Error(err)
			}
		})
	}
}

// crashEverywhere runs a workload, and checks what a crash before each operation would leave.
func crashEverywhere(percent int) (crashes int, failed []error) {
	fs := vfs.NewCrashableMem()
	var a acknowledged
	var mu sync.Mutex // one crash at a time
	crash := func() error {
		mu.Lock()
		defer mu.Unlock()
		crashes++
		records, snapshot, trimmed := a.records.Load(), a.snapshot.Load(), a.trimmed.Load() // before the crash
		if err := checkWork(survive(percent)(fs), records, snapshot, trimmed); err != nil {
			failed = append(failed, fmt.Errorf("crash %d: %w", crashes, err))
		}
		return nil
	}
	all := opClass{name: "all"}
	for _, class := range changing() {
		all.kinds = append(all.kinds, class.kinds...)
	}
	if err := work(store.Options{FS: errorfs.Wrap(fs, &atOp{class: all, do: crash})}, &a); err != nil {
		failed = append(failed, err)
	}
	return crashes, failed
}
