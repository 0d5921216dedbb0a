package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

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
	body, err := json.Marshal(struct {
		Name string        `json:"name"`
		Can  access.Rights `json:"can"`
	}{name, can})
	if err != nil {
		return comm.NewToken{}, fmt.Errorf("encode the client: %w", err)
	}
	var made comm.NewToken
	err = c.read(ctx, http.MethodPost, "/v1/tokens", body, &made)
	return made, err
}

// RevokeToken revokes a client's token, and reports whether there was one.
func (c *Client) RevokeToken(ctx context.Context, name string) (taken bool, err error) {
	var answer comm.Taken
	err = c.read(ctx, http.MethodPost, "/v1/tokens/"+segment(name)+"/revoke", []byte("{}"), &answer)
	return answer.Taken, err
}
