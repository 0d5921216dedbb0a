package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/session"
	"shelly/sim/history"
)

type showCmd struct {
	ID           string `arg:"" help:"Entry to show, or MEMORY.md or HISTORY.md."`
	flags.AsJSON `set:"json=Print an entry as JSON, like GET /v1/memory/entries/ID."`
	flags.Place
}

// Help says what the files are.
func (showCmd) Help() string {
	return "The files can be edited at any time; the next turn reads the changes. Standard error has a file's path."
}

// Run implements the subcommand (CLI-20).
func (c *showCmd) Run(t *terminal.Terminal) error {
	if c.ID == session.MemoryFile || c.ID == session.HistoryFile {
		return c.file(t)
	}
	return use(&c.Place, reading, func(ctx context.Context, _ config.Config, m memories) error {
		e, err := find(ctx, m, c.ID)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return t.JSON(e)
		default:
			return printEntry(t.Out, e)
		}
	})
}

// file prints one of the files that the sessions share, and its path.
func (c *showCmd) file(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	name := filepath.Join(cfg.Data, session.Folder, c.ID)
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.Errorf(exit.NoMatch, "%s does not exist yet; it may be written by hand", name)
	case err != nil:
		return exit.With(exit.Data, err)
	}
	fmt.Fprintln(t.Err, name)
	_, err = io.Copy(t.Out, f)
	return errors.Join(err, f.Close())
}

func printEntry(out io.Writer, e comm.EntryBody) error {
	fmt.Fprintf(out, "entry %s, %s", terminal.Printable(e.ID), terminal.Printable(string(e.Kind)))
	if e.Session != "" {
		fmt.Fprintf(out, ", session %s", terminal.Printable(e.Session))
	}
	made := moment.Local(e.At)
	fmt.Fprintf(out, "\nmade %s, %s ago\n", made.Format(time.DateTime), history.Span(moment.Now()-e.At))
	vector := "no vector: it is found by keyword only"
	if e.Dimensions > 0 {
		vector = fmt.Sprintf("vector of %s, %d dimensions", terminal.Printable(e.Model), e.Dimensions)
	}
	_, err := fmt.Fprintf(out, "%s\n\nsummary:\n%s\n\ntext:\n%s\n", vector, terminal.Printable(e.Summary), terminal.Printable(e.Text))
	return err
}
