package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/backup"
	"shelly/runtime/config"
)

type restoreCmd struct {
	File  string `arg:"" help:"Backup to read; - is standard input."`
	Force bool   `help:"Move the existing data aside, into a folder whose name is printed."`
	flags.Place
}

// Help is the text after the usage.
func (c *restoreCmd) Help() string {
	return "The backup is verified and its journal replayed before anything is changed. Work that was unfinished when it was made continues " +
		"at the next start: shelly does not know what it did after the backup and may do it again."
}

// Run implements the subcommand (CLI-14, JRN-25).
func (c *restoreCmd) Run(t *terminal.Terminal, cfg config.Config) (err error) {
	var from io.Reader = t.In
	if c.File != "-" {
		f, err := flags.Input(c.File)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		from = f
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	p, end := show(t, "")
	r, err := backup.Restore(ctx, p.reading(exit.Reader(ctx, from)), cfg.Data, backup.Options{Force: c.Force, Now: time.Now})
	end()
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(ctx, cfg.Data+" is as it was; run it again")
	case err != nil:
		return failed(fmt.Errorf("%s: %w", c.File, err))
	}
	fmt.Fprintf(t.Out, "%s: restored as it was at %s: %s\n", cfg.Data, r.Time.Local().Format(time.RFC3339), contents(r.Manifest))
	if r.Aside != "" {
		fmt.Fprintf(t.Out, "the previous data is kept in %s\n", r.Aside)
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(t.Out, "unfinished then: %s; each continues at the next start, and what was done for it after the backup is not known and may be done again\n",
			wording.Count(r.Unfinished, "request"))
	}
	if r.Diverging > 0 {
		fmt.Fprintf(t.Out, "the current code decides %s differently: see shelly journal verify\n", wording.Count(r.Diverging, "record"))
	}
	return nil
}
