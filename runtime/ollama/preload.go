package ollama

import "context"

// Preload makes the server load the chat model with the window and for the time that the chats ask
// for, so that none of them loads it again (BRN-19). It returns once the model is loaded. The error
// is an [*Error].
func (c *Client) Preload(ctx context.Context) error {
	ctx, cancel := c.loading(ctx)
	defer cancel()
	if now, err := c.running(ctx); err == nil {
		c.found(now)
		c.known.learn(c.opt.Model, func(f *facts) { f.empty = now == nil }) // before the load, during which the first call may come
	}
	if err := c.askToLoad(ctx); err != nil {
		return err
	}
	if now, err := c.running(ctx); err == nil {
		c.allocated(now)
	}
	return nil
}
