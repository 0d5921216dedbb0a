//go:build !unix

package system

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// NoFollow is 0: there is no such flag on this system.
const NoFollow = 0

// TryLock locks nothing.
func TryLock(uintptr, bool) (held bool, err error) { return false, nil }

// IsAt returns true: nothing can be moved while it is open on this system.
func IsAt(uintptr, string) bool { return true }

// TryShare locks nothing.
func TryShare(*os.File) (held bool) { return false }

// Holder returns 0: unknown on this system.
func Holder(*os.File) int32 { return 0 }

// Free returns false: unknown on this system.
func Free(*os.File) bool { return false }

// Owner returns false: unknown on this system.
func Owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// Links returns 1: unknown on this system.
func Links(fs.FileInfo) uint64 { return 1 }

// Allocated knows nothing: see the file for Unix.
func Allocated(fs.FileInfo) (bytes uint64, known bool) { return 0, false }

// DescriptorsMax returns false: unknown on this system.
func DescriptorsMax() (most uint64, known bool) { return 0, false }

// LimitMemory bounds nothing.
func LimitMemory(uint64) error { return nil }

// ProcessorTime returns 0: unknown on this system.
func ProcessorTime() time.Duration { return 0 }

// Writable returns why a folder cannot be written, or nil.
func Writable(dir string) error {
	f, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Columns is not available on this system.
func Columns(uintptr) (columns int, err error) { return 0, errors.ErrUnsupported }
