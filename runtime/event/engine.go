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

// Options are the parts of an engine.
type Options struct {
	// Raise submits an event, and returns once it is durable. An error means that nothing has
	// happened; the event is raised again later.
	Raise func(ctx context.Context, e fsm.EventRaised) error
	Kept  *Kept // what is kept across a restart; nil: nothing is
	Log   *slog.Logger
	Now   func() time.Time
	Told  func(kind string, put int) // called for each event that was raised, with the number of changes after the first that were merged into it; nil: nothing is
}

// Engine raises the events of its sources. Call [Engine.Run] once.
type Engine struct {
	o     Options
	begun time.Time
	woken chan struct{}

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before it and after it
	working []*worker

	keeping sync.Mutex // one at a time takes and writes what was told
}

// worker is a watch whose source is running.
type worker struct {
	*watch
	stop context.CancelFunc
	done chan struct{}
}

// New returns an engine without sources.
func New(o Options) *Engine {
	return &Engine{o: o, begun: o.Now(), woken: make(chan struct{}, 1)}
}

// since is the time since the engine began. Changes of the wall clock do not affect it.
func (e *Engine) since() fsm.Millis { return fsm.Millis(e.o.Now().Sub(e.begun).Milliseconds()) }

// poke makes Run check what is due.
func (e *Engine) poke() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

// Use sets the engine's sources. A source with an unchanged configuration keeps running.
func (e *Engine) Use(specs []Spec) {
	if e.running() {
		e.keep() // a source that has changed begins with it
	}
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
	e.mu.Unlock()
	for _, w := range before {
		w.end()
	}
	if e.running() {
		e.keep()
	}
	e.poke()
}

// running reports whether Run has begun and has not ended.
func (e *Engine) running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ctx != nil
}

// begin starts a worker's source. The caller holds the lock.
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

// Bounds of the wait before a source that failed watches again.
const (
	watchFirst = time.Second
	watchMost  = time.Minute
)

// keepWatching restarts a source whenever it has failed (EVT-13), until ctx ends.
func (e *Engine) keepWatching(ctx context.Context, w *watch) {
	for wait := watchFirst; ; wait = min(2*wait, watchMost) {
		begun := time.Now()
		err := w.spec.Source.Watch(ctx, w)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) >= watchMost { // it has worked in between
			wait = watchFirst
		}
		if err == nil {
			err = errors.New("it has ended")
		}
		if w.fails(err) {
			e.o.Log.Warn("a source of events sees nothing", "source", w.spec.Name, "kind", w.spec.Kind, "error", err)
		}
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

// Run raises events until ctx ends. An event that is on its way then is raised at the next start.
func (e *Engine) Run(ctx context.Context) error {
	e.mu.Lock()
	e.ctx = ctx
	for _, w := range e.working {
		e.begin(w)
	}
	e.mu.Unlock()
	defer e.finish()
	e.keep() // so that every change from now on is reported, even after a crash
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
	if slices.ContainsFunc(working, func(w *worker) bool { return w.hasMoved() }) {
		e.keep()
	}
}

// round raises what is due, and returns the time until something else is.
func (e *Engine) round(ctx context.Context) (wait time.Duration, ok bool) {
	fresh := false
	for _, w := range e.watches() {
		for e.raise(ctx, w) {
		}
		fresh = w.takeFresh() || fresh
		if at, due := w.due(); due {
			left := time.Duration(max(at-e.since(), 0)) * time.Millisecond
			if !ok || left < wait {
				wait, ok = left, true
			}
		}
	}
	if fresh { // a change of it while no process runs is told at the next start
		e.keep()
	}
	return wait, ok
}

// raise raises a source's due event, and reports whether there was one and it was accepted.
func (e *Engine) raise(ctx context.Context, w *watch) bool {
	if ctx.Err() != nil {
		return false
	}
	out := w.take(e.since())
	if out == nil {
		return false
	}
	if err := e.o.Raise(ctx, out.event); err != nil {
		if w.refused(e.since(), err) && ctx.Err() == nil {
			e.o.Log.Warn("an event was not accepted; it is raised again later", "source", w.spec.Name, "event", out.event.Event, "error", err)
		}
		return false
	}
	e.o.Log.Info("event raised", "source", w.spec.Name, "event", out.event.Event, "subject", out.event.Subject)
	w.raisedNow()
	if e.o.Told != nil {
		e.o.Told(w.spec.Kind, max(out.put, 0))
	}
	e.keep()
	return true
}

// keep writes what was told to the file. What is written later was taken later: a reload keeps, too.
func (e *Engine) keep() {
	e.keeping.Lock()
	defer e.keeping.Unlock()
	if err := e.o.Kept.save(e.watches()); err != nil {
		e.o.Log.Warn("cannot record which events were raised; after a restart some may be raised again", "error", err)
	}
}

// watches returns the watches of the running sources.
func (e *Engine) watches() []*watch {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*watch, len(e.working))
	for i, w := range e.working {
		all[i] = w.watch
	}
	return all
}
