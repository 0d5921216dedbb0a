package ollama

import (
	"context"
	"net/http"
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

// aliveTick is how often a server that has not begun its answer is asked whether it is alive.
const aliveTick = 15 * time.Second

// awaited returns what post returns, the response of a chat. A server that reads a prompt answers
// other questions meanwhile; if it does not, a note says so, and another one when it does again (BRN-42).
func (c *Client) awaited(ctx context.Context, stream func(Chunk), post func() (*http.Response, error)) (*http.Response, error) {
	if stream == nil {
		return post()
	}
	done := make(chan func() (*http.Response, error), 1)
	go func() {
		resp, err := post()
		done <- func() (*http.Response, error) { return resp, err }
	}()
	tick, stop := c.ticks(aliveTick)
	defer stop()
	asked, silent := chan *Error(nil), false
	for {
		select {
		case result := <-done:
			return result()
		case <-tick:
			if asked == nil {
				asked = c.asksWhetherAlive(ctx)
			}
		case err := <-asked:
			if asked = nil; (err != nil) != silent && ctx.Err() == nil {
				silent = err != nil
				stream(Chunk{Note: c.aliveWords(err)})
			}
		}
	}
}

// asksWhetherAlive asks the server for its version, and returns where the failure comes if it gives
// no answer at all, or else nil.
func (c *Client) asksWhetherAlive(ctx context.Context) chan *Error {
	result := make(chan *Error, 1)
	go func() {
		ctx, cancel := c.within(ctx, c.opt.Timeouts.Connect, "the question whether it is alive")
		defer cancel()
		_, err := c.api.Version(ctx)
		var failed *Error
		if err != nil {
			failed = c.sort(ctx, "", err)
		}
		if failed != nil && failed.Class != fsm.BrainTimeout { // whatever the server says, it says something
			failed = nil
		}
		result <- failed
	}()
	return result
}

// aliveWords returns, for people and in the log, that the server is silent, or not any more.
func (c *Client) aliveWords(silent *Error) string {
	if silent == nil {
		c.opt.Log.Info("the server answers again", "server", c.base)
		return "the Ollama server answers again; waiting for the model"
	}
	c.opt.Log.Warn("the server is silent while a model call waits", "because", silent)
	return silent.Error()
}

// within bounds a call that has a single response. What continues "no answer to".
func (c *Client) within(ctx context.Context, d time.Duration, what string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, failure(fsm.BrainTimeout,
		"the Ollama server at %s gave no answer to %s within %v: if it stays so, restart it", c.base, what, d))
}
