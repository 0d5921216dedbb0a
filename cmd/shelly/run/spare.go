package run

import (
	"context"
	"sync"
	"time"

	"shelly/runtime/clock"
	"shelly/runtime/daemon"
)

// sparedMax is how long nothing has to have been asked before a model is given up for
// another, however long the server would keep it.
const sparedMax = 30 * time.Minute

// quiet returns when nobody needs the model. Where an embedding makes the server unload
// it, that is once no call was under way for as long as the server keeps an idle model:
// what it had read is gone by then (MEM-11).
func quiet(d *daemon.Daemon, keepAlive time.Duration, spares func() bool) func(context.Context) error {
	rest := resting{quiet: d.Quiet, calls: d.Calls, pause: clock.Pause, least: min(keepAlive, sparedMax)}
	return func(ctx context.Context) error {
		if spares() {
			return rest.wait(ctx)
		}
		return d.Quiet(ctx)
	}
}

// resting waits until no call was under way for a while. Once it was, it does not wait
// again before the next call.
type resting struct {
	quiet func(context.Context) error
	calls func(context.Context) (uint64, error)
	pause func(context.Context, time.Duration) error
	least time.Duration

	mu     sync.Mutex
	rested uint64 // the calls after which it was so, plus one; 0: it never was
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
