package client

import (
	"context"

	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// Tokens returns the clients that have a token, in the order of their names.
func (c *Client) Tokens(ctx context.Context) ([]access.Client, error) {
	body, err := get[comm.TokensBody](ctx, c, "/v1/tokens")
	return body.Tokens, err
}

// AddToken makes a token for a client. It is shown only here.
func (c *Client) AddToken(ctx context.Context, name string, can access.Rights) (comm.NewToken, error) {
	return post[comm.NewToken](ctx, c, "/v1/tokens", map[string]any{"name": name, "can": can})
}

// RevokeToken revokes a client's token, and reports whether there was one.
func (c *Client) RevokeToken(ctx context.Context, name string) (taken bool, err error) {
	return c.tell(ctx, "/v1/tokens/"+segment(name)+"/revoke", map[string]string{})
}
