package ollama

import (
	"context"

	"shelly/fsm"
)

// chats reports whether a model can chat, as far as the server says (BRN-32). An older one
// says nothing of what a model can do.
func (c Capabilities) chats() bool {
	return c.Completion || !c.Tools && !c.Thinking && !c.Embedding && !c.Vision
}

// chatless is what is said of a model that makes vectors and no words.
func (c *Client) chatless(model string) *Error {
	return failure(fsm.BrainNoChat, "the model %q cannot chat: set brain.model to one that can (\"ollama show MODEL\" lists completion under its capabilities), or run \"ollama pull %s\"",
		model, suggestedModel)
}

// talks asks whether a configured chat model can chat, so that a wrong one is reported at the
// start and not by the first request. A server that does not say is not held against it.
func (c *Client) talks(ctx context.Context, model string) *Error {
	if can, err := c.Show(ctx, model); err == nil && !can.chats() {
		return c.chatless(model)
	}
	return nil
}
