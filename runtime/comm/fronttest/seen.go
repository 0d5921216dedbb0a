package fronttest

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/runtime/comm"
)

// Seen is what the front has been asked for.
type Seen struct {
	Accepted []string // ids, in order
	Asked    int      // calls of Accept
	Raised   []fsm.EventRaised
	Requests []comm.Request // as they were accepted
	Told     []fsm.Input    // a person's decisions
	Held     int            // calls of Accept that wait now
	Watching int            // watches open now
	Begun    int            // watches from the beginning of a request
}

// Seen returns what has been asked for so far.
func (f *Front) Seen() Seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen()
}

func (f *Front) seen() Seen {
	return Seen{
		Accepted: slices.Clone(f.order), Asked: f.asked, Raised: slices.Clone(f.raised),
		Requests: slices.Clone(f.requests), Told: slices.Clone(f.told), Held: f.waiting, Watching: len(f.watchers), Begun: f.begun,
	}
}

// Await returns once what has been asked for is as wanted, or when ctx ends.
func (f *Front) Await(ctx context.Context, wanted func(Seen) bool) error {
	for {
		f.mu.Lock()
		seen, changed := f.seen(), f.changed
		f.mu.Unlock()
		if wanted(seen) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
