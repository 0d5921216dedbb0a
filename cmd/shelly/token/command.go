// Package token is shelly token: the tokens of clients other than the holder of the daemon's
// own token.
package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
)

// Command lists, creates and revokes tokens of clients.
type Command struct {
	List   listCmd   `cmd:"" help:"List the clients that have a token."`
	Add    addCmd    `cmd:"" help:"Create a token for a client, and print it once."`
	Revoke revokeCmd `cmd:"" help:"Revoke a client's token."`
}

type listCmd struct {
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/tokens."`
	flags.Place
}

// Help is the text after the usage.
func (listCmd) Help() string {
	return "USED is exact to the hour. Reads from the running daemon, or from the data folder."
}

// Run implements the subcommand (CLI-191).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	list, err := client.New(cfg.Data, client.Options{}).Tokens(context.Background())
	if err = stopped(cfg.Data, err, func(clients *access.Clients) error {
		list = clients.List()
		return nil
	}); err != nil {
		return err
	}
	return listing.Print(t, c.JSON, comm.TokensBody{Tokens: list}, list, printList, "no client has a token; create one with shelly token add NAME")
}

func printList(out io.Writer, list []access.Client) error {
	return listing.Table(out, "NAME\tCAN\tMADE\tUSED IN THE HOUR FROM", list, func(c access.Client) []string {
		used := "never"
		if c.Used != 0 { // to the hour: it may be before the token was made
			used = moment.Local(c.Used).Format("2006-01-02 15:04")
		}
		return []string{c.Name, c.Can.String(), moment.Clock(c.Made, "never"), used}
	})
}

type addCmd struct {
	Name         string   `arg:"" help:"Name of the client, such as ci: at most 32 of a-z, 0-9, - and _."`
	Can          []string `default:"ask" placeholder:"RIGHT" help:"What it may do, such as ask,events (default ask)."`
	flags.AsJSON `set:"json=Print as JSON, like POST /v1/tokens."`
	flags.Place
}

// Help is the text after the usage.
func (addCmd) Help() string {
	return "Rights: ask: send requests, and follow and cancel its own. decide: also answer questions about them. events: report events. all: everything that you may do. The token is printed once; only its hash is kept."
}

// Run implements the subcommand (CLI-190).
func (c *addCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	can, err := access.ParseRights(c.Can)
	if err = errors.Join(access.CheckName(c.Name), err); err != nil {
		return exit.With(exit.Usage, err)
	}
	if t.Discards() {
		return exit.Errorf(exit.Usage, "standard output is closed or discarded, and the token is shown only there; no token was made")
	}
	signal.Ignore(syscall.SIGPIPE) // so that writing to a pipe that nobody reads is an error
	made, err := client.New(cfg.Data, client.Options{}).AddToken(context.Background(), c.Name, can)
	err = stopped(cfg.Data, err, func(clients *access.Clients) (err error) {
		made = comm.NewToken{Name: c.Name, Can: can}
		made.Token, err = clients.Add(c.Name, can)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = t.JSON(made)
	} else {
		_, err = fmt.Fprintln(t.Out, made.Token)
	}
	if err != nil {
		return unseen(cfg.Data, c.Name, err)
	}
	if !c.JSON {
		fmt.Fprintf(t.Err, "%s has the rights %s. The token is not shown again; send it as Authorization: Bearer TOKEN\n", made.Name, made.Can)
	}
	return nil
}

// unseen revokes a token that could not be printed: nobody has it.
func unseen(data, name string, why error) error {
	if _, err := revoke(data, name); err != nil {
		return exit.Errorf(exit.Disk, "the token could not be written (%v), nor revoked again (%v): revoke it with shelly token revoke %s", why, err, name)
	}
	return exit.Errorf(exit.Disk, "the token could not be written: %v; it is revoked again", why)
}

type revokeCmd struct {
	Name string `arg:"" help:"Client whose token to revoke."`
	flags.Place
}

// Help is the text after the usage.
func (revokeCmd) Help() string {
	return "Its streams end at once. Its requests continue. Exit code 4 if there is no such client."
}

// Run implements the subcommand (CLI-192).
func (c *revokeCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	taken, err := revoke(cfg.Data, c.Name)
	switch {
	case err != nil:
		return err
	case !taken:
		return exit.Errorf(exit.NoMatch, "no client %q has a token; see shelly token list", c.Name)
	}
	fmt.Fprintf(t.Out, "the token of %s is revoked\n", c.Name)
	return nil
}

// revoke revokes a client's token, and reports whether it had one.
func revoke(data, name string) (taken bool, err error) {
	taken, err = client.New(data, client.Options{}).RevokeToken(context.Background(), name)
	err = stopped(data, err, func(clients *access.Clients) (err error) {
		taken, err = clients.Revoke(name)
		return err
	})
	return taken, err
}

// stopped changes the token file of a data folder if no daemon runs that could do it; err is
// the outcome of asking the daemon.
func stopped(data string, err error, do func(*access.Clients) error) error {
	if !errors.Is(err, client.ErrNotRunning) || errors.Is(err, client.ErrUnannounced) { // a daemon would not see the change
		return exit.Daemon(err)
	}
	if err := datafolder.Check(data); err != nil {
		code := exit.Data
		if errors.Is(err, datafolder.ErrNone) {
			code = exit.NoMatch
		}
		return exit.With(code, err)
	}
	if err := datafolder.Own(data); err != nil {
		return exit.With(exit.Data, err)
	}
	clients, err := access.Open(data, access.Options{})
	if err != nil {
		return exit.With(exit.Data, err)
	}
	switch err := do(clients); {
	case err == nil:
		return nil
	case errors.Is(err, access.ErrTaken):
		return exit.Errorf(exit.Usage, "%w; revoke its token first, or use another name", err)
	case errors.Is(err, access.ErrMany):
		return exit.Errorf(exit.Usage, "%w; revoke those that are not used: shelly token list", err)
	default:
		return folder.Unwritten(err)
	}
}
