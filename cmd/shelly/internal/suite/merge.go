package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/report"
	"shelly/sim/strict"
)

// Merge is shelly scenario merge.
type Merge struct {
	Files   []string `arg:"" help:"JSON reports of shelly test."`
	Format  string   `enum:"pretty,json,github" default:"pretty" help:"pretty, json, or github (pretty with annotations and a step summary)."`
	JUnit   string   `name:"junit" placeholder:"FILE" help:"Also write a JUnit XML file."`
	Verbose bool     `short:"v" help:"Print every case."`
	Slowest *int     `placeholder:"N" help:"List the N slowest cases, of reports with --times."`

	MinTransitions *percent `placeholder:"PCT" help:"Fail if the cases reach less than PCT percent of the transitions."`
}

// Help is the text after the usage.
func (Merge) Help() string {
	return "Merges what `shelly test --format json --shard I/N > FILE` wrote for each shard. The exit code is that of one run of all cases; " +
		"2 if a shard is missing or two reports hold the same case."
}

// Run implements the subcommand (SCN-65). An error has an exit code.
func (c *Merge) Run(t *terminal.Terminal) error {
	as := &Command{Format: c.Format, JUnit: c.JUnit, Verbose: c.Verbose, Slowest: c.Slowest, MinTransitions: c.MinTransitions}
	if err := cmp.Or(as.check(), as.filesReady()); err != nil {
		return err
	}
	var parts []report.Part
	for _, name := range c.Files {
		r, err := readReport(name)
		if err != nil {
			return err
		}
		parts = append(parts, report.Part{Name: name, Run: r})
	}
	r, missing, err := report.Merge(parts)
	if err != nil {
		return exit.Errorf(exit.Usage, "%v", err)
	}
	if c.MinTransitions != nil && r.Coverage == nil {
		return exit.Errorf(exit.Usage, "--min-transitions needs reports with coverage; run the shards with --coverage")
	}
	return c.tell(t, as, r, missing)
}

// tell writes the merged report, and returns what one run of all cases would end with.
func (c *Merge) tell(t *terminal.Terminal, as *Command, r *report.Run, missing []string) error {
	told := as.teller(t, len(r.Cases), nil)
	told.pretty.Broken, told.pretty.Times = true, c.Verbose
	for i := range r.Cases {
		told.show(r.Cases[i])
		if _, ok := errors.AsType[*strict.Error](r.Cases[i].Err); ok {
			told.broken = append(told.broken, r.Cases[i])
		}
	}
	told.run, as.Times = *r, r.Times
	if err := errors.Join(told.err, told.summary(), told.writeJUnit(&told.run)); err != nil {
		return err
	}
	for _, what := range missing {
		fmt.Fprintln(as.errors(t), "shelly:", terminal.Printable(what))
	}
	err := told.code(context.Background())
	if len(missing) == 0 {
		return err
	}
	if ends, ok := errors.AsType[exit.Error](err); ok && ends.Code == exit.Internal {
		return err
	}
	return exit.Silent(exit.Usage)
}

// readReport reads a report of bounded size, from a file or a pipe (CLI-3).
func readReport(name string) (*report.Run, error) {
	f, err := flags.Input(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, reportBytesMax+1))
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if len(text) > reportBytesMax {
		return nil, exit.Errorf(exit.Usage, "%s is larger than %d MiB, the maximum", name, reportBytesMax>>20)
	}
	r, err := report.Read(text)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s %w", name, err)
	}
	return r, nil
}

// reportBytesMax is the largest report, in bytes.
const reportBytesMax = 256 << 20
