// Package descriptor lets a process that has run out of file descriptors wait for one, in
// place of failing what it does (CFG-15).
//
//	f, err := descriptor.Get(ctx, func() (*os.File, error) { return os.Open(name) })
//
// Who opens many for others, as a listener does, bounds them by [Max], so that what they
// wait for comes.
package descriptor

import (
	"context"
	"errors"
	"syscall"
	"time"

	"shelly/runtime/system"
)

// Short reports whether an error says that the process, or the machine, has no descriptor
// left.
func Short(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// The waits between two tries: the first, twice as long each time, up to the longest.
const (
	firstWait = 5 * time.Millisecond
	mostWait  = 250 * time.Millisecond
)

// Get returns what open returns, once that does not fail for want of a descriptor. Open is
// called again until then, so a call that fails so must have done nothing. When ctx ends,
// its last error is returned.
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

// Try is Get for what returns an error alone.
func Try(ctx context.Context, do func() error) error {
	_, err := Get(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Max returns how many descriptors this process may have, as far as that is known.
func Max() int {
	most, known := system.DescriptorsMax()
	if !known || most > 1<<20 {
		return 1 << 20
	}
	return int(most)
}
