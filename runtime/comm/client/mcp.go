package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"shelly/runtime/comm"
)

// MCP sends a message of the Model Context Protocol to the daemon, with the given headers, and
// returns the response, whatever its status. The caller must close its body.
func (c *Client) MCP(ctx context.Context, header http.Header, message []byte) (*http.Response, error) {
	at, err := ReadEndpoint(c.dir)
	if err != nil {
		return nil, err
	}
	if at.HTTP == "" {
		return nil, errors.New("the running shelly does not listen for HTTP; set comm.http and start it again")
	}
	token, err := ReadToken(c.dir)
	if err != nil {
		return nil, &Error{Problem: comm.Problem{Code: comm.CodeUnauthorized, Message: err.Error()}}
	}
	request, err := http.NewRequestWithContext(context.WithValue(ctx, tokenKey{}, token), http.MethodPost, "http://"+at.HTTP+"/mcp", bytes.NewReader(message))
	if err != nil {
		return nil, fmt.Errorf("make the request to %s: %w", at.HTTP, err)
	}
	request.Header = header.Clone()
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := c.patient.Do(request)
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" && ctx.Err() == nil {
		return nil, fmt.Errorf("%w (nothing answers at %s)", ErrNotRunning, at.HTTP)
	}
	if errors.Is(err, errStranger) {
		return nil, stranger(at, filepath.Join(c.dir, TokenFile))
	}
	if err != nil {
		return nil, fmt.Errorf("ask shelly: %w: %w", errBroken, err)
	}
	return response, nil
}
