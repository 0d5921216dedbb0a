package source

import (
	"context"
	"time"

	"shelly/runtime/event"
)

// poll calls read at once and then at intervals, until ctx ends or read fails.
func poll(ctx context.Context, every time.Duration, to event.Sink, read func(event.Sink) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := read(to); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
