// Package mcp is shelly mcp, which connects an MCP client that starts its servers as programs to
// the running daemon.
package mcp

import (
	"context"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm/client"
)

// Command is the subcommand.
type Command struct {
	flags.Place
}

// Help says how a client is told of it.
func (Command) Help() string {
	return "Write it into the configuration of an MCP client: " +
		`{"mcpServers": {"shelly": {"command": "shelly", "args": ["mcp"]}}}` +
		". The daemon has to run. A client that speaks HTTP can use the daemon's /mcp with a token of shelly token add."
}

// Run implements the subcommand (CLI-194).
func (c *Command) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	return serve(context.Background(), client.New(cfg.Data, client.Options{}).MCP, t.In, t.Out)
}

// serve passes messages on until the input ends.
func serve(ctx context.Context, send send, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &relay{send: send, out: out}
	defer r.ended.Wait()
	defer cancel() // before it waits: nobody reads the answers any more
	return r.read(ctx, in)
}
