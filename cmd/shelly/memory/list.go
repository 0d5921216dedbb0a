package memory

import (
	"context"
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/sim/history"
)

type listCmd struct {
	chosenEntries
	flags.Recent
	//lint:ignore SA5008 kong takes a key more than once
	flags.List `set:"order=first" set:"json=Print as JSON, like GET /v1/memory."`
	flags.Place
}

// Help is the text after the usage.
func (listCmd) Help() string {
	return "VECTOR is the model and dimension of an entry's vector. Entries without one are found by keyword until the daemon has embedded them. " +
		"Reads from the running daemon, or from the data folder."
}

// Run implements the subcommand (CLI-20).
func (c *listCmd) Run(t *terminal.Terminal) error {
	f := c.filter()
	since, err := c.From()
	if err != nil {
		return err
	}
	f.Since = since
	return use(&c.Place, reading, func(ctx context.Context, _ config.Config, m memories) error {
		body, err := listEntries(ctx, m, f, c.Limit)
		if err != nil {
			return err
		}
		text := func(out io.Writer, _ []memory.Listed) error { return printEntries(out, body) }
		return listing.Print(t, c.JSON, body, body.Entries, text, "no entry matches; "+terminal.Printable(standingOf(body.Memory)))
	})
}

// listEntries reads until it has limit entries; all if limit is 0.
func listEntries(ctx context.Context, m memories, f memory.Filter, limit int) (comm.MemoryBody, error) {
	all := comm.MemoryBody{Entries: []memory.Listed{}}
	for {
		n := comm.ListMax
		if limit > 0 {
			n = min(n, limit-len(all.Entries))
		}
		page, err := m.List(ctx, f, len(all.Entries), n)
		if err != nil {
			return comm.MemoryBody{}, err
		}
		all.Entries, all.Total, all.Memory = append(all.Entries, page.Entries...), page.Total, page.Memory
		if len(page.Entries) == 0 || len(all.Entries) == limit || len(all.Entries) >= all.Total {
			return all, nil
		}
	}
}

// printEntries prints a table, and the state of the memory.
func printEntries(out io.Writer, body comm.MemoryBody) error {
	if err := entryTable(out, body.Entries); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if n := body.Total - len(body.Entries); n > 0 {
		fmt.Fprintf(out, "and %d more: see --limit\n", n)
	}
	_, err := fmt.Fprintln(out, terminal.Printable(standingOf(body.Memory)))
	return err
}

func entryTable(out io.Writer, entries []memory.Listed) error {
	now := moment.Now()
	return listing.Table(out, "ID\tMADE\tAGE\tKIND\tSESSION\tVECTOR\tSUMMARY", entries, func(e memory.Listed) []string {
		return []string{
			e.ID, moment.Local(e.At).Format(time.DateTime), history.Span(now - e.At), string(e.Kind), e.Session, vectorOf(e), terminal.Head(e.Summary),
		}
	})
}

// vectorOf describes an entry's vector.
func vectorOf(e memory.Listed) string {
	if e.Dimensions == 0 {
		return "keyword only"
	}
	return fmt.Sprintf("%s/%d", e.Model, e.Dimensions)
}

// standingOf describes the state of a memory.
func standingOf(m memory.Counts) string {
	all := fmt.Sprintf("%s in memory", wording.Counted(m.Entries, "entry", "entries"))
	switch {
	case m.Entries == 0:
		return all
	case m.Model == "":
		return all + ", all found by keyword only"
	default:
		all += fmt.Sprintf(", %d with a vector of %s", m.Vectors, m.Model)
	}
	switch without := m.Entries - m.Vectors; {
	case without == 0:
		return all
	case m.Pending > 0:
		return all + fmt.Sprintf(", %d to be embedded", m.Pending)
	default:
		return all + fmt.Sprintf(", %d found by keyword only", without)
	}
}
