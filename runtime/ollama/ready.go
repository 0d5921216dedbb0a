package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
)

// loadTick is how often a note reports that a model is still loading.
const loadTick = 5 * time.Second

// ready gets the model loaded and returns what is known about it. Loading is a call of its own,
// with an empty list of messages, so that it has its own deadline and can be reported (BRN-18). If
// the server cannot say what it has loaded, this is left to the chat. Unclear reports whether nobody
// can know what the server's cache holds of the prompt.
func (c *Client) ready(ctx context.Context, stream func(Chunk)) (model facts, unclear bool, failed *Error) {
	shared := false
	if !c.justAnswered() {
		now, err := c.running(ctx)
		switch {
		case err != nil && (err.Class == fsm.BrainUnreachable || ctx.Err() != nil):
			return facts{}, false, err
		case err == nil && (c.loads() || !c.holds(now)): // a server lists what it still loads
			if shared, err = c.load(ctx, now, stream); err != nil {
				return facts{}, false, err
			}
			if now, err = c.running(ctx); err == nil {
				c.allocated(now)
			}
		}
	}
	if c.emptied() {
		come(stream, fsm.StageLoading)
	}
	model, failed = c.capable(ctx)
	return model, shared || model.warm, failed
}

// found notes whether a model that is about to be loaded is loaded already: others may have filled
// its cache, an earlier process of shelly too.
func (c *Client) found(now *api.ProcessModelResponse) {
	c.known.learn(c.opt.Model, func(f *facts) { f.warm = now != nil && (f.warm || !f.loaded) })
}

// emptied reports, once, whether the model was loaded at the start for the call that asks: like one
// that waits for its load, it finds nothing in the cache, whatever was asked before the start.
func (c *Client) emptied() (is bool) {
	c.known.learn(c.opt.Model, func(f *facts) { is, f.empty = f.empty, false })
	return is
}

// answeredFor is how long after an answer the server is not asked again what it has loaded: the
// rounds of one inference follow one another faster than that.
const answeredFor = 5 * time.Second

// justAnswered reports whether the chat model answered so recently that it must still be loaded as
// its chats need it.
func (c *Client) justAnswered() bool {
	at := c.known.of(c.opt.Model).answered[c.opt.NumCtx]
	keeps := c.opt.KeepAlive < 0 || c.opt.KeepAlive > 2*answeredFor
	return keeps && !at.IsZero() && c.now().Sub(at) < answeredFor
}

// running returns the entry of the chat model in the list of what is loaded, or nil if it is not
// loaded.
func (c *Client) running(ctx context.Context) (*api.ProcessModelResponse, *Error) {
	within, cancel := c.within(ctx, c.opt.Timeouts.Connect, "what is loaded")
	defer cancel()
	list, err := c.api.ListRunning(within)
	if err != nil {
		return nil, c.sort(within, "", err)
	}
	return c.entry(ctx, list, c.opt.Model), nil
}

// Holds reports whether the chat model is loaded, or being loaded. The error is an [*Error].
func (c *Client) Holds(ctx context.Context) (bool, error) {
	now, err := c.running(ctx)
	if err != nil {
		return false, err
	}
	return now != nil, nil
}

// holds reports whether the model is loaded as the chat needs it. A model that this process has not
// loaded before may be listed while it is still loading.
func (c *Client) holds(now *api.ProcessModelResponse) bool {
	if now == nil {
		return false
	}
	f := c.known.learn(c.opt.Model, func(f *facts) { f.is(now.Digest) })
	given := now.ContextLength
	return f.loaded && (given == 0 || given == c.opt.NumCtx || given == f.window[c.opt.NumCtx])
}

// allocated notes the result of a load, and warns about a window smaller than asked for (BRN-17).
func (c *Client) allocated(now *api.ProcessModelResponse) {
	if now == nil {
		return
	}
	asked, given := c.opt.NumCtx, now.ContextLength
	c.known.learn(c.opt.Model, func(f *facts) {
		f.is(now.Digest)
		f.loaded = true
		f.window[asked] = given
	})
	if given > 0 && given < asked {
		c.opt.Log.Warn("the server has given the model a smaller window than num_ctx: set brain.num_ctx to what it has",
			"model", c.opt.Model, "num_ctx", asked, "allocated", given)
	}
}

