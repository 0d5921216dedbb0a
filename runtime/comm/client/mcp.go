package client

import (
	"context"
	"net/http"
)

// MCP sends a message of the Model Context Protocol to the daemon, with the given headers, and
// returns the response, whatever its status. The caller must close its body.
func (c *Client) MCP(ctx context.Context, header http.Header, message []byte) (*http.Response, error) {
	header = header.Clone()
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	response, _, err := c.send(ctx, c.patient, http.MethodPost, "/mcp", header, message)
	return response, err
}
