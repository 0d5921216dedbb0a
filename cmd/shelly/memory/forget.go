package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/named"
	"shelly/cmd/shelly/internal/sure"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/runtime/session"
)

type forgetCmd struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"Entries to delete."`
	Before string   `placeholder:"TIME" help:"Only those made before a time (2026-01-31, 2026-01-31T09:00:00Z) or an age (90d)."`
	Yes    bool     `help:"Do not ask for confirmation."`
	chosenEntries
	flags.Place
}

// Help says what remains.
func (forgetCmd) Help() string {
	return "Takes ids, or all entries that the flags select, shows them and asks for confirmation. Deletion is durable. " +
		"Any other place that still holds the text is listed."
}

// Run implements the subcommand (CLI-20, MEM-10).
func (c *forgetCmd) Run(t *terminal.Terminal) error {
	f := c.filter()
	before, err := moment.At("--before", c.Before)
	if err != nil {
		return err
	}
	f.Before = before
	if (len(c.IDs) > 0) == (f != memory.Filter{}) {
		return exit.Errorf(exit.Usage, "name entries, or select them with --session, --kind or --before")
	}
	return use(&c.Place, writing, func(ctx context.Context, cfg config.Config, m memories) error {
		entries, err := c.entries(ctx, m, f)
		if err != nil {
			return err
		}
		if err := c.asks(ctx, t, entries); err != nil {
			return err
		}
		n, err := forgetAll(ctx, m, entries)
		if n > 0 || err == nil {
			fmt.Fprintf(t.Out, "forgotten: %s\n%s\n", wording.Counted(n, "entry", "entries"), remains(cfg))
		}
		if errors.Is(err, context.Canceled) {
			return exit.Interrupted(ctx, "run it again to forget the rest")
		}
		return err
	})
}

// entries returns the entries to forget: every one that is named, or an error.
func (c *forgetCmd) entries(ctx context.Context, m memories, f memory.Filter) ([]memory.Listed, error) {
	var found []memory.Listed
	for _, id := range c.IDs {
		e, err := known(ctx, m, id)
		if err == nil && c.Yes && e.ID != id { // nobody sees what it means
			err = exit.Errorf(exit.NoMatch, "there is no entry %q, only %q: with --yes give the whole id", id, e.ID)
		}
		if coded, ok := errors.AsType[exit.Error](err); ok {
			err = exit.Errorf(coded.Code, "%w; nothing is forgotten", coded.Err)
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(o memory.Listed) bool { return o.ID == e.ID }) {
			found = append(found, e)
		}
	}
	if len(c.IDs) > 0 {
		return found, nil
	}
	body, err := listEntries(ctx, m, f, 0)
	if err == nil && len(body.Entries) == 0 {
		return nil, exit.Errorf(exit.NoMatch, "no entry matches")
	}
	return body.Entries, err
}

// known is find for an entry that need not be readable: of a damaged one the index knows enough to
// forget it (JRN-30).
func known(ctx context.Context, m memories, id string) (memory.Listed, error) {
	e, err := find(ctx, m, id)
	if !errors.Is(err, engine.ErrDamaged) {
		return e.Listed, err
	}
	body, failed := listEntries(ctx, m, memory.Filter{}, 0)
	if failed != nil {
		return memory.Listed{}, failed
	}
	l, ok, failed := named.One("entries", id, body.Entries, func(l memory.Listed) string { return l.ID })
	if failed == nil && !ok { // it is in no index
		failed = err
	}
	return l, failed
}

// forgetShown is how many of the entries to forget are listed.
const forgetShown = 20

// asks shows what will be forgotten and waits for a yes; without a terminal, --yes is the yes.
func (c *forgetCmd) asks(ctx context.Context, t *terminal.Terminal, entries []memory.Listed) error {
	if err := entryTable(t.Out, entries[:min(len(entries), forgetShown)]); err != nil {
		return err
	}
	if n := len(entries) - forgetShown; n > 0 {
		fmt.Fprintf(t.Out, "and %d more\n", n)
	}
	if c.Yes {
		return nil
	}
	return sure.Forget(ctx, t, wording.Counted(len(entries), "entry", "entries"))
}

// forgetAll forgets entries in batches, and returns how many existed.
func forgetAll(ctx context.Context, m memories, entries []memory.Listed) (n int, err error) {
	for some := range slices.Chunk(entries, comm.BringMax) {
		var ids []string
		for _, e := range some {
			ids = append(ids, e.ID)
		}
		gone, err := m.Forget(ctx, ids...)
		if n += gone; err != nil {
			return n, err
		}
	}
	return n, nil
}

// remains returns where the text of a forgotten entry may still be (MEM-10).
func remains(cfg config.Config) string {
	return "the words of the conversation are still in the journal, its replies and the archives, " + sure.Until(cfg.Retention.Age) + ",\n" +
		"in the history of its session, in backups and exports, and perhaps in the files in " + filepath.Join(cfg.Data, session.Folder)
}
