//go:build unix

package system

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// NoFollow is the flag with which opening a file refuses a symbolic link.
const NoFollow = syscall.O_NOFOLLOW

// TryLock locks a file or folder as a whole, exclusively or shared, until it is
// closed. It does not wait; held means that another process has the lock. An error means that
// the file system does not have such locks, and nothing is locked.
func TryLock(fd uintptr, alone bool) (held bool, err error) {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for {
		err = unix.Flock(int(fd), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return true, nil
		default:
			return false, err
		}
	}
}

// IsAt reports whether an open file or folder is the one at a path. Where the system does not say, it
// is.
func IsAt(fd uintptr, path string) bool {
	var own, there unix.Stat_t
	if err := unix.Fstat(int(fd), &own); err != nil {
		return true
	}
	switch err := unix.Stat(path, &there); {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return false
	case err != nil:
		return true
	}
	return own.Dev == there.Dev && own.Ino == there.Ino
}

// TryShare locks a file against processes that would lock its bytes exclusively, until it is
// closed. It does not wait; held means that another process has such a lock.
func TryShare(f *os.File) (held bool) {
	spec := syscall.Flock_t{Type: syscall.F_RDLCK}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &spec)
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES)
}

// Holder returns the process that has locked a file's bytes exclusively, or 0.
func Holder(f *os.File) int32 {
	spec := syscall.Flock_t{Type: syscall.F_WRLCK}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &spec); err != nil || spec.Type == syscall.F_UNLCK {
		return 0
	}
	return spec.Pid
}

// Free reports whether it is known that no other process has locked a file's bytes.
func Free(f *os.File) bool {
	spec := syscall.Flock_t{Type: syscall.F_WRLCK}
	return syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &spec) == nil && spec.Type == syscall.F_UNLCK
}

// Owner returns the user and the group to which a file belongs.
func Owner(info fs.FileInfo) (uid, gid int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(s.Uid), int(s.Gid), true
}

// Links returns how many names a file has; 1 if unknown.
func Links(info fs.FileInfo) uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(s.Nlink)
}

// Allocated returns how many bytes of the disk a file takes, which may be more or less than its
// length.
func Allocated(info fs.FileInfo) (bytes uint64, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(s.Blocks) * 512, true // whatever the blocks of the file system are
}

// DescriptorsMax returns how many descriptors this process may have, as far as that is known.
func DescriptorsMax() (most uint64, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}

// LimitMemory bounds how much memory this process may map, in bytes.
func LimitMemory(most uint64) error {
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most})
}

// ProcessorTime returns the processor time of this process; 0 if unknown.
func ProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Writable returns why a folder cannot be written, or nil.
func Writable(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return unix.ENOTDIR
	}
	return unix.Access(dir, unix.W_OK)
}

// Columns returns the width of a terminal; 0 if it does not know.
func Columns(fd uintptr) (columns int, err error) {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0, err
	}
	return int(size.Col), nil
}
