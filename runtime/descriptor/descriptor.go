// Package descriptor lets a process that has run out of file descriptors wait for one instead of
// failing (CFG-15).
//
//	f, err := descriptor.Get(ctx, func() (*os.File, error) { return os.Open(name) })
//
// Code that opens many for others, such as a listener, must bound them by [Max], so that the
// waits end.
package descriptor

import (
	"context"
	"errors"
	"syscall"
	"time"

	"shelly/runtime/system"
)

// Short reports whether an error means that the process, or the machine, has no descriptor
// left.
func Short(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// The waits between two tries: each is twice as long as the one before, up to the longest.
const (
	firstWait = 5 * time.Millisecond
	mostWait  = 250 * time.Millisecond
)

// Get calls open until it does not fail with [Short], and returns its result. So a call of open
// that fails in this way must have done nothing. If ctx ends first, Get returns open's last
// error.
func Get[T any](ctx context.Context, open func() (T, error)) (T, error) {
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		v, err := open()
		if !Short(err) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(wait):
		}
	}
}

// How many descriptors a daemon needs.
const (
	Enough = 96 // with a few clients and a command

	// Least is with how many a start can serve at all: some 20 of its own, up to 20 for the tables that a
	// compaction reads, and the rest for a few clients and a command. With fewer it could wait forever.
	Least = 64
)

// Max returns how many descriptors this process may have, as far as that is known.
func Max() int {
	most, known := system.DescriptorsMax()
	if !known || most > 1<<20 {
		return 1 << 20
	}
	return int(most)
}
