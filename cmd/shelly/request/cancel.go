package request

import (
	"context"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
)

type cancelCmd struct {
	ID string `arg:"" help:"Request to cancel."`
	journalled
}

// Help is what follows the usage.
func (cancelCmd) Help() string {
	return "A cancelled request still gets its one reply. Exit code 1 if the request is already done or the profile does not allow cancelling."
}

// Run implements the subcommand (CLI-15, COM-12).
func (c *cancelCmd) Run(t *terminal.Terminal) error {
	ctx := context.Background()
	daemon, err := c.daemon()
	if err != nil {
		return err
	}
	r, err := c.record(ctx, daemon, c.ID)
	if err != nil {
		return err
	}
	taken, err := daemon.Cancel(ctx, r.ID, r.Channel)
	switch {
	case err != nil:
		return exit.Daemon(err)
	case taken:
		fmt.Fprintf(t.Out, "request %s will be cancelled; its reply says so\n", r.ID)
		return nil
	case r.Done:
		return exit.Errorf(exit.Failed, "request %s is already done (%s)", r.ID, r.Outcome)
	default:
		return exit.Errorf(exit.Failed, "request %s is not cancelled: its outcome is decided, or the profile does not allow it (switches.cancel)", r.ID)
	}
}