// loads reports whether a load that a chat has asked for is in progress.
func (c *Client) loads() bool { return c.known.of(c.opt.Model).load != nil }

// load waits until the chat model is loaded with the window that its chats ask for, and reports
// progress and whether another chat waited, too. Now is what was loaded before.
func (c *Client) load(ctx context.Context, now *api.ProcessModelResponse, stream func(Chunk)) (shared bool, failed *Error) {
	l, first := c.known.join(c.opt.Model)
	if first {
		c.found(now)
		go c.carry(l)
	}
	come(stream, fsm.StageLoading)
	tick, stop := c.ticks(loadTick)
	defer stop()
	for waited := loadTick; ; waited += loadTick {
		select {
		case <-l.done:
			return c.known.shared(l), l.failed
		case <-ctx.Done():
			return false, c.ended(ctx)
		case <-tick:
			c.opt.Log.Info("the model loads", "model", c.opt.Model, "for", waited)
			if stream != nil {
				stream(Chunk{Note: fmt.Sprintf("loading %s for %d s", c.opt.Model, waited/time.Second)})
			}
		}
	}
}

// carry has the model loaded. No chat that is given up ends that: the server would throw away what
// it has loaded so far, and begin again for the next chat (BRN-48).
func (c *Client) carry(l *load) {
	ctx, cancel := c.loading(c.open)
	defer cancel()
	c.known.loaded(c.opt.Model, l, c.askToLoad(ctx))
}

// loading bounds a load.
func (c *Client) loading(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.opt.Timeouts.Load, failure(fsm.BrainLoading,
		"the model %q did not load within %v (timeouts.load): wait, take a smaller model, or raise it", c.opt.Model, c.opt.Timeouts.Load))
}

// askToLoad sends a chat without messages, which ends when the model is loaded. The window and shift
// are those of the chats (BRN-2): a newer server starts the model's process anew for another shift.
func (c *Client) askToLoad(ctx context.Context) *Error {
	no := false
	body, err := json.Marshal(api.ChatRequest{
		Model: c.opt.Model, Messages: []api.Message{}, Stream: &no, Shift: &no, KeepAlive: &api.Duration{Duration: c.opt.keepLoaded()},
		Options: map[string]any{"num_ctx": c.opt.NumCtx},
	})
	if err != nil {
		return failure(fsm.BrainError, "%v", err)
	}
	req, err := c.posted(ctx, c.chatURL, body)
	if err != nil {
		return failure(fsm.BrainError, "%v", err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.failed(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.refusedChat(ctx, resp)
	}
	in := newLines(resp.Body)
	defer in.giveBack()
	line, err := in.next()
	if err != nil {
		return c.cut(ctx, err)
	}
	_, _ = io.Copy(io.Discard, in.r)
	var ch chunk
	switch err := json.Unmarshal(line, &ch); {
	case err != nil:
		return c.unreadable(resp.Header, line)
	case ch.failed():
		return c.broken(line)
	case !ch.Done:
		return failure(fsm.BrainCutStream, "the server at %s did not say that the model is loaded", c.base)
	}
	return nil
}

// keepLoaded returns how long a model that was only loaded is kept: long enough for its chat to
// come.
func (o *Options) keepLoaded() time.Duration {
	if o.KeepAlive < 0 {
		return o.KeepAlive
	}
	return max(o.KeepAlive, time.Minute)
}

// capable finds out, once, what the chat model can do (BRN-13). If the server does not say, its
// refusals will tell.
func (c *Client) capable(ctx context.Context) (facts, *Error) {
	f := c.known.of(c.opt.Model)
	if f.asked {
		return f, nil
	}
	asking, cancel := c.within(ctx, c.opt.Timeouts.Connect, "what the model can do")
	defer cancel()
	can, err := c.Show(asking, c.opt.Model)
	if typed, ok := errors.AsType[*Error](err); ok && (ctx.Err() != nil || typed.Class == fsm.BrainMissingModel || typed.Class == fsm.BrainUnreachable) {
		return facts{}, typed
	}
	return c.known.learn(c.opt.Model, func(f *facts) { f.asked, f.told, f.can = true, err == nil, can }), nil
}
