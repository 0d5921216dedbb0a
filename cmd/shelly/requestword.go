package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

type requestCancelCmd struct {
	ID string `arg:"" help:"Request to cancel."`
	journalled
}

// Help is what follows the usage.
func (requestCancelCmd) Help() string {
	return "A cancelled request still has its one reply. It ends with 1 where the request is done already or the profile does not cancel."
}

// Run implements the subcommand (CLI-15, COM-12).
func (c *requestCancelCmd) Run(t *terminal) error {
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
		return exit.With(codeOf(err), err)
	case taken:
		fmt.Fprintf(t.out, "request %s will be cancelled; its reply says so\n", r.ID)
		return nil
	case r.Done:
		return exit.Errorf(exit.Failed, "request %s is done already (%s)", r.ID, r.Outcome)
	default:
		return exit.Errorf(exit.Failed, "request %s is not cancelled: its end is settled, or the profile does not cancel (switches.cancel)", r.ID)
	}
}

// addressed is whom a person's word is about.
type addressed struct {
	ID     string `arg:"" optional:"" help:"Request that asks."`
	Handle uint64 `placeholder:"N" help:"Handle that asks, where it is no request."`
	journalled
}

type requestApproveCmd struct{ deciding }

// Run implements the subcommand (CLI-15, APR-2).
func (c *requestApproveCmd) Run(t *terminal) error { return c.decide(t, true) }

type requestDenyCmd struct{ deciding }

// Run implements the subcommand (CLI-15, APR-2).
func (c *requestDenyCmd) Run(t *terminal) error { return c.decide(t, false) }

// deciding is the flags of a decision about a tool call.
type deciding struct {
	addressed
	Key string `placeholder:"KEY" help:"Decide about the call of this key alone. Default: about the one that waits now."`
	By  string `placeholder:"NAME" help:"Who decides; the model and the journal are told."`
}

// Help is what follows the usage.
func (deciding) Help() string {
	return "It shows the call that waits before it decides. It ends with 1 where nobody waits for that decision, with 4 where nothing is asked."
}

func (c *deciding) decide(t *terminal, approve bool) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx)
	switch {
	case err != nil:
		return err
	case ask == nil && c.Key == "":
		return exit.Errorf(exit.NoMatch, "nothing is asked about %s", nameOf(about))
	case ask != nil && ask.Question != fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, argOf(about)))
	}
	key := c.Key
	if ask != nil {
		fmt.Fprintf(t.out, "%s (key %s)\n", printable(asking(*ask)), ask.Key)
		key = cmp.Or(key, ask.Key)
	}
	taken, err := daemon.Decide(ctx, about, approve, key, c.By)
	switch {
	case err != nil:
		return exit.With(codeOf(err), err)
	case !taken:
		return exit.Errorf(exit.Failed, "not taken: no call of %s waits under key %s", nameOf(about), key)
	case approve:
		fmt.Fprintln(t.out, "approved")
	default:
		fmt.Fprintln(t.out, "denied")
	}
	return nil
}

type requestResolveCmd struct {
	addressed
	Text string `placeholder:"TEXT" help:"What the model is told that the call did."`
}

// Help is what follows the usage.
func (requestResolveCmd) Help() string {
	return "It lets a held request go on: one whose call ended nobody knows how, one that was active in several crashes, " +
		"or one whose journal replays otherwise. It ends with 4 where nothing is asked."
}

// Run implements the subcommand (CLI-15, APR-6, HND-36).
func (c *requestResolveCmd) Run(t *terminal) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx)
	switch {
	case err != nil:
		return err
	case ask == nil:
		return exit.Errorf(exit.NoMatch, "nothing is asked about %s", nameOf(about))
	case ask.Question == fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, argOf(about)))
	}
	fmt.Fprintln(t.out, printable(asking(*ask)))
	taken, err := daemon.Resolve(ctx, about, c.Text)
	switch {
	case err != nil:
		return exit.With(codeOf(err), err)
	case !taken:
		return exit.Errorf(exit.Failed, "not taken: %s does not wait any more", nameOf(about))
	}
	fmt.Fprintln(t.out, "it goes on")
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
		return nil, about, nil, exit.With(codeOf(err), err)
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

// daemon returns the client of the daemon that the configuration names.
func (r *journalled) daemon() (*client.Client, error) {
	cfg, err := r.load()
	if err != nil {
		return nil, err
	}
	return client.New(cfg.Data, client.Options{}), nil
}

// record returns the daemon's record of the request with an id: of the channel that is
// named, of that of ask, or of the only one that has the id.
func (r *journalled) record(ctx context.Context, daemon *client.Client, id string) (comm.Record, error) {
	known, err := daemon.Get(ctx, id, r.Channel)
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, client.ErrNotFound) || r.Channel != "" {
		return comm.Record{}, exit.With(codeOf(err), err)
	}
	var found []comm.Record
	var channels []string
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: 100, ID: id}); ; {
		body, err := daemon.Requests(ctx, w)
		if err != nil {
			return comm.Record{}, exit.With(codeOf(err), err)
		}
		for _, one := range body.Requests {
			found, channels = append(found, one), append(channels, one.Channel)
		}
		if w.Before = body.Next; w.Before == 0 {
			break
		}
	}
	slices.Sort(channels)
	switch len(found) {
	case 0:
		return comm.Record{}, exit.Errorf(exit.NoMatch, "there is no request %q; see shelly request list", id)
	case 1:
		return found[0], nil
	default:
		return comm.Record{}, exit.Errorf(exit.Usage, "several channels have a request %q: name one of them with --channel: %s", id, strings.Join(channels, ", "))
	}
}
