package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
)

// Errors that a caller can tell apart. A full disk is engine.ErrNoSpace.
var (
	ErrLocked      = errors.New("the data folder is in use by another process")
	ErrNewerFormat = errors.New("the data folder was written by a newer shelly")
	ErrOlderFormat = errors.New("the data folder was written by an older shelly: a start brings it up to date")
	ErrCorrupt     = errors.New("the data folder is damaged")
	ErrClosed      = errors.New("the store is closed")
)

// corrupt says what is damaged.
func corrupt(what string, why any) error {
	if err, ok := why.(error); ok {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, what, err)
	}
	return fmt.Errorf("%w: %s: %v", ErrCorrupt, what, why)
}

// classify gives an error of Pebble or the file system the type that callers
// know it by.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case vfs.IsNoSpaceError(err):
		return fmt.Errorf("%w: %w", engine.ErrNoSpace, err)
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	default:
		return err
	}
}

// lockHeld reports whether the folder's lock could not be taken because it is
// held. The system answers a held lock with a bare EAGAIN or EACCES, Pebble
// with an error of its own where this very process holds it; a lock file that
// cannot be made is a *fs.PathError.
func lockHeld(err error) bool {
	var file *fs.PathError
	if errors.As(err, &file) {
		return false
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno == syscall.EAGAIN || errno == syscall.EACCES
	}
	return true
}
