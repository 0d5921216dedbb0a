package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine/history"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/session"
)

type memoryShowCmd struct {
	ID   string `arg:"" help:"Entry to show, or MEMORY.md or HISTORY.md."`
	JSON bool   `name:"json" help:"Print an entry as JSON, as GET /v1/memory/entries/ID has it."`
	place
}

// Help says what the files are.
func (memoryShowCmd) Help() string {
	return "The files can be edited at any time: what was changed is read at the next turn. Where a file lies goes to standard error."
}

// Run implements the subcommand (CLI-20).
func (c *memoryShowCmd) Run(t *terminal) error {
	if c.ID == session.MemoryFile || c.ID == session.HistoryFile {
		return c.file(t)
	}
	return c.use(reading, func(ctx context.Context, _ config.Config, m memories) error {
		e, ok, err := m.Get(ctx, c.ID)
		switch {
		case err != nil:
			return err
		case !ok:
			return exit.Errorf(exit.NoMatch, "there is no entry %q; see shelly memory list", c.ID)
		case c.JSON:
			return json.NewEncoder(t.out).Encode(e)
		default:
			return printEntry(t.out, e)
		}
	})
}

// file prints one of the files that sessions share, and where it lies.
func (c *memoryShowCmd) file(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	name := filepath.Join(cfg.Data, session.Folder, c.ID)
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.Errorf(exit.NoMatch, "%s: there is none yet; it may be written by hand", name)
	case err != nil:
		return exit.With(exit.Data, err)
	}
	fmt.Fprintln(t.err, name)
	_, err = io.Copy(t.out, f)
	return errors.Join(err, f.Close())
}

func printEntry(out io.Writer, e comm.EntryBody) error {
	fmt.Fprintf(out, "entry %s, %s", printable(e.ID), printable(string(e.Kind)))
	if e.Session != "" {
		fmt.Fprintf(out, ", session %s", printable(e.Session))
	}
	made := localTime(e.At)
	fmt.Fprintf(out, "\nmade %s, %s ago\n", made.Format(time.DateTime), history.Span(max(0, nowMillis()-e.At)))
	vector := "no vector: it is found by keyword only"
	if e.Dimensions > 0 {
		vector = fmt.Sprintf("vector of %s, %d dimensions", printable(e.Model), e.Dimensions)
	}
	_, err := fmt.Fprintf(out, "%s\n\nsummary:\n%s\n\ntext:\n%s\n", vector, printable(e.Summary), printable(e.Text))
	return err
}
