package request

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// addressed names the request or handle that a decision is about.
type addressed struct {
	ID     string  `arg:"" optional:"" help:"Request that waits for the decision, or a run such as h12. Default: the only one that waits."`
	Handle *uint64 `placeholder:"N" help:"Handle that waits, if it is not a request."`
	journalled
}

type approveCmd struct {
	deciding
	For string `enum:"once,session,always" default:"once" help:"Which later calls it is for: once (none), session or always (see shelly approval)."`
}

// Run implements the subcommand (CLI-15, APR-2, APR-12).
func (c *approveCmd) Run(t *terminal.Terminal) error {
	d := client.Decision{Approve: true}
	if c.For != "once" {
		d.Grant = fsm.GrantScope(c.For)
	}
	return c.decide(t, d)
}

type denyCmd struct {
	deciding
	Reason string `placeholder:"TEXT" help:"Why, or what to do instead, for the model."`
}

// Run implements the subcommand (CLI-15, APR-2, APR-23).
func (c *denyCmd) Run(t *terminal.Terminal) error {
	return c.decide(t, client.Decision{Reason: strings.TrimSpace(c.Reason)})
}

// deciding has the flags of a decision about a tool call.
type deciding struct {
	addressed
	Key string `placeholder:"KEY" help:"Decide only about the call with this key. Default: the one that waits now."`
	By  string `placeholder:"NAME" help:"Who decides; recorded in the journal and shown to the model."`
}

// Help is the text after the usage.
func (deciding) Help() string {
	return "Shows the waiting call first. Exit codes: 1 if nothing waits for that decision, 4 if no question is open."
}

func (c *deciding) decide(t *terminal.Terminal, d client.Decision) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx, func(a *comm.Ask) bool { return a.Question == fsm.QuestionApprove })
	switch {
	case err != nil:
		return err
	case ask == nil && c.Key == "":
		return exit.Errorf(exit.NoMatch, "no question is open for %s", nameOf(about))
	case ask != nil && ask.Question != fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, about))
	}
	key := c.Key
	if ask != nil {
		fmt.Fprintln(t.Out, terminal.Printable(asking(*ask)+keyOf(*ask)))
		for line := range strings.Lines(previewOf(*ask)) {
			fmt.Fprintln(t.Out, terminal.Printable(strings.TrimRight(line, "\n")))
		}
		key = cmp.Or(key, ask.Key)
	}
	d.Key, d.By = key, c.By
	taken, err := daemon.Decide(ctx, about, d)
	switch {
	case err != nil:
		return exit.Daemon(err)
	case !taken:
		return exit.Errorf(exit.Failed, "not accepted: no call of %s waits with key %s", nameOf(about), key)
	case d.Grant != fsm.GrantOnce:
		fmt.Fprintf(t.Out, "approved, and later calls like it (%s); see shelly approval list\n", d.Grant)
	case d.Approve:
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

// Help is the text after the usage.
func (resolveCmd) Help() string {
	return "For a request whose tool call has an unknown outcome, that was active in several crashes, " +
		"or whose journal replays differently. Exit code 4 if no question is open."
}

// Run implements the subcommand (CLI-15, APR-6, HND-36).
func (c *resolveCmd) Run(t *terminal.Terminal) error {
	ctx := context.Background()
	daemon, about, ask, err := c.asked(ctx, func(a *comm.Ask) bool { return a.Question != fsm.QuestionApprove })
	switch {
	case err != nil:
		return err
	case ask == nil:
		return exit.Errorf(exit.NoMatch, "no question is open for %s", nameOf(about))
	case ask.Question == fsm.QuestionApprove:
		return exit.Errorf(exit.Failed, "%s asks something else: %s; answer with: %s", nameOf(about), asking(*ask), answerTo(*ask, about))
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

// asked returns what a person is asked about the request or handle, or nil. If neither is
// named, it is the only open question that fits (CLI-122).
func (a *addressed) asked(ctx context.Context, fits func(*comm.Ask) bool) (daemon *client.Client, about client.About, ask *comm.Ask, err error) {
	if a.ID != "" && a.Handle != nil {
		return nil, about, nil, exit.Errorf(exit.Usage, "name a request, or a handle with --handle")
	}
	if a.Handle != nil && *a.Handle == 0 {
		return nil, about, nil, exit.Errorf(exit.NoMatch, "there is no handle 0")
	}
	if daemon, err = a.daemon(); err != nil {
		return nil, about, nil, err
	}
	if a.ID == "" && a.Handle == nil {
		about, ask, err = theOnly(ctx, daemon, fits)
		return daemon, about, ask, err
	}
	if a.ID != "" {
		r, err := a.record(ctx, daemon, a.ID)
		if run, is := runID(a.ID, err); is {
			about.Handle = run
			ask, err = askOf(ctx, daemon, run)
			return daemon, about, ask, err
		}
		return daemon, client.About{ID: r.ID, Channel: r.Channel, Client: r.Client}, r.Asks, err
	}
	about.Handle = fsm.HandleID(*a.Handle)
	ask, err = askOf(ctx, daemon, about.Handle)
	return daemon, about, ask, err
}

// askOf returns what a person is asked about a handle, or nil.
func askOf(ctx context.Context, daemon *client.Client, of fsm.HandleID) (ask *comm.Ask, err error) {
	s, err := daemon.Status(ctx)
	if err != nil {
		return nil, exit.Daemon(err)
	}
	for _, active := range s.Active {
		if active.Asks != nil && active.Asks.Handle == of {
			ask = active.Asks
		}
	}
	return ask, nil
}

// theOnly returns the only open question that fits; if there are several, the error lists them.
func theOnly(ctx context.Context, daemon *client.Client, fits func(*comm.Ask) bool) (about client.About, ask *comm.Ask, err error) {
	s, err := daemon.Status(ctx)
	if err != nil {
		return about, nil, exit.Daemon(err)
	}
	return onlyOf(s.Active, fits)
}

// onlyOf returns the only question of handles that fits.
func onlyOf(all []comm.Active, fits func(*comm.Ask) bool) (about client.About, ask *comm.Ask, err error) {
	var open []comm.Active
	for _, active := range all {
		if active.Asks != nil && fits(active.Asks) {
			open = append(open, active)
		}
	}
	switch len(open) {
	case 0:
		return about, nil, exit.Errorf(exit.NoMatch, "no question is open; see shelly request list --state held")
	case 1:
		about.Handle = open[0].Asks.Handle
		return about, open[0].Asks, nil
	}
	var list strings.Builder
	for _, active := range open {
		who := cmp.Or(active.Request, fmt.Sprintf("--handle %d", active.Asks.Handle))
		fmt.Fprintf(&list, "\n  %s  %s", who, terminal.Head(asking(*active.Asks)))
	}
	return about, nil, exit.Errorf(exit.Usage, "%d questions are open; name one:%s", len(open), terminal.Printable(list.String()))
}

// nameOf names a request or handle for a person.
func nameOf(a client.About) string {
	if a.Handle != 0 {
		return fmt.Sprintf("handle %d", a.Handle)
	}
	return "request " + a.ID
}

// argOf names a request or handle as an argument of a command, with the command's other flags.
func argOf(a client.About, flags ...string) string {
	switch {
	case a.Handle != 0:
		return strings.Join(append([]string{"--handle", strconv.Itoa(int(a.Handle))}, flags...), " ")
	case a.Channel != "" && a.Channel != comm.ChannelHTTP:
		return wording.ShellArgument(a.ID, append([]string{"--channel", a.Channel}, flags...)...)
	default:
		return wording.ShellArgument(a.ID, flags...)
	}
}
