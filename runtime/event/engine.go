package event

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"shelly/fsm"
)

// Options are what an engine works with.
type Options struct {
	// Raise has an event accepted; it returns once that is durable. An error means that nothing
	// happened, and the event is raised again later.
	Raise func(ctx context.Context, e fsm.EventRaised) error
	Kept  *Kept // what is kept over a restart; nil: nothing is
	Log   *slog.Logger
	Now   func() time.Time
	Told  func(kind string, put int) // hears of each event that was raised, and of how many changes it puts together beyond the first; nil: nobody
}

// Engine raises the events of its sources. [Engine.Run] is called once.
type Engine struct {
	o     Options
	begun time.Time
	woken chan struct{}

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before it and after it
	working []*worker
}

// worker is a watch with its source at work.
type worker struct {
	*watch
	stop context.CancelFunc
	done chan struct{}
}

// New returns an engine without sources.
func New(o Options) *Engine {
	return &Engine{o: o, begun: o.Now(), woken: make(chan struct{}, 1)}
}

// since is the time since the engine began. The wall clock does not alter it.
func (e *Engine) since() fsm.Millis { return fsm.Millis(e.o.Now().Sub(e.begun).Milliseconds()) }

// poke has Run look at what is due.
func (e *Engine) poke() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

// Use has the engine work with these sources from now on. One that is as it was goes on.
func (e *Engine) Use(specs []Spec) {
	e.mu.Lock()
	before := e.working
	e.working = nil
	for _, spec := range specs {
		i := slices.IndexFunc(before, func(w *worker) bool { return w.spec.Name == spec.Name && w.spec.same(&spec) })
		if i >= 0 {
			e.working = append(e.working, before[i])
			before = slices.Delete(slices.Clone(before), i, i+1)
			continue
		}
		w := &worker{watch: newWatch(spec, e)}
		e.o.Kept.begin(w.watch, e.o.Now())
		e.working = append(e.working, w)
		if e.ctx != nil {
			e.begin(w)
		}
	}
	running := e.ctx != nil
	e.mu.Unlock()
	for _, w := range before {
		w.end()
	}
	if running {
		e.keep()
	}
	e.poke()
}

// begin has a worker's source watch. The lock is held.
func (e *Engine) begin(w *worker) {
	ctx, cancel := context.WithCancel(e.ctx)
	w.stop, w.done = cancel, make(chan struct{})
	go func() {
		defer close(w.done)
		e.keepWatching(ctx, w.watch)
	}()
}

// end stops a worker and waits for its source.
func (w *worker) end() {
	if w.stop != nil {
		w.stop()
		<-w.done
	}
}

// Bounds of the wait before a source watches again that could not go on.
const (
	watchFirst = time.Second
	watchMost  = time.Minute
)

// keepWatching has a source watch again whenever it could not go on (EVT-13), until ctx ends.
func (e *Engine) keepWatching(ctx context.Context, w *watch) {
	for wait := watchFirst; ; wait = min(2*wait, watchMost) {
		err := w.spec.Source.Watch(ctx, w)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("it has ended")
		}
		w.fails(err)
		e.o.Log.Warn("a source of events sees nothing", "source", w.spec.Name, "kind", w.spec.Kind, "error", err)
		if errors.Is(err, ErrNotHere) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// Run raises events until ctx ends. What is on its way then is raised at the next start.
func (e *Engine) Run(ctx context.Context) error {
	e.mu.Lock()
	e.ctx = ctx
	for _, w := range e.working {
		e.begin(w)
	}
	e.mu.Unlock()
	defer e.finish()
	e.keep() // so that what changes from now on is reported, whatever happens
	for ctx.Err() == nil {
		wait, ok := e.round(ctx)
		var timer <-chan time.Time
		if ok {
			timer = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-e.woken:
		case <-timer:
		}
	}
	return nil
}

// finish waits for the sources.
func (e *Engine) finish() {
	e.mu.Lock()
	working := e.working
	e.ctx = nil
	e.mu.Unlock()
	for _, w := range working {
		w.end()
	}
}

// round raises what is due and returns how long nothing else is.
func (e *Engine) round(ctx context.Context) (wait time.Duration, ok bool) {
	for _, w := range e.watches() {
		for e.raise(ctx, w) {
		}
		if at, due := w.due(); due {
			left := time.Duration(max(at-e.since(), 0)) * time.Millisecond
			if !ok || left < wait {
				wait, ok = left, true
			}
		}
	}
	return wait, ok
}

// raise raises the event of a source that is due, and reports whether there was one that was
// taken.
func (e *Engine) raise(ctx context.Context, w *watch) bool {
	out := w.take(e.since())
	if out == nil || ctx.Err() != nil {
		return false
	}
	if err := e.o.Raise(ctx, out.event); err != nil {
		w.refused(e.since())
		if ctx.Err() == nil {
			e.o.Log.Warn("an event is not taken yet; it is raised again", "source", w.spec.Name, "event", out.event.Event, "error", err)
		}
		return false
	}
	e.o.Log.Info("an event is raised", "source", w.spec.Name, "event", out.event.Event, "subject", out.event.Subject)
	w.raisedNow()
	if e.o.Told != nil {
		e.o.Told(w.spec.Kind, max(out.put, 0))
	}
	e.keep()
	return true
}

// keep writes what was told.
func (e *Engine) keep() {
	if err := e.o.Kept.save(e.watches()); err != nil {
		e.o.Log.Warn("what was told of events is not kept; it may be told again after a restart", "error", err)
	}
}

// watches are those at work.
func (e *Engine) watches() []*watch {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*watch, len(e.working))
	for i, w := range e.working {
		all[i] = w.watch
	}
	return all
}
