package lockstep

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm/engine"
	"shelly/sim"
)

// errSync is the error of a sync on a broken disk.
var errSync = fmt.Errorf("sync: %w", syscall.EIO)

// diskFault makes a file system fail: writes for lack of space, or syncs.
type diskFault struct{ full, broken atomic.Bool }

func (f *diskFault) mend() { f.full.Store(false); f.broken.Store(false) }

// String implements errorfs.Injector.
func (f *diskFault) String() string { return "disk" }

// MaybeError implements errorfs.Injector.
func (f *diskFault) MaybeError(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileWrite, errorfs.OpFileWriteAt:
		if f.full.Load() {
			return syscall.ENOSPC
		}
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		if f.broken.Load() {
			return errSync
		}
	}
	return nil
}

// Fail implements [sim.Journal] with the real store on a failing disk. The store buffers
// appends until it syncs, so what must survive is synced first, and the append that must fail
// is synced too.
func (j journal) Fail(fault sim.FaultKind, b engine.Batch) error {
	if fault != sim.JournalFsync {
		if err := j.live.sync(); err != nil {
			return err
		}
	}
	var want error
	switch fault {
	case sim.JournalFull:
		j.live.disk.full.Store(true)
		want = engine.ErrNoSpace
	case sim.JournalFsync:
		j.live.disk.broken.Store(true)
		want = errSync
	default:
		return j.live.tear(func() error { return j.Append(b, true) })
	}
	if err := j.Append(b, true); !errors.Is(err, want) || j.Err() == nil {
		return fmt.Errorf("an append on a disk that fails with %q failed with: %w", want, err)
	}
	return nil
}

// reserveBytes is the store's reserve. The disk has twice as much free, or one byte less than the
// reserve when it is full.
const reserveBytes = 1 << 20

// Fill implements [sim.Journal]: the real store asks its file system for the free space.
func (j journal) Fill(full bool) {
	usage := vfs.DiskUsage{AvailBytes: 2 * reserveBytes, TotalBytes: 4 * reserveBytes}
	if full {
		usage.AvailBytes = reserveBytes - 1
	}
	j.live.fs.TestingSetDiskUsage(usage)
}

// tear makes an append, and arranges that a crash leaves only the first half of it.
func (l *live) tear(appending func() error) error {
	before, err := logs(l.fs)
	if err != nil {
		return err
	}
	if err := appending(); err != nil {
		return err
	}
	after, err := logs(l.fs)
	if err != nil {
		return err
	}
	for name, whole := range after { // order-free: one log is written at a time
		old := before[name]
		from, to := changed(old, whole)
		if from == to {
			continue
		}
		half := append([]byte(nil), whole[:(from+to)/2]...)
		if len(old) > len(half) {
			half = append(half, old[len(half):]...) // a recycled log has old bytes after its end
		}
		l.torn = func(clone *vfs.MemFS) error { return rewrite(clone, name, half) }
		return nil
	}
	return errors.New("an append left no trace in the log")
}

// logs reads the write-ahead logs of a store.
func logs(fs vfs.FS) (map[string][]byte, error) {
	names, err := fs.List(storeFolder)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, name := range names {
		if !strings.HasSuffix(name, ".log") {
			continue
		}
		f, err := fs.Open(path.Join(storeFolder, name))
		if err != nil {
			return nil, err
		}
		bytes, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		found[path.Join(storeFolder, name)] = bytes
	}
	return found, nil
}

// changed returns the range of a file that has changed.
func changed(before, after []byte) (from, to int) {
	same := func(i int) bool { return i < len(before) && before[i] == after[i] }
	for to = len(after); to > 0 && same(to-1); to-- {
	}
	for from < to && same(from) {
		from++
	}
	return from, to
}

// rewrite replaces the content of a file durably.
func rewrite(fs vfs.FS, name string, bytes []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes)
	return errors.Join(err, f.Sync(), f.Close())
}
