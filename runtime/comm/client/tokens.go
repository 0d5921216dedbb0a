package client

import (
	"context"

	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// Tokens returns the clients that have a token, in the order of their names.
func (c *Client) Tokens(ctx context.Context) ([]access.Client, error) {
	var body comm.TokensBody
	return body.Tokens, c.get(ctx, "/v1/tokens", &body)
}

// AddToken makes a token for a client. It is shown only here.
func (c *Client) AddToken(ctx context.Context, name string, can access.Rights) (comm.NewToken, error) {
	var made comm.NewToken
	err := c.post(ctx, "/v1/tokens", map[string]any{"name": name, "can": can}, &made)
	return made, err
}

// RevokeToken revokes a client's token, and reports whether there was one.
func (c *Client) RevokeToken(ctx context.Context, name string) (taken bool, err error) {
	return c.tell(ctx, "/v1/tokens/"+segment(name)+"/revoke", map[string]string{})
}
