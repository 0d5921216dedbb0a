// Package mcp is shelly mcp, which connects an MCP client that starts its servers as programs to
// the running daemon.
package mcp

import (
	"context"
	"crypto/rand"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/front/rpc"
)

// Command is the subcommand.
type Command struct {
	flags.Place
}

// Help says how to set it up in a client.
func (Command) Help() string {
	return "Add it to the configuration of an MCP client: " +
		`{"mcpServers": {"shelly": {"command": "shelly", "args": ["mcp"]}}}` +
		". The daemon must be running. A client that speaks HTTP can use the daemon's /mcp instead, with a token from shelly token add."
}

// Run implements the subcommand (CLI-194).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	return serve(context.Background(), client.New(cfg.Data, client.Options{}).MCP, t.In, t.Out)
}

// serve relays messages until the input ends.
func serve(ctx context.Context, send send, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &relay{send: send, name: rand.Text(), calls: map[string]*call{}, out: out, places: make(chan struct{}, atOnce)}
	defer rpc.Settle(&r.ended)
	defer cancel() // runs before the wait: the answers are not read any more
	return r.read(ctx, in)
}
