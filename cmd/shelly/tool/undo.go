package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
	"shelly/runtime/system"
	"shelly/runtime/tool/file"
	"shelly/runtime/tool/file/change"
)

type undoCmd struct {
	Count   int    `arg:"" optional:"" default:"1" help:"Number of changes, from the last one back (default ${default})."`
	Session string `placeholder:"NAME" help:"Session whose changes to undo. Default: that of the last change."`
	List    bool   `help:"Only list the changes that are kept, newest first."`
	DryRun  bool   `help:"Only show what would be undone."`

	flags.AsJSON `set:"json=With --list, print as JSON."`
	flags.Place
}

// Help says what is undone.
func (undoCmd) Help() string {
	return "Undoes what write_file and edit_file have done. A file that was changed afterwards is left alone, and so are the changes before that one. " +
		"What exec has done cannot be undone. The daemon may keep running."
}

// Run implements the subcommand (CLI-103).
func (c *undoCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	switch {
	case c.Count < 1:
		return exit.Errorf(exit.Usage, "%d changes cannot be undone; give 1 or more", c.Count)
	case c.JSON && !c.List:
		return exit.Errorf(exit.Usage, "--json needs --list")
	}
	kept := filepath.Join(cfg.Data, "changes")
	log := change.Open(kept)
	entries, err := log.List(c.Session)
	if err != nil {
		return exit.Errorf(exit.Data, "cannot read the kept changes: %w%s", err, store.Advice(err))
	}
	of := ""
	if c.Session != "" {
		of = " of session " + c.Session
	}
	if c.List {
		rows := listed(entries)
		return listing.Print(t, c.JSON, rows, rows, printChanges, "no change"+of+" is kept")
	}
	chosen := c.chosen(entries)
	if len(chosen) == 0 {
		return exit.Errorf(exit.NoMatch, "there is no change%s to undo; see shelly tool undo --list", of)
	}
	if err := datafolder.Own(cfg.Data); err != nil && !c.DryRun {
		return exit.With(exit.Data, err)
	}
	if err := system.Writable(kept); err != nil && !c.DryRun { // or a file would be undone, but not its record
		return folder.Unwritten(&fs.PathError{Op: "write", Path: kept, Err: err})
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
	if len(chosen) < c.Count && c.Count > 1 {
		fmt.Fprintf(t.Err, "no other change of session %s can be undone\n", chosen[0].Session)
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
	line := fmt.Sprintf("%s: %s of %s, %s, session %s", what, e.Tool, wording.Path(e.Path()), time.UnixMilli(e.At).Format(time.DateTime), e.Session)
	fmt.Fprintln(out, wording.OneLine(line)) // a name may have line ends
	with := ""
	if e.Made > 0 {
		with = ", with the folders that were made for it, unless something else is in them"
	}
	switch {
	case c.DryRun && e.Before == "":
		fmt.Fprintln(out, "the file would be removed"+with)
	case c.DryRun && diff != "":
		fmt.Fprint(out, terminal.Printable(diff))
	case e.Before == "":
		fmt.Fprintln(out, "the file was removed"+with)
	}
}

// row is a kept change, as --list prints it.
type row struct {
	At      fsm.Millis `json:"at"`
	Session string     `json:"session"`
	Tool    string     `json:"tool"`
	State   string     `json:"state"` // made, undone, or not to be undone
	File    string     `json:"file"`
}

// listed returns the rows of changes, the newest first.
func listed(entries []*change.Entry) []row {
	rows := []row{}
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
		rows = append(rows, row{fsm.Millis(e.At), e.Session, e.Tool, state, wording.Path(e.Path())})
	}
	return rows
}

func printChanges(out io.Writer, rows []row) error {
	return listing.Table(out, "MADE\tSESSION\tTOOL\tSTATE\tFILE", rows, func(r row) []string {
		return []string{moment.Local(r.At).Format(time.DateTime), r.Session, r.Tool, r.State, r.File}
	})
}
