package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/system"
)

// lockName is the name of Pebble's lock file in the folder.
const lockName = "LOCK"

// folderLock holds a folder with two locks. The one on the folder itself needs no file, so it holds
// even if a cleaner has removed the empty LOCK, and where nothing can be written. LOCK is the one
// that an older shelly looks at.
type folderLock struct {
	*pebble.Lock
	folder uintptr // the locked folder; vfs.InvalidFd: only LOCK is
	rest   []io.Closer
}

// Close implements io.Closer.
func (l *folderLock) Close() error {
	err := l.Lock.Close()
	for _, c := range l.rest {
		err = errors.Join(err, c.Close())
	}
	return err
}

// acquire makes the folder and takes its lock, before anything else in the folder is touched
// (CFG-8).
func acquire(disk vfs.FS, dir string) (*folderLock, error) {
	if err := makeFolder(disk, dir); err != nil {
		return nil, fmt.Errorf("cannot make the data folder %s: %w%s", dir, classify(err), Advice(err))
	}
	return lockFolder(disk, dir)
}

// Lock keeps every other process out of a store's folder, which must exist, until the lock is
// closed. The error may be ErrLocked.
func Lock(dir string) (io.Closer, error) { return lockFolder(vfs.Default, dir) }

// lockFolder takes the lock of a folder that exists.
func lockFolder(disk vfs.FS, dir string) (*folderLock, error) {
	own, err := flock(disk, dir, true)
	if err != nil {
		return nil, err
	}
	lock, err := pebble.LockDirectory(dir, disk)
	if err != nil {
		err = errors.Join(locking(dir, err), own.Close())
		return nil, err
	}
	return &folderLock{lock, own.Fd(), []io.Closer{own}}, nil
}

// shareFolder keeps every other process from writing into a folder, changing nothing in it; other
// processes may still read it. On a file system in memory, which has no shared locks, it is
// lockFolder.
func shareFolder(disk vfs.FS, dir string) (*folderLock, error) {
	own, err := flock(disk, dir, false)
	if err != nil {
		return nil, err
	}
	if own == folder(nothing{}) {
		return lockFolder(disk, dir)
	}
	file, err := shareFile(disk.PathJoin(dir, lockName))
	if err != nil {
		return nil, errors.Join(locking(dir, err), own.Close())
	}
	lock, err := pebble.LockDirectory(dir, unlocked{disk})
	if err != nil {
		return nil, errors.Join(err, file.Close(), own.Close())
	}
	return &folderLock{lock, own.Fd(), []io.Closer{file, own}}, nil
}

// A process that is killed while it starts another leaves its lock on the folder to the new one
// until that has become the other program. LOCK is not handed on, so it tells a process that uses
// the folder from such a leftover.
const (
	orphanTries = 100
	orphanWait  = 10 * time.Millisecond
)

// folder is an open folder.
type folder interface {
	io.Closer
	Fd() uintptr
}

// flock locks the folder itself, exclusively or shared. If the file system has no such lock,
// nothing is locked.
func flock(disk vfs.FS, dir string, alone bool) (folder, error) {
	f, err := disk.OpenDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the data folder %s: %w%s", dir, classify(err), Advice(err))
	}
	if f.Fd() == vfs.InvalidFd {
		return nothing{}, f.Close()
	}
	held, _ := system.TryLock(f.Fd(), alone)
	for tries := 0; held && tries < orphanTries && holder(dir) == 0; tries++ {
		time.Sleep(orphanWait)
		held, _ = system.TryLock(f.Fd(), alone)
	}
	if held {
		return nil, errors.Join(inUse(dir), f.Close())
	}
	return f, nil
}

// shareFile takes a shared lock on a file, against those who want it exclusively. A file that does
// not exist is locked by nobody.
func shareFile(name string) (io.Closer, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nothing{}, nil
	case err != nil:
		return nil, err
	}
	if system.TryShare(f) {
		return nil, errors.Join(syscall.EAGAIN, f.Close())
	}
	return f, nil
}

// locking words an error of locking a folder.
func locking(dir string, err error) error {
	if lockHeld(err) {
		return inUse(dir)
	}
	for _, lacks := range []syscall.Errno{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, lacks) {
			err = lockless{err}
			break
		}
	}
	return fmt.Errorf("cannot lock the data folder %s: %w%s", dir, classify(err), Advice(err))
}

// lockless is the error of a file system that has no locks, as that of another machine may have none.
type lockless struct{ error }

func (l lockless) Unwrap() error { return l.error }

// inUse says who uses a folder, as far as the system can tell.
func inUse(dir string) error {
	who := ""
	if pid := holder(dir); pid > 0 {
		who = fmt.Sprintf(" (pid %d)", pid)
	}
	return fmt.Errorf("%w%s: %s: stop that process, or choose another folder with --data", ErrLocked, who, dir)
}

// InUse returns an ErrLocked if another process is known to have opened a store's folder for writing. It
// takes no lock, so that it is in nobody's way; only Open knows for certain.
func InUse(dir string) error {
	if holder(dir) == 0 {
		return nil
	}
	return inUse(dir)
}

// Unused reports whether it is known that no other process has opened a store's folder. A process
// that has it open itself must not ask: it would give up its own lock.
func Unused(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	return system.Free(f)
}

// holder returns the id of the process that holds LOCK in a folder, or 0.
func holder(dir string) int32 {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // only read
	return system.Holder(f)
}

// Advice says what to do when the system refuses to open or change a folder.
func Advice(err error) string {
	_, isLockless := errors.AsType[lockless](err)
	switch {
	case isLockless:
		return ": its file system has no locks, which keep a second process out: name a folder on a disk of this machine with --data"
	case errors.Is(err, syscall.ENOTDIR):
		return ": a file stands where a folder is needed: name another folder with --data"
	case errors.Is(err, syscall.EROFS):
		return ": name a folder on a writable disk with --data"
	case errors.Is(err, syscall.EFBIG):
		return ": this user may write no file of that size; raise the limit with ulimit -f"
	case errors.Is(err, fs.ErrPermission):
		return ": give this user access to it, or name another folder with --data"
	default:
		return ""
	}
}

// unlocked is a file system whose locks do nothing.
type unlocked struct{ vfs.FS }

// Lock implements vfs.FS.
func (unlocked) Lock(string) (io.Closer, error) { return nothing{}, nil }

// nothing is a closer that does nothing.
type nothing struct{}

// Close implements io.Closer.
func (nothing) Close() error { return nil }

// Fd returns none.
func (nothing) Fd() uintptr { return vfs.InvalidFd }
