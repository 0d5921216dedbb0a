package channel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"shelly/runtime/access"
	"shelly/runtime/channel/kept"
	"shelly/runtime/clock"
	"shelly/runtime/comm"
)

// Principal is the principal of the channels' requests. No client has this name.
const Principal = access.Channels

// Options are the parts of a bus.
type Options struct {
	Front comm.Front
	Kept  *kept.File // keeps how far each channel has delivered
	Log   *slog.Logger
	Now   func() time.Time
}

// Bus runs the channels. Call [Bus.Run] once.
type Bus struct {
	o Options

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before it and after it
	working []*lane
}

// New returns a bus without channels.
func New(o Options) *Bus { return &Bus{o: o} }

// Use sets the bus's channels. A channel with an unchanged configuration keeps running.
func (b *Bus) Use(specs []Spec) {
	b.mu.Lock()
	before := b.working
	b.working = nil
	var fresh []*lane
	for _, spec := range specs {
		i := slices.IndexFunc(before, func(l *lane) bool {
			return l.spec.Name == spec.Name && l.spec.Kind == spec.Kind && l.spec.As == spec.As
		})
		if i >= 0 {
			b.working = append(b.working, before[i])
			before = slices.Delete(slices.Clone(before), i, i+1)
			continue
		}
		l := newLane(spec, &b.o)
		b.working, fresh = append(b.working, l), append(fresh, l)
	}
	ctx := b.ctx
	b.mu.Unlock()
	end(before) // before another with the same name begins
	for _, l := range fresh {
		if ctx != nil {
			l.begin(ctx)
		}
	}
}

// Run runs the channels until ctx ends.
func (b *Bus) Run(ctx context.Context) error {
	b.mu.Lock()
	b.ctx = ctx
	working := b.working
	b.mu.Unlock()
	for _, l := range working {
		l.begin(ctx)
	}
	<-ctx.Done()
	b.mu.Lock()
	b.ctx, working = nil, b.working
	b.mu.Unlock()
	end(working)
	return nil
}

// Channel returns the adapter with a name, or nil.
func (b *Bus) Channel(name string) Channel {
	if l := b.lane(name); l != nil {
		return l.spec.Channel
	}
	return nil
}

func (b *Bus) lane(name string) *lane {
	for _, l := range b.lanes() {
		if l.spec.Name == name {
			return l
		}
	}
	return nil
}

func (b *Bus) lanes() []*lane {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.working)
}

// endMax is how long to wait for a channel to end. One that does not return is abandoned.
const endMax = 5 * time.Second

// end stops channels and waits for them together.
func end(lanes []*lane) {
	lanes = slices.DeleteFunc(slices.Clone(lanes), func(l *lane) bool { return !l.halt() })
	late := time.After(endMax)
	for _, l := range lanes {
		select {
		case <-l.ended:
		case <-late:
			l.o.Log.Warn("a channel does not end and is abandoned", "channel", l.spec.Name)
			late = time.After(0)
		}
	}
}

// keepRunning restarts the channel whenever it has ended (CHN-2), until ctx ends.
func (l *lane) keepRunning(ctx context.Context) {
	for wait := againFirst; ; wait = min(2*wait, againMost) {
		began := l.o.Now()
		err := Guarded(func() error { return l.spec.Channel.Run(ctx, l) })
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("it has ended")
		}
		l.down(err)
		if l.o.Now().Sub(began) > againMost {
			wait = againFirst
		}
		if clock.Pause(ctx, wait) != nil {
			return
		}
	}
}

// errPanic is the error that a panic in a channel becomes.
var errPanic = errors.New("a defect of shelly: the channel has panicked")

// Guarded calls a function of a channel, and returns a panic in it as an error (CHN-2). A
// channel must use it in its own goroutines.
func Guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return f()
}
