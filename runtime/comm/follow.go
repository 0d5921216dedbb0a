package comm

import (
	"context"
	"fmt"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm/position"
)

// pulse is something to do at each tick while nothing happens; the zero value
// does nothing.
type pulse struct {
	ticks <-chan time.Time
	beat  func() error
}

// Follow calls each with the events of an accepted request, the reply last. If after is not nil,
// only the events after that position are included. It ends with an error of each, or with ctx.
func Follow(ctx context.Context, front Front, key fsm.RequestKey, after *position.Position, each func(Event) error) error {
	_, err := follow(ctx, front, key, after, pulse{}, each)
	return err
}

// Attend is Follow that also calls beat at each tick, and reports whether there was a reply.
func Attend(ctx context.Context, front Front, key fsm.RequestKey, after *position.Position, ticks <-chan time.Time, beat func() error, each func(Event) error) (replied bool, err error) {
	return follow(ctx, front, key, after, pulse{ticks, beat}, each)
}

// follow calls each with the events of an accepted request, the reply last, and
// reports whether there was a reply; there is none if the daemon stops first.
// If after is not nil, events up to that position are left out (COM-90).
// An error of each or of the pulse ends it. So does ctx, but only once each has
// got the events that were already there: a daemon's last event says that it stops.
func follow(ctx context.Context, front Front, key fsm.RequestKey, after *position.Position, p pulse, each func(Event) error) (replied bool, err error) {
	watch, cancel := context.WithCancel(ctx) // ends the watch if we leave early
	defer cancel()
	events, err := watchFrom(watch, front, key, after)
	if err != nil {
		return false, fmt.Errorf("watch request %q: %w", key.ID, err)
	}
	for {
		select {
		case <-ctx.Done():
			return drain(ctx, events, each)
		case <-p.ticks:
			if err := p.beat(); err != nil {
				return false, err
			}
		case e, ok := <-events:
			if !ok {
				return settle(ctx, front, key, each)
			}
			if err := each(e); err != nil || e.Type == EventReply {
				return err == nil, err
			}
		}
	}
}

// From is the position after which the sender of a request gets its events: the after that it
// gives, if any. Without one, a new request is followed from its beginning, however quickly it
// ended, and a request that was sent before is followed from where it stands now (nil).
func From(a engine.Acceptance, after *position.Position) *position.Position {
	if after == nil && a.New {
		return &position.Position{}
	}
	return after
}

func watchFrom(ctx context.Context, front Front, key fsm.RequestKey, after *position.Position) (<-chan Event, error) {
	if after == nil {
		return front.Watch(ctx, key)
	}
	return front.WatchFrom(ctx, key, *after)
}

// drain passes on the events that are ready, without waiting for more.
func drain(ctx context.Context, events <-chan Event, each func(Event) error) (replied bool, err error) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return false, ctx.Err()
			}
			if err := each(e); err != nil || e.Type == EventReply {
				return err == nil, err
			}
		default:
			return false, ctx.Err()
		}
	}
}

// settle reads the record once the watch is over, in case the reply came just
// after the watch ended.
func settle(ctx context.Context, front Front, key fsm.RequestKey, each func(Event) error) (replied bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	r, ok, err := front.Request(ctx, key)
	if err != nil || !ok || !r.Done {
		return false, err
	}
	return true, each(replyOf(r))
}
