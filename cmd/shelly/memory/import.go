package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/runtime/tarfile"
)

type importCmd struct {
	File    string `arg:"" help:"File to read; - is standard input."`
	DryRun  bool   `help:"Check the file and say what would be done, without writing."`
	Replace bool   `help:"Also overwrite entries with the same id, and restore forgotten ones."`
	Prefix  string `placeholder:"TEXT" help:"Prefix for each id, since two data folders may use the same ids."`
	flags.Place
}

// Help is the text after the usage.
func (importCmd) Help() string {
	return "Each entry is written whole or not at all. An interrupted import continues when it is run again. Vectors are kept " +
		"with their model; the daemon makes those that are missing or of another model. Exit code 1 if a line is not an entry."
}

// Run implements the subcommand (CLI-26).
func (c *importCmd) Run(t *terminal.Terminal) (err error) {
	from := t.In
	if c.File != "-" {
		f, err := flags.Input(c.File)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		from = f
	}
	a := writing
	if c.DryRun {
		a = reading
	}
	return use(&c.Place, a, func(ctx context.Context, _ config.Config, m memories) error {
		i := importing{c: c, t: t, line: terminal.NewLine(t.Err), memory: m, seen: map[string]bool{}}
		err := i.all(ctx, exit.Reader(ctx, from))
		i.tell()
		switch {
		case errors.Is(err, context.Canceled) && c.DryRun:
			return exit.Interrupted(ctx, "nothing was written; run it again")
		case errors.Is(err, context.Canceled):
			return exit.Interrupted(ctx, "what is imported stays; run it again for the rest")
		case errors.Is(err, memory.ErrNoFile), errors.Is(err, memory.ErrNewerFile), errors.Is(err, tarfile.ErrCompressed):
			return exit.Errorf(exit.Usage, "%s: %w", c.File, err)
		case errors.Is(err, memory.ErrCutFile):
			return exit.Errorf(exit.Failed, "%s: %w; every entry in it was read", c.File, err)
		case errors.Is(err, memory.ErrLongFile):
			return exit.Errorf(exit.Failed, "%s: %w; nothing from there on was read: import each export by itself", c.File, err)
		case err == nil && i.bad > 0:
			return exit.Errorf(exit.Failed, "%s: %s could not be read", c.File, wording.Count(i.bad, "line"))
		}
		return err
	})
}

// importing is an import in progress.
type importing struct {
	c      *importCmd
	t      *terminal.Terminal
	line   *terminal.Line
	memory memories
	batch  []fsm.Entry
	bytes  int // approximate bytes of the batch
	done   memory.Brought
	bad    int
	seen   map[string]bool // the ids that a dry run has seen; it writes no entries
}

// Bounds of an import.
const (
	importBytes = 1 << 20 // approximate bytes of a batch; a longer entry forms one batch
	badShown    = 20
)

func (i *importing) all(ctx context.Context, from io.Reader) error {
	in := bufio.NewReader(from)
	head, _ := in.Peek(tarfile.HeadBytes) // what cannot be read is an error below
	if err := tarfile.Compressed(string(head)); err != nil {
		return err
	}
	err := memory.ReadFile(in, func(line int, e fsm.Entry, bad error) error {
		if e.ID = i.c.Prefix + e.ID; bad == nil {
			bad = memory.Check(e)
		}
		if bad != nil {
			i.complain(line, bad)
			return ctx.Err()
		}
		i.batch = append(i.batch, e)
		i.bytes += len(e.Summary) + len(e.Text) + 2*len(e.Vector)
		if len(i.batch) == comm.BringMax || i.bytes >= importBytes {
			return i.flush(ctx)
		}
		return nil
	})
	if err == nil || errors.Is(err, memory.ErrCutFile) || errors.Is(err, memory.ErrLongFile) {
		err = errors.Join(err, i.flush(ctx))
	}
	return err
}

func (i *importing) complain(line int, bad error) {
	switch i.bad++; {
	case i.bad <= badShown:
		fmt.Fprintln(i.t.Err, terminal.Printable(fmt.Sprintf("%s, line %d: %v", i.c.File, line, bad)))
	case i.bad == badShown+1:
		fmt.Fprintln(i.t.Err, "and further lines")
	}
}

// flush writes the batch, if there is anything in it.
func (i *importing) flush(ctx context.Context) error {
	batch, again := i.batch, []fsm.Entry(nil)
	if i.c.DryRun {
		batch, again = i.unseen()
	}
	i.batch, i.bytes = nil, 0
	if len(batch)+len(again) == 0 {
		return nil
	}
	how := memory.Bringing{Replace: i.c.Replace, Dry: i.c.DryRun}
	var err error
	if len(batch) > 0 {
		var done memory.Brought
		done, err = i.memory.Bring(ctx, batch, how)
		i.done.Add(done)
	}
	if err == nil && len(again) > 0 {
		var done memory.Brought
		done, err = i.memory.Bring(ctx, again, how)
		i.done.Add(existing(done, how.Replace))
	}
	d := i.done
	i.line.Draw(wording.Counted(d.Added+d.Replaced+d.Skipped+d.Forgotten, "entry", "entries"))
	return err
}

// unseen returns the batch without the ids that the file has had before, and the entries with these.
func (i *importing) unseen() (list, again []fsm.Entry) {
	for _, e := range i.batch {
		if i.seen[e.ID] {
			again = append(again, e)
			continue
		}
		i.seen[e.ID] = true
		list = append(list, e)
	}
	return list, again
}

// existing returns what a dry run says of ids that an import would have written by then.
func existing(d memory.Brought, replace bool) memory.Brought {
	if replace {
		d.Added, d.Replaced = 0, d.Replaced+d.Added
	} else {
		d.Added, d.Skipped = 0, d.Skipped+d.Added
	}
	return d
}

func (i *importing) tell() {
	i.line.Erase()
	verb := "imported"
	if i.c.DryRun {
		verb = "would be imported"
	}
	d := i.done
	fmt.Fprintf(i.t.Out, "%s: %d new, %d replaced; skipped: %d that exist, %d that were forgotten\n", verb, d.Added, d.Replaced, d.Skipped, d.Forgotten)
}
