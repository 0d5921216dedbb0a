package request

import (
	"cmp"
	"context"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// addressed is whom a person's word is about.
type addressed struct {
	ID     string `arg:"" optional:"" help:"Request that waits for the decision."`
	Handle uint64 `placeholder:"N" help:"Handle that waits, if it is not a request."`
	journalled
}

type approveCmd struct{ deciding }

// Run implements the subcommand (CLI-15, APR-2).
func (c *approveCmd) Run(t *terminal.Terminal) error { return c.decide(t, true) }

type denyCmd struct{ deciding }

// Run implements the subcommand (CLI-15, APR-2).
func (c *denyCmd) Run(t *terminal.Terminal) error { return c.decide(t, false) }

// deciding is the flags of a decision about a tool call.
type deciding struct {
	addressed
	Key string `placeholder:"KEY" help:"Decide only about the call with this key. Default: the one that waits now."`
	By  string `placeholder:"NAME" help:"Who decides; recorded in the journal and shown to the model."`
}

// Help is what follows the usage.
func (deciding) Help() string {
	return "Shows the waiting call first. Exit codes: 1 if nothing waits for that decision, 4 if no question is open."
}

func (c *deciding) decide(t *terminal.Terminal, approve bool) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx)
	switch {
	case err != nil:
		return err
	case ask == nil && c.Key == "":
		return exit.Errorf(exit.NoMatch, "no question is open for %s", nameOf(about))
	case ask != nil && ask.Question != fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, argOf(about)))
	}
	key := c.Key
	if ask != nil {
		fmt.Fprintf(t.Out, "%s (key %s)\n", terminal.Printable(asking(*ask)), ask.Key)
		key = cmp.Or(key, ask.Key)
	}
	taken, err := daemon.Decide(ctx, about, approve, key, c.By)
	switch {
	case err != nil:
		return exit.Daemon(err)
	case !taken:
		return exit.Errorf(exit.Failed, "not accepted: no call of %s waits with key %s", nameOf(about), key)
	case approve:
		fmt.Fprintln(t.Out, "approved")
	default:
		fmt.Fprintln(t.Out, "denied")
	}
	return nil
}

type resolveCmd struct {
	addressed
	Text string `placeholder:"TEXT" help:"Outcome of the call, for the model."`
}

// Help is what follows the usage.
func (resolveCmd) Help() string {
	return "For a request whose tool call has an unknown outcome, that was active in several crashes, " +
		"or whose journal replays differently. Exit code 4 if no question is open."
}

// Run implements the subcommand (CLI-15, APR-6, HND-36).
func (c *resolveCmd) Run(t *terminal.Terminal) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx)
	switch {
	case err != nil:
		return err
	case ask == nil:
		return exit.Errorf(exit.NoMatch, "no question is open for %s", nameOf(about))
	case ask.Question == fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, argOf(about)))
	}
	fmt.Fprintln(t.Out, terminal.Printable(asking(*ask)))
	taken, err := daemon.Resolve(ctx, about, c.Text)
	switch {
	case err != nil:
		return exit.Daemon(err)
	case !taken:
		return exit.Errorf(exit.Failed, "not accepted: %s is no longer waiting", nameOf(about))
	}
	fmt.Fprintln(t.Out, "resumed")
	return nil
}

// asked returns what a person is asked about the request or handle, or nil.
func (a *addressed) asked(ctx context.Context) (daemon *client.Client, about client.About, ask *comm.Ask, err error) {
	if (a.ID == "") == (a.Handle == 0) {
		return nil, about, nil, exit.Errorf(exit.Usage, "name a request, or a handle with --handle")
	}
	if daemon, err = a.daemon(); err != nil {
		return nil, about, nil, err
	}
	if a.ID != "" {
		r, err := a.record(ctx, daemon, a.ID)
		return daemon, client.About{ID: r.ID, Channel: r.Channel}, r.Asks, err
	}
	about.Handle = fsm.HandleID(a.Handle)
	s, err := daemon.Status(ctx)
	if err != nil {
		return nil, about, nil, exit.Daemon(err)
	}
	for _, active := range s.Active {
		if active.Asks != nil && active.Asks.Handle == about.Handle {
			ask = active.Asks
		}
	}
	return daemon, about, ask, nil
}

// nameOf is whom a word is about, in words.
func nameOf(a client.About) string {
	if a.Handle != 0 {
		return fmt.Sprintf("handle %d", a.Handle)
	}
	return "request " + a.ID
}

// argOf is whom a word is about, as a command names him.
func argOf(a client.About) string {
	switch {
	case a.Handle != 0:
		return fmt.Sprintf("--handle %d", a.Handle)
	case a.Channel != comm.ChannelHTTP:
		return a.ID + " --channel " + a.Channel
	default:
		return a.ID
	}
}
