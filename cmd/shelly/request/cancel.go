package request

import (
	"context"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm/client"
)

type cancelCmd struct {
	ID string `arg:"" help:"Request to cancel, or a run such as h12."`
	journalled
}

// Help is the text after the usage.
func (cancelCmd) Help() string {
	return "A cancelled request still gets its one reply. With switches.cancel at checkpoint the call in progress finishes first; if it brings the answer, that is the reply. Exit code 1 if the request is already done or the profile does not allow cancelling."
}

// Run implements the subcommand (CLI-15, COM-12).
func (c *cancelCmd) Run(t *terminal.Terminal) error {
	ctx := context.Background()
	daemon, err := c.daemon()
	if err != nil {
		return err
	}
	r, err := c.record(ctx, daemon, c.ID)
	if run, is := runID(c.ID, err); is {
		return cancelRun(ctx, t, daemon, run)
	}
	if err != nil {
		return err
	}
	taken, err := daemon.CancelOf(ctx, client.About{ID: r.ID, Channel: r.Channel, Client: r.Client})
	switch {
	case err != nil:
		return exit.Daemon(err)
	case taken:
		fmt.Fprintf(t.Out, "request %s is being cancelled; its reply says so, or is the answer if that comes first\n", r.ID)
		return nil
	case r.Done:
		return exit.Errorf(exit.Failed, "request %s is already done (%s)", r.ID, r.Outcome)
	default:
		return exit.Errorf(exit.Failed, "request %s is not cancelled: its outcome is decided, or the profile does not allow it (switches.cancel)", r.ID)
	}
}

// cancelRun cancels work that is not a request, such as a schedule's run.
func cancelRun(ctx context.Context, t *terminal.Terminal, daemon *client.Client, id fsm.HandleID) error {
	taken, err := daemon.CancelHandle(ctx, id)
	switch {
	case err != nil:
		return exit.Daemon(err)
	case !taken:
		return exit.Errorf(exit.NoMatch, "nothing that can be cancelled has the id %s; see shelly request list --all", id.Entry())
	}
	fmt.Fprintf(t.Out, "%s is being cancelled\n", id.Entry())
	return nil
}
