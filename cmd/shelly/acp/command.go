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
	"shelly/runtime/config"
	"shelly/runtime/front/rpc"
	"shelly/runtime/tool/file/change"
)

// tries is how many times a lost daemon is looked for while a prompt is unfinished: about two
// minutes, with the client's pauses of at most 4 s each.
const tries = 34

// Command is the subcommand.
type Command struct {
	flags.Place
}

// Help says how to set it up in an editor.
func (Command) Help() string {
	return "Add it to the editor's agents: command shelly, args [\"acp\"]. The daemon must be running, in the folder " +
		"that is open in the editor or in one above it. docs/clients.md has the settings for Zed, JetBrains and Neovim."
}

// Run implements the subcommand (CLI-196).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	log := slog.New(slog.NewTextHandler(t.Err, &slog.HandlerOptions{Level: slog.LevelInfo}))
	a := newAgent(client.New(cfg.Data, client.Options{Beginning: true, Tries: tries}), log)
	a.version = version.Text()
	a.changes = change.Open(filepath.Join(cfg.Data, "changes"))
	a.conn = rpc.New(a, t.Out, rpc.Options{Log: log})
	return a.conn.Serve(context.Background(), t.In)
}
