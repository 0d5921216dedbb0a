package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
	"shelly/runtime/store/files"
)

// Errors that a caller can tell apart. A full disk is engine.ErrNoSpace.
var (
	ErrLocked      = errors.New("the data folder is in use by another process")
	ErrNewerFormat = errors.New("the data folder was written by a newer shelly")
	ErrOlderFormat = errors.New("the data folder was written by an older shelly: start shelly once to upgrade it")
	ErrCorrupt     = engine.ErrDamaged
	ErrClosed      = errors.New("the store is closed")
	ErrMoved       = errors.New("its folder was moved, removed or replaced while it was open, and what is there now was left alone")
	ErrNone        = errors.New("no store was ever made here") // or a crash interrupted that before it held anything
)

// damage is an ErrCorrupt with a message of its own. The error that revealed it is wrapped: its
// text, which may be Pebble's, goes only to the log.
type damage struct {
	words string
	cause error  // nil: none
	whole bool   // the message names the folder
	mend  string // what to do, which the message ends with; "": it does not say
}

func (d *damage) Error() string {
	text := ErrCorrupt.Error() + ": " + d.words
	if d.mend != "" {
		text += untouched + d.mend
	}
	return text
}

// untouched is what a message says before what to do.
const untouched = "; nothing was changed; "

func (d *damage) Unwrap() []error {
	if d.cause == nil {
		return []error{ErrCorrupt}
	}
	return []error{ErrCorrupt, d.cause}
}

// corrupt returns an ErrCorrupt that says what is damaged, and why.
func corrupt(what string, why any) error {
	d := &damage{}
	switch err := why.(type) {
	case *damage:
		d.words, d.cause = what+": "+err.words, err
	case error:
		return corrupt(what, &damage{words: strings.ReplaceAll(err.Error(), ErrCorrupt.Error()+": ", ""), cause: err}) // it is said once
	default:
		d.words = fmt.Sprintf("%s: %v", what, err)
	}
	return d
}

// What to do after damage.
const (
	Repair  = "recover what can be read with shelly journal repair, or restore a backup with shelly journal restore --force"
	restore = "restore a backup with shelly journal restore --force"
)

// broken returns the error that a store cannot be opened, with what to do.
func broken(dir, what string, cause error) error {
	return &damage{words: dir + ": " + what, cause: cause, whole: true, mend: Repair}
}

// gone returns the error that there is no store where one was.
func gone(dir, what string) error {
	return &damage{words: dir + ": " + what, whole: true, mend: restore}
}

// Damage returns what an ErrCorrupt says without what to do, and what to do if it says that, or "".
func Damage(err error) (what, mend string) {
	what = err.Error()
	if d, ok := errors.AsType[*damage](err); ok && d.mend != "" {
		return strings.TrimSuffix(what, untouched+d.mend), d.mend
	}
	return what, ""
}

// classify gives an error of Pebble or the file system the type that callers know.
func classify(err error) error {
	switch d := (*damage)(nil); {
	case err == nil, errors.As(err, &d):
		return err
	case vfs.IsNoSpaceError(err):
		return fmt.Errorf("%w: %w", engine.ErrNoSpace, err)
	case pebble.IsCorruptionError(err):
		return &damage{words: files.Explain(err), cause: err}
	default:
		return err
	}
}

// lockHeld reports whether the folder's lock could not be taken because it is held. The system
// reports a held lock as a bare EAGAIN or EACCES, and Pebble with an error of its own where this
// very process holds it; a lock file that cannot be made is a *fs.PathError.
func lockHeld(err error) bool {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return false
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno == syscall.EAGAIN || errno == syscall.EACCES
	}
	return true
}
