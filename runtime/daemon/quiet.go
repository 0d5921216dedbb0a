package daemon

import (
	"context"

	"shelly/fsm"
)

// Quiet returns when no call is under way, neither of the model nor of a tool, so that using
// the model for work that can wait delays nobody (MEM-8). It fails if ctx ends or the daemon
// stops.
func (d *Daemon) Quiet(ctx context.Context) error {
	for {
		wait, err := ask(ctx, d, d.untilQuiet)
		if err != nil || wait == nil {
			return stopping(err)
		}
		select {
		case <-wait:
		case <-d.stopped:
			return stopping(errStopped)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Calls returns how many calls were begun since the start.
func (d *Daemon) Calls(ctx context.Context) (uint64, error) {
	n, err := ask(ctx, d, func() uint64 { return d.begun })
	return n, stopping(err)
}

// Wanted returns how many of them were not begun only to read ahead (HND-71).
func (d *Daemon) Wanted(ctx context.Context) (uint64, error) {
	n, err := ask(ctx, d, func() uint64 { return d.begun - d.ahead })
	return n, stopping(err)
}

// readsAhead reports whether a call is of the handle that reads ahead.
func (d *Daemon) readsAhead(call fsm.CallID) bool {
	handles := d.driver.Machine().View().Handles
	for i := range handles {
		if h := &handles[i]; h.Ahead && h.Awaits(call) != "" {
			return true
		}
	}
	return false
}

// untilQuiet returns a channel that is closed when the last call has ended, or nil if none is
// under way. Only the loop calls it.
func (d *Daemon) untilQuiet() chan struct{} {
	if len(d.running) == 0 {
		return nil
	}
	if d.quiet == nil {
		d.quiet = make(chan struct{})
	}
	return d.quiet
}

// hush wakes those that wait until no call is under way.
func (d *Daemon) hush() {
	if d.quiet != nil && len(d.running) == 0 {
		close(d.quiet)
		d.quiet = nil
	}
}
