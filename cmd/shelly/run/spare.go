package run

import (
	"context"
	"sync"
	"time"

	"shelly/runtime/clock"
	"shelly/runtime/daemon"
)

// sparedMax is how long the model must have been idle, at most, before it may be unloaded for
// another, however long the server would keep it.
const sparedMax = 30 * time.Minute

// quiet returns once the model is not needed. If an embedding makes the server unload it, that
// is when no call was made for as long as the server keeps an idle model: by then the server
// has dropped what the model had read (MEM-11).
func quiet(d *daemon.Daemon, keepAlive time.Duration, spares func() bool) func(context.Context) error {
	rest := resting{quiet: d.Quiet, calls: d.Calls, pause: clock.Pause, least: min(keepAlive, sparedMax)}
	return func(ctx context.Context) error {
		if spares() {
			return rest.wait(ctx)
		}
		return d.Quiet(ctx)
	}
}

// resting waits until no call was made for a while. Once that was so, it does not wait again
// until there is another call.
type resting struct {
	quiet func(context.Context) error
	calls func(context.Context) (uint64, error)
	pause func(context.Context, time.Duration) error
	least time.Duration

	mu     sync.Mutex
	rested uint64 // the number of calls at that time, plus one; 0: it was never so
}

func (r *resting) wait(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if err := r.quiet(ctx); err != nil {
			return err
		}
		before, err := r.calls(ctx)
		if err != nil || r.rested == before+1 {
			return err
		}
		if err := r.pause(ctx, r.least); err != nil {
			return err
		}
		if after, err := r.calls(ctx); err != nil {
			return err
		} else if after == before {
			r.rested = before + 1
		}
	}
}
