package ollama

import (
	"context"
	"net/http"
	"time"

	"shelly/fsm"
)

// backTick is how often a server that could not be reached is asked whether it answers.
const backTick = time.Second

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

// Await returns nil once the server answers, whatever it says, or ctx's error once ctx has ended
// (BRN-44).
func (c *Client) Await(ctx context.Context) error {
	tick, stop := c.ticks(backTick)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
		if err := c.greet(ctx); ctx.Err() == nil && (err == nil || err.Class != fsm.BrainUnreachable && err.Class != fsm.BrainTimeout) {
			return nil
		}
	}
}

// asksWhetherAlive asks the server for its version, and returns where the failure comes if it gives
// no answer at all, or else nil.
func (c *Client) asksWhetherAlive(ctx context.Context) chan *Error {
	result := make(chan *Error, 1)
	go func() {
		failed := c.greet(ctx)
		if failed != nil && failed.Class != fsm.BrainTimeout { // whatever the server says, it says something
			failed = nil
		}
		result <- failed
	}()
	return result
}

// greet asks the server for its version, within the time to connect, and returns why there is
// none, or else nil.
func (c *Client) greet(ctx context.Context) *Error {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Connect, "the question whether it is alive")
	defer cancel()
	if _, err := c.api.Version(ctx); err != nil {
		return c.sort(ctx, "", err)
	}
	return nil
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
