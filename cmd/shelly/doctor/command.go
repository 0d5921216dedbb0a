// Package doctor is shelly doctor, which checks what is reachable and says what to change.
package doctor

import (
	"context"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
)

// Command is the subcommand.
type Command struct {
	flags.Settings
	Measure bool `help:"Ask the model for a short answer and report its speed. The next turn of a running shelly may be read from the beginning then."`
	flags.AsJSON
}

// Help is the text after the usage.
func (Command) Help() string {
	return "Lines after → say how to fix the problem. Recommendations are based on what the server and the machine report."
}

// timeout bounds the whole examination, except a measurement.
const timeout = 30 * time.Second

// Run implements the subcommand (CLI-10).
func (c *Command) Run(t *terminal.Terminal) error {
	all, stop := exit.Interruptible()
	defer stop()
	cfg, err := c.Load()
	limit := timeout
	if c.Measure {
		limit += cfg.Brain.Timeouts.Load + cfg.Brain.Timeouts.Total
	}
	ctx, cancel := context.WithTimeout(all, limit)
	defer cancel()
	x := &examination{}
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			x.fail("configuration", line, "correct it, then run shelly doctor again")
		}
		x.replaced(c.ConfigFile)
	} else {
		x.configuration(c.ConfigFile)
		x.replaced(c.ConfigFile)
		running := x.daemon(ctx, cfg)
		x.data(ctx, cfg, running)
		x.workspace(cfg, running)
		x.exec(ctx, cfg, running)
		x.web(cfg, running)
		x.further(cfg, running)
		x.tools(cfg)
		x.talks(cfg, running)
		x.told(cfg)
		x.zone(cfg)
		x.descriptors(running)
		x.reserve(cfg)
		x.stop(cfg, unitFolders())
		x.brain(ctx, cfg, running, c.Measure)
	}
	return x.report(t, c.JSON)
}
