package session

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm"
	"shelly/runtime/session"
)

type listCmd struct {
	//lint:ignore SA5008 kong takes a key more than once
	flags.List `set:"order=first" set:"json=Print as JSON, like GET /v1/sessions."`
	flags.Place
}

// Help explains the words.
func (listCmd) Help() string {
	return "SAID is the number of messages, SENT how many of them the next turn begins with. Reads from the running daemon, or from the data folder. " +
		"To continue a session: shelly ask --session ID."
}

// Run implements the subcommand (CLI-145).
func (c *listCmd) Run(t *terminal.Terminal) error {
	return use(&c.Place, func(r reader) error {
		list, err := r.list()
		if err != nil {
			return err
		}
		slices.SortStableFunc(list, func(a, b session.Listed) int { return cmp.Compare(b.At, a.At) })
		if c.Limit > 0 {
			list = list[:min(c.Limit, len(list))]
		}
		return listing.Print(t, c.JSON, comm.SessionsBody{Sessions: list}, list, printSessions, "there are no sessions yet; begin one with shelly ask")
	})
}

func printSessions(out io.Writer, list []session.Listed) error {
	return listing.Table(out, "ID\tLAST\tSAID\tSENT", list, func(l session.Listed) []string {
		return []string{l.ID, moment.Clock(l.At, "-"), fmt.Sprint(l.Last), fmt.Sprint(l.Messages)}
	})
}
