package tool

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/tool/file"
	"shelly/runtime/tool/file/change"
)

type undoCmd struct {
	Count   int    `arg:"" optional:"" default:"1" help:"Number of changes, from the last one back (default ${default})."`
	Session string `placeholder:"NAME" help:"Session whose changes to undo. Default: that of the last change."`
	List    bool   `help:"Only list the changes that are kept, newest first."`
	DryRun  bool   `help:"Only show what would be undone."`
	flags.Place
}

// Help says what is undone.
func (undoCmd) Help() string {
	return "Undoes what write_file and edit_file have done. A file that was changed afterwards is left alone, and so are the changes before that one. " +
		"What exec has done cannot be undone. The daemon may keep running."
}

// Run implements the subcommand (CLI-103).
func (c *undoCmd) Run(t *terminal.Terminal) error {
	if c.Count < 1 {
		return exit.Errorf(exit.Usage, "%d changes cannot be undone; give 1 or more", c.Count)
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	log := change.Open(filepath.Join(cfg.Data, "changes"))
	entries, err := log.List(c.Session)
	if err != nil {
		return exit.With(exit.Data, err)
	}
	if c.List {
		if len(entries) == 0 {
			return exit.Errorf(exit.NoMatch, "no change is kept")
		}
		return printChanges(t.Out, entries)
	}
	chosen := c.chosen(entries)
	if len(chosen) == 0 {
		return exit.Errorf(exit.NoMatch, "there is no change to undo; see shelly tool undo --list")
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	seen := map[string]bool{} // the files of later changes
	for _, e := range chosen {
		diff := file.Diff(e)
		switch {
		case !c.DryRun:
			err = file.Undo(ctx, log, e)
		case !seen[e.Path()]:
			err = file.Undoable(e)
		}
		seen[e.Path()] = true
		if errors.Is(err, file.ErrNotUndone) {
			return exit.With(exit.Failed, err)
		}
		if err != nil {
			return exit.With(exit.Disk, err)
		}
		c.say(t.Out, e, diff)
	}
	return nil
}

// chosen returns the changes to undo: the last ones of one session that are not undone yet.
func (c *undoCmd) chosen(entries []*change.Entry) []*change.Entry {
	var chosen []*change.Entry
	for _, e := range entries {
		if len(chosen) == c.Count {
			break
		}
		if e.State != change.Undone && (len(chosen) == 0 || e.Session == chosen[0].Session) {
			chosen = append(chosen, e)
		}
	}
	return chosen
}

// say prints what was undone, or would be.
func (c *undoCmd) say(out io.Writer, e *change.Entry, diff string) {
	what := "undone"
	if c.DryRun {
		what = "would be undone"
	}
	fmt.Fprintln(out, terminal.Printable(fmt.Sprintf("%s: %s of %s, %s, session %s", what, e.Tool, e.Path(), time.UnixMilli(e.At).Format(time.DateTime), e.Session)))
	switch {
	case c.DryRun && e.Before == "":
		fmt.Fprintln(out, "the file would be removed")
	case c.DryRun && diff != "":
		fmt.Fprint(out, terminal.Printable(diff))
	case e.Before == "":
		fmt.Fprintln(out, "the file was removed")
	}
}

// printChanges prints a table, the newest change first.
func printChanges(out io.Writer, entries []*change.Entry) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MADE\tSESSION\tTOOL\tSTATE\tFILE")
	later := map[string]bool{} // files with a later change, which must be undone first
	for _, e := range entries {
		state := "made"
		switch {
		case e.State == change.Undone:
			state = "undone"
		case !later[e.Path()] && file.Undoable(e) != nil:
			state = "not to be undone"
		}
		later[e.Path()] = later[e.Path()] || e.State != change.Undone
		row := []string{time.UnixMilli(e.At).Format(time.DateTime), e.Session, e.Tool, state, e.Path()}
		fmt.Fprintln(table, terminal.Printable(strings.Join(row, "\t")))
	}
	return table.Flush()
}
