// Package approval is shelly approval: the calls that start without a question because a person
// has allowed them.
package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/named"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/grants"
)

// Command lists and revokes the approvals that cover later calls.
type Command struct {
	List   listCmd   `cmd:"" help:"List the calls that start without a question."`
	Revoke revokeCmd `cmd:"" help:"Revoke an approval."`
}

type listCmd struct {
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/approvals."`
	flags.Place
}

// Help is what follows the usage.
func (listCmd) Help() string {
	return "Reads from the running daemon; without one, only those for every session, from approvals.yaml in the data folder, which can be edited by hand."
}

// Run implements the subcommand (CLI-121).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	list, err := approvals(context.Background(), cfg.Data)
	if err != nil {
		return err
	}
	return listing.Print(t, c.JSON, comm.ApprovalsBody{Approvals: list}, list, printList, "there are no approvals; to give one, answer session or always when you are asked")
}

// approvals returns those of a data folder's daemon, or of its file if no daemon runs.
func approvals(ctx context.Context, data string) ([]comm.Approval, error) {
	list, err := client.New(data, client.Options{}).Approvals(ctx)
	if !errors.Is(err, client.ErrNotRunning) {
		return list, exit.Daemon(err)
	}
	kept, err := grants.Of(data).Load()
	if err != nil {
		return nil, exit.With(exit.Data, err)
	}
	s := state.Snapshot{}
	s.Config.Grants = kept
	return comm.Approvals(&s), nil
}

func printList(out io.Writer, list []comm.Approval) error {
	return listing.Table(out, "ID\tFOR\tTOOL\tCALLS\tBY\tGIVEN", list, func(a comm.Approval) []string {
		scope := "always"
		if a.Session != "" {
			scope = "session " + a.Session
		}
		return []string{a.ID, scope, a.Tool, terminal.Head(callsOf(a)), a.By, moment.Clock(a.At, "")}
	})
}

// callsOf describes which calls an approval covers.
func callsOf(a comm.Approval) string {
	if a.Any {
		return "any"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a.Match)) {
		parts = append(parts, name+"="+a.Match[name])
	}
	if len(parts) == 0 {
		return "without arguments"
	}
	return strings.Join(parts, " ")
}

type revokeCmd struct {
	ID string `arg:"" help:"Approval to revoke, or the beginning of its id."`
	By string `placeholder:"NAME" help:"Who revokes it; recorded in the journal."`
	flags.Place
}

// Help is what follows the usage.
func (revokeCmd) Help() string {
	return "Calls that it covered need approval again. Those that have started continue. Exit code 4 if there is no such approval."
}

// Run implements the subcommand (CLI-121, APR-17).
func (c *revokeCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	ctx := context.Background()
	list, err := approvals(ctx, cfg.Data)
	if err != nil {
		return err
	}
	a, err := only(list, c.ID)
	if err != nil {
		return err
	}
	taken, err := client.New(cfg.Data, client.Options{}).Revoke(ctx, a.ID, c.By)
	if errors.Is(err, client.ErrNotRunning) && !errors.Is(err, client.ErrUnannounced) { // a daemon would not see the change
		if err := datafolder.Own(cfg.Data); err != nil {
			return exit.With(exit.Data, err)
		}
		if taken, err = grants.Of(cfg.Data).Remove(a.ID); err != nil {
			return folder.Unwritten(err) // it could be read just now
		}
	}
	switch {
	case err != nil:
		return exit.Daemon(err)
	case !taken:
		return exit.Errorf(exit.NoMatch, "approval %s was revoked or has ended already", a.ID)
	}
	fmt.Fprintln(t.Out, terminal.Printable("revoked: "+a.Tool+" "+callsOf(a)))
	return nil
}

// only returns the one approval whose id begins with a text.
func only(list []comm.Approval, text string) (comm.Approval, error) {
	a, ok, err := named.One("approvals", text, list, func(a comm.Approval) string { return a.ID })
	if !ok && err == nil {
		err = exit.Errorf(exit.NoMatch, "there is no approval %q; see shelly approval list", text)
	}
	return a, err
}
