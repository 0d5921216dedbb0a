package store

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
	"shelly/runtime/system"
)

// ballastName is the ballast's name in the folder. Pebble ignores it.
const ballastName = "ballast"

// ballast is a file that holds space for the moment when a write finds the disk full (JRN-23). Then
// it is given up and the write is tried again, so that the process can still refuse work, report
// the full disk and shut down in order.
type ballast struct {
	fs    vfs.FS // the one below under(), whose writes do not call giveUp
	dir   string
	bytes uint64
	log   *slog.Logger

	mu    sync.Mutex
	state ballastState
}

type ballastState int

const (
	ballastNone   ballastState = iota // never made: there was no room
	ballastKept                       // it exists
	ballastSpent                      // it was given up
	ballastUnable                     // the file system cannot reserve space
)

// newBallast looks for the ballast that an earlier process made.
func newBallast(fs vfs.FS, dir string, bytes uint64, log *slog.Logger) *ballast {
	b := &ballast{fs: fs, dir: dir, bytes: bytes, log: log}
	if bytes == 0 {
		b.state = ballastUnable
	} else if info, err := fs.Stat(b.path()); err == nil && holds(info, bytes) {
		b.state = ballastKept
	}
	return b
}

// holds reports whether a file takes the space that it should. A copy of it takes none, nor does
// one whose making was interrupted.
func holds(info vfs.FileInfo, bytes uint64) bool {
	taken, known := system.Allocated(info)
	return !known || taken >= bytes
}

func (b *ballast) path() string { return b.fs.PathJoin(b.dir, ballastName) }

// under returns a file system whose writes give up the ballast before they fail for lack of space.
func (b *ballast) under() vfs.FS {
	if b.bytes == 0 {
		return b.fs
	}
	return vfs.OnDiskFull(b.fs, b.giveUp)
}

// giveUp removes the ballast. Writes wait for it and are then tried again.
func (b *ballast) giveUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != ballastKept {
		return
	}
	b.state = ballastSpent
	if err := b.fs.Remove(b.path()); err != nil {
		b.log.Error("the disk is full, and the ballast cannot be removed", "file", b.path(), "error", err)
		return
	}
	b.log.Warn("the disk is full: the ballast is given up", "file", b.path(), "bytes", b.bytes)
}

// keep makes the ballast if it is missing and there is room for it above the reserve. If it was
// given up and there is no room yet, that is an ErrNoSpace: the disk was full a moment ago.
func (b *ballast) keep(free, reserve uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == ballastKept || b.state == ballastUnable {
		return nil
	}
	if free < reserve || free-reserve < b.bytes {
		return b.lacking(free, reserve)
	}
	err := b.make()
	switch {
	case err == nil:
		b.state = ballastKept
		return nil
	case vfs.IsNoSpaceError(err): // another process took the space
		return b.lacking(free, reserve)
	default:
		b.log.Warn("there is no ballast for a full disk: the file system cannot reserve space", "file", b.path(), "error", err)
		b.state = ballastUnable
		return nil
	}
}

func (b *ballast) lacking(free, reserve uint64) error {
	if b.state != ballastSpent {
		return nil
	}
	return fmt.Errorf("%w: the disk was full, and %s has %s left, %s are needed for the reserve and the ballast: free some space",
		engine.ErrNoSpace, b.dir, size(free), size(reserve+b.bytes))
}

// size writes a number of bytes for a person: in MiB, as the reserve is set, unless there is less than one.
func size(bytes uint64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// make makes the file with blocks of its own, durably. A file that cannot be made whole is removed.
func (b *ballast) make() error {
	f, err := b.fs.Create(b.path(), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	err = errors.Join(f.Preallocate(0, int64(b.bytes)), f.Sync(), f.Close())
	if err == nil {
		return syncFolder(b.fs, b.dir)
	}
	return errors.Join(err, b.fs.Remove(b.path()))
}
