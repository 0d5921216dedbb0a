package ollama

import (
	"context"
	"sync"
	"time"

	"shelly/fsm"
)

// watch is a context that ends when a model takes too long. Its cause is the [*Error] to return.
type watch struct {
	context.Context
	cancel context.CancelCauseFunc
	wait   *time.Timer // bounds the wait for the first line
	total  *time.Timer
	within time.Duration // the longest wait between lines
	lives  func() bool   // whether the server is alive, if a model may be silent while it is; nil: it may not

	mu    sync.Mutex
	idle  *time.Timer // bounds the wait for the next line; nil: none has arrived
	lines int         // that have arrived
}

// newWatch starts watching a chat (BRN-8): Total from now on, FirstToken until the first call of
// alive, Idle after each.
func newWatch(ctx context.Context, t Timeouts) *watch {
	w := &watch{within: t.Idle}
	w.Context, w.cancel = context.WithCancelCause(ctx)
	w.wait = w.after(t.FirstToken, fsm.BrainLoading,
		"the model gave no first token within %v (timeouts.first_token); if it stays so, restart the Ollama server")
	w.total = w.after(t.Total, fsm.BrainTimeout, "the model's answer took longer than %v (timeouts.total)")
	return w
}

// alive notes that a line has arrived.
func (w *watch) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines++
	if w.idle == nil {
		w.wait.Stop()
		w.idle = time.AfterFunc(w.within, w.silent)
		return
	}
	w.idle.Reset(w.within)
}

// silent is called if the next line does not arrive in time. If the model may be writing a tool
// call, a server that is alive gets the same time again (BRN-43).
func (w *watch) silent() {
	w.mu.Lock()
	lines := w.lines
	w.mu.Unlock()
	lives := w.lives != nil && w.lives()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.lines != lines || w.Err() != nil: // a line has arrived, or the call has ended, meanwhile
	case lives:
		w.idle.Reset(w.within)
	case w.lives != nil:
		w.cancel(failure(fsm.BrainTimeout, "the model fell silent for %v during its answer (timeouts.idle), and its server answers nothing else either: if it stays so, restart it", w.within))
	default:
		w.cancel(failure(fsm.BrainTimeout, "the model fell silent for %v during its answer (timeouts.idle)", w.within))
	}
}

// hurry gives the rest of the response the time d to arrive.
func (w *watch) hurry(d time.Duration) { w.total.Reset(d) }

// after ends the context after d. Its cause has these words, which contain one verb, for d.
func (w *watch) after(d time.Duration, class fsm.BrainClass, words string) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(failure(class, words, d)) })
}

// stop ends the context and frees its timers.
func (w *watch) stop() {
	w.cancel(nil)
	w.wait.Stop()
	w.total.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle != nil {
		w.idle.Stop()
	}
}

// within bounds a call that has a single response. What continues "no answer to".
func (c *Client) within(ctx context.Context, d time.Duration, what string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, failure(fsm.BrainTimeout,
		"the Ollama server at %s gave no answer to %s within %v: if it stays so, restart it", c.base, what, d))
}
