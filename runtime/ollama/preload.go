package ollama

import (
	"context"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
)

// Preload has the server load the chat model, with the window and for the time that the
// chats ask for, so that none of them loads it again (BRN-19). It returns once the model
// is loaded. The error is an [*Error].
func (c *Client) Preload(ctx context.Context) error {
	ctx, cancel := within(ctx, c.opt.Timeouts.FirstToken, "loading the model")
	defer cancel()
	stream := false
	loaded := false
	err := c.api.Chat(ctx, &api.ChatRequest{
		Model:     c.opt.Model,
		Messages:  []api.Message{},
		Stream:    &stream,
		KeepAlive: &api.Duration{Duration: c.opt.KeepAlive},
		Options:   map[string]any{"num_ctx": c.opt.NumCtx},
	}, func(r api.ChatResponse) error {
		loaded = r.Done
		return nil
	})
	switch {
	case err != nil:
		return c.sort(ctx, c.opt.Model, err)
	case !loaded:
		return failure(fsm.BrainCutStream, "the Ollama server at %s dropped the connection before the model was loaded", c.base)
	}
	return nil
}
