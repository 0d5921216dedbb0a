package comm

import (
	"context"
	"fmt"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm/position"
)

// pulse is something to do now and then while nothing happens; the zero value
// is nothing.
type pulse struct {
	ticks <-chan time.Time
	beat  func() error
}

// Follow gives each what happens to an accepted request, from after on if that is not nil, the
// reply last. An error of each ends it, and so does ctx.
func Follow(ctx context.Context, front Front, key fsm.RequestKey, after *position.Position, each func(Event) error) error {
	_, err := follow(ctx, front, key, after, pulse{}, each)
	return err
}

// Attend is Follow with a beat at each of the ticks, and says whether there was a reply.
func Attend(ctx context.Context, front Front, key fsm.RequestKey, ticks <-chan time.Time, beat func() error, each func(Event) error) (replied bool, err error) {
	return follow(ctx, front, key, nil, pulse{ticks, beat}, each)
}

// follow gives each what happens to an accepted request, the reply last, and
// reports whether there was a reply: there is none if the daemon stops before.
// Where after is not nil, what was heard up to there is left out (COM-90).
// An error of each or of the pulse ends it. So does ctx, but not before each has
// had what was there already: a daemon that stops says so in its last words.
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

// From is the position from which the sender of a request hears of it who says after: without
// that a request is sent from its beginning if it is new, however quickly it has ended, and one
// that was sent before as it stands now.
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

// drain hands on what waits in events, without waiting for more.
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

// settle looks into the record once the watch is over, for a reply that came
// between two looks.
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
