// Package acp is shelly acp, which connects an editor that speaks the Agent Client Protocol
// to the running daemon. Package runtime/front/acp has the translation; here are the
// connection, the sessions and the daemon.
package acp

import (
	"context"
	"log/slog"
	"path/filepath"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/version"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp/rpc"
	"shelly/runtime/tool/file/change"
)

// tries is how often a daemon that has gone is looked for while a prompt is under way: with
// the pauses of the client, at most 4 s each, about two minutes.
const tries = 34

// Command is the subcommand.
type Command struct {
	flags.Place
}

// Help says how an editor is told of it.
func (Command) Help() string {
	return "Name it to an editor as an agent to start: command shelly, args [\"acp\"]. The daemon has to run, in the folder " +
		"that is open in the editor or one above it. docs/clients.md has the settings of Zed, JetBrains and Neovim."
}

// Run implements the subcommand (CLI-196).
func (c *Command) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(t.Err, &slog.HandlerOptions{Level: slog.LevelInfo}))
	a := newAgent(client.New(cfg.Data, client.Options{Beginning: true, Tries: tries}), log)
	a.version = version.Text()
	a.changes = change.Open(filepath.Join(cfg.Data, "changes"))
	a.conn = rpc.New(a, t.Out, rpc.Options{Log: log})
	return a.conn.Serve(context.Background(), t.In)
}
