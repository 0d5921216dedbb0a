package ollama

import (
	"context"

	"shelly/fsm"
)

// chats reports whether a model can chat, as far as the server says (BRN-32). An older server does
// not list what a model can do.
func (c Capabilities) chats() bool {
	return c.Completion || !c.Tools && !c.Thinking && !c.Embedding && !c.Vision
}

// chatless returns the error about a model that makes vectors but no text.
func (c *Client) chatless(model string) *Error {
	return failure(fsm.BrainNoChat, "the model %q cannot chat: set brain.model to one that can (\"ollama show MODEL\" lists completion under its capabilities), or run \"ollama pull %s\"",
		model, suggestedModel)
}

// talks checks that a configured chat model can chat, so that a wrong one is reported at the start
// and not by the first request. If the server does not say, the model passes.
func (c *Client) talks(ctx context.Context, model string) *Error {
	if can, err := c.Show(ctx, model); err == nil && !can.chats() {
		return c.chatless(model)
	}
	return nil
}
