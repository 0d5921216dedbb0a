// Package page is shelly page, which lets a browser in to the daemon's page.
package page

import (
	"context"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
)

// Command is the subcommand.
type Command struct {
	NoOpen bool `name:"no-open" help:"Only print the link."`
	flags.Place
}

// Help says what the link gives access to.
func (Command) Help() string {
	return "Without a display, only prints the link. The link works once, within a minute; " +
		"whoever opens it can do what you can do with shelly. After a restart of shelly, run this again."
}

// Run implements the subcommand (CLI-165).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	link, life, err := client.New(cfg.Data, client.Options{}).Page(context.Background())
	if err != nil {
		return exit.Daemon(err)
	}
	fmt.Fprintln(t.Out, link)
	if c.NoOpen || !terminal.Is(t.Out) {
		return nil
	}
	opened, err := open(link)
	switch {
	case err != nil:
		fmt.Fprintf(t.Err, "· no browser was opened (%v); open the link yourself within %s\n", err, life)
	case !opened:
		fmt.Fprintf(t.Err, "· there is no display here; open the link in a browser of this machine within %s\n", life)
	default:
		fmt.Fprintf(t.Err, "· opened in your browser; the link works once, within %s\n", life)
	}
	return nil
}
