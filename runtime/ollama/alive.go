package ollama

import (
	"context"
	"net/http"
	"time"

	"shelly/fsm"
)

// backTick is how often a server that could not be reached is asked whether it answers.
const backTick = time.Second

// awaited returns what post returns, the response of a chat. A server that reads a prompt answers
// other questions meanwhile; if it does not, a note says so, and another one when it does again (BRN-42).
func (c *Client) awaited(ctx context.Context, stream func(Chunk), post func() (*http.Response, error)) (*http.Response, error) {
	if stream == nil {
		return post()
	}
	ctx, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	late := time.AfterFunc(c.patience, func() {
		defer close(ended)
		c.notes(ctx, stream)
	})
	defer func() { // only one of them may stream at a time
		end()
		if !late.Stop() {
			<-ended
		}
	}()
	return post()
}

// notes streams a note when the server falls silent, and when it is alive again, until ctx ends.
func (c *Client) notes(ctx context.Context, stream func(Chunk)) {
	tick, stop := c.ticks(aliveTick)
	defer stop()
	for silent := false; ; {
		err := c.silence(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != silent {
			silent = err != nil
			stream(Chunk{Note: c.aliveWords(err)})
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return
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

// silence asks the server for its version, and returns the failure if it gives no answer at all, or
// else nil.
func (c *Client) silence(ctx context.Context) *Error {
	if failed := c.greet(ctx); failed != nil && failed.Class == fsm.BrainTimeout {
		return failed
	}
	return nil // whatever the server says, it says something
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
