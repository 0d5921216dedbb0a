// Package status is shelly status: what the daemon does, what waits and why, and which
// resources it uses.
package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

// Command is the subcommand.
type Command struct {
	Watch        bool          `short:"w" help:"Keep it up to date on the screen; ^C ends that."`
	Every        time.Duration `default:"1s" placeholder:"TIME" help:"How often, with --watch (default ${default})."`
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/status; with --watch a line each."`
	flags.Place
}

// Help explains the words.
func (Command) Help() string {
	return "Running and waiting work, open questions, schedules, unread messages, the model, memory, disk, " +
		"and the last warnings and errors. Exit code 7 if no daemon runs."
}

// modelWait is how long the model's server may take to say what it has loaded.
const modelWait = time.Second

// Run implements the subcommand (CLI-144).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	if c.Every < 100*time.Millisecond {
		return exit.Errorf(exit.Usage, "--every: give 100ms or more")
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	daemon := client.New(cfg.Data, client.Options{})
	if !c.Watch {
		return c.once(ctx, t, daemon, cfg)
	}
	return c.watch(ctx, t, daemon, cfg)
}

// once prints the status once.
func (c *Command) once(ctx context.Context, t *terminal.Terminal, daemon *client.Client, cfg config.Config) error {
	s, err := daemon.Status(ctx)
	if err != nil {
		return exit.Daemon(err)
	}
	switch {
	case c.JSON && c.Watch:
		return t.JSONLine(s)
	case c.JSON:
		return t.JSON(s)
	}
	text := terminal.Printable(Words(s, loaded(ctx, cfg.Brain, s.Server), moment.Now()))
	_, err = fmt.Fprint(t.Out, listing.Beside(text, nameColumns, terminal.Width(t.Out)))
	return err
}

// watch prints the status repeatedly, on a terminal in the same place. It waits for a daemon
// that is not running, or does not answer.
func (c *Command) watch(ctx context.Context, t *terminal.Terminal, daemon *client.Client, cfg config.Config) error {
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for {
		screen, columns := *t, terminal.Columns(t.Out)
		redrawn := !c.JSON && columns > 0
		if redrawn {
			fmt.Fprint(t.Out, home)
			screen.Out = clearing{t.Out, columns}
		}
		err := c.once(ctx, &screen, daemon, cfg)
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(t.Out)
			return nil
		case errors.Is(err, client.ErrNotRunning) && !errors.Is(err, client.ErrUnannounced):
			fmt.Fprintln(screen.Out, "shelly is not running")
		case errors.Is(err, client.ErrUnannounced), errors.Is(err, client.ErrSilent), errors.Is(err, client.ErrBroken): // it was killed, or is too busy
			fmt.Fprintln(screen.Out, err)
		case err != nil:
			return err
		}
		if redrawn {
			fmt.Fprint(t.Out, below)
		} else if !c.JSON {
			fmt.Fprintln(t.Out)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			fmt.Fprintln(t.Out)
			return nil
		}
	}
}

// loaded returns what the server that answers the daemon's model calls has loaded; nil if it does
// not report that. The daemon may have been started with another address than this command; the
// status has the address without its path (BRN-41), so the configured one is used if it is the same.
func loaded(ctx context.Context, c config.Brain, server string) []ollama.Loaded {
	if server == "" {
		return nil
	}
	there, err := ollama.New(brain.Options(c))
	if err != nil || there.BaseURL() != server {
		c.URL = server
		if there, err = ollama.New(brain.Options(c)); err != nil {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	list, err := there.Loaded(ctx)
	if err != nil {
		return nil
	}
	return list
}
