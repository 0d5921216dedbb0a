package ollama

import (
	"context"
	"time"

	"shelly/fsm"
)

// watch is a context that ends when a model takes too long. Its cause is the [*Error] to return.
type watch struct {
	context.Context
	cancel context.CancelCauseFunc
	wait   *time.Timer // bounds the wait for the first line
	idle   *time.Timer // bounds the wait for the next line
	total  *time.Timer
	within time.Duration // the longest wait between lines
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
	if w.idle == nil {
		w.wait.Stop()
		w.idle = w.after(w.within, fsm.BrainTimeout, "the model fell silent for %v during its answer (timeouts.idle)")
		return
	}
	w.idle.Reset(w.within)
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
	if w.idle != nil {
		w.idle.Stop()
	}
}

// within bounds a call that has a single response. What continues "no answer to".
func (c *Client) within(ctx context.Context, d time.Duration, what string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, failure(fsm.BrainTimeout,
		"the Ollama server at %s gave no answer to %s within %v: if it stays so, restart it", c.base, what, d))
}
