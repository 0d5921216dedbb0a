package fronttest

import (
	"context"
	"maps"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

type watcher struct {
	key    fsm.RequestKey
	events chan comm.Event
	end    context.CancelFunc
}

// watcherBuffer is more events than any test sends while nobody reads.
const watcherBuffer = 256

// Watch implements [comm.Front].
func (f *Front) Watch(ctx context.Context, key fsm.RequestKey) (<-chan comm.Event, error) {
	defer f.lock()()
	events := make(chan comm.Event, watcherBuffer)
	if r := f.records[key]; r.Done {
		events <- comm.Event{Type: comm.EventReply, Text: r.Reply, IsError: r.IsError, Outcome: r.Outcome}
		close(events)
		return events, nil
	}
	events <- comm.Event{Type: comm.EventState, State: state.Queued}
	ctx, cancel := context.WithCancel(ctx)
	f.last++
	n := f.last
	f.watchers[n] = watcher{key, events, cancel}
	context.AfterFunc(ctx, func() { f.leave(n) })
	return events, nil
}

// Replied implements [comm.Front].
func (f *Front) Replied(ctx context.Context, r engine.Request) (engine.Request, error) {
	events, err := f.Watch(ctx, r.Key)
	if err != nil {
		return r, err
	}
	for e := range events {
		if e.Type == comm.EventReply {
			break
		}
	}
	if now, ok, _ := f.Request(ctx, r.Key); ok {
		r = now
	}
	return r, ctx.Err()
}

// WatchFrom implements [comm.Front]. It first sends an event that says which position it was
// asked for; watches from the beginning are only counted.
func (f *Front) WatchFrom(ctx context.Context, key fsm.RequestKey, after position.Position) (<-chan comm.Event, error) {
	if after == (position.Position{}) {
		f.begin() // before the watch, so that whoever sees the watch sees the count
		return f.Watch(ctx, key)
	}
	events, err := f.Watch(ctx, key)
	f.Say(key, comm.Event{Type: comm.EventWaiting, Text: "after " + after.String(), At: after})
	return events, err
}

func (f *Front) begin() {
	defer f.lock()()
	f.begun++
}

func (f *Front) leave(n int) {
	defer f.lock()()
	if w, ok := f.watchers[n]; ok {
		delete(f.watchers, n)
		close(w.events)
		w.end()
	}
}

// Say sends events to the watchers of a request.
func (f *Front) Say(key fsm.RequestKey, events ...comm.Event) {
	defer f.lock()()
	f.say(key, events...)
}

func (f *Front) say(key fsm.RequestKey, events ...comm.Event) {
	for _, w := range f.watchers { // order-free: each gets the same
		for _, e := range events {
			if w.key == key {
				w.events <- e
			}
		}
	}
}

// Reply ends a request.
func (f *Front) Reply(key fsm.RequestKey, text string, isError bool) { f.End(key, text, isError, "") }

// End is Reply with an outcome.
func (f *Front) End(key fsm.RequestKey, text string, isError bool, outcome fsm.Outcome) {
	defer f.lock()()
	r := f.records[key]
	r.Done, r.Reply, r.IsError, r.Outcome, r.Replied = true, text, isError, outcome, 2
	f.records[key] = r
	f.say(key, comm.Event{Type: comm.EventReply, Text: text, IsError: isError, Outcome: outcome})
}

// Forget removes what a request and its reply said, as happens if its session is forgotten.
func (f *Front) Forget(key fsm.RequestKey) {
	defer f.lock()()
	r := f.records[key]
	r.Text, r.Reply, r.Forgotten = "", "", true
	f.records[key] = r
}

// Cut ends every watch without a reply, as a stopping daemon does.
func (f *Front) Cut() {
	f.mu.Lock()
	open := slices.Sorted(maps.Keys(f.watchers))
	f.mu.Unlock()
	for _, n := range open {
		f.leave(n)
	}
}
