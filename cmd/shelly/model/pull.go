package model

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/download"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

type pullCmd struct {
	Name string `arg:"" help:"Model to pull, such as qwen3:4b."`
	flags.Place
}

// Help says what no flag does.
func (pullCmd) Help() string {
	return "The server at brain.url downloads it, not shelly. ^C stops the download; the next pull continues it."
}

// Run implements the subcommand (CLI-19).
func (c *pullCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	client, err := ollama.New(brain.Options(cfg.Brain))
	if err != nil {
		return exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	defer client.Close()
	ctx, stop := exit.Interruptible()
	defer stop()
	progress := &download.Progress{Line: terminal.NewLine(t.Err), Name: c.Name, Now: time.Now}
	err = client.Pull(ctx, c.Name, progress.Tell)
	progress.End()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(t.Err, "stopped; the server keeps what it has downloaded until it is restarted: continue with shelly model pull %s\n", wording.ShellArgument(c.Name))
		return context.Cause(ctx)
	case err != nil:
		return failed(c.Name, err)
	}
	return c.installed(ctx, t, client)
}

// installed prints what was installed.
func (c *pullCmd) installed(ctx context.Context, t *terminal.Terminal, client *ollama.Client) error {
	models, err := client.Models(ctx)
	if err != nil {
		return failed(c.Name, err)
	}
	can, err := client.Show(ctx, c.Name)
	if err != nil {
		return failed(c.Name, err)
	}
	for _, m := range models {
		if ollama.SameModel(m.Name, c.Name) {
			fmt.Fprintf(t.Out, "%s is installed: %s, %s, window %d\n", m.Name, quantity.Bytes(m.Size), strings.Join(can.Words(), ", "), can.ContextLength)
		}
	}
	return nil
}
