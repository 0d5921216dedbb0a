package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/download"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/runtime/ollama"
)

type modelPullCmd struct {
	Name string `arg:"" help:"The model, such as qwen3:4b."`
	place
}

// Help says what no flag does.
func (modelPullCmd) Help() string {
	return "The server that brain.url names downloads it, not shelly. ^C stops that; the next pull goes on from there."
}

// Run implements the subcommand (CLI-19).
func (c *modelPullCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	client, err := ollama.New(askingOptions(cfg.Brain))
	if err != nil {
		return exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	defer client.Close()
	ctx, stop := exit.Interruptible()
	defer stop()
	file, _ := t.err.(*os.File)
	progress := &download.Progress{Out: t.err, Terminal: file != nil && isTerminal(file), Name: c.Name, Now: time.Now}
	err = client.Pull(ctx, c.Name, progress.Tell)
	progress.End()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(t.err, "stopped; the server keeps what has come: go on with shelly model pull %s, before the server is started again\n", c.Name)
		return context.Cause(ctx)
	case err != nil:
		return modelFailed(c.Name, err)
	}
	return c.installed(ctx, t, client)
}

// installed says what has come.
func (c *modelPullCmd) installed(ctx context.Context, t *terminal, client *ollama.Client) error {
	models, err := client.Models(ctx)
	if err != nil {
		return modelFailed(c.Name, err)
	}
	can, err := client.Show(ctx, c.Name)
	if err != nil {
		return modelFailed(c.Name, err)
	}
	for _, m := range models {
		if ollama.SameModel(m.Name, c.Name) {
			fmt.Fprintf(t.out, "%s is installed: %s, %s, window %d\n", m.Name, quantity.Bytes(m.Size), strings.Join(can.Words(), ", "), can.ContextLength)
		}
	}
	return nil
}
