package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/lockstep"
	"shelly/cmd/shelly/internal/runs"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
)

// Command is shelly test.
type Command struct {
	Paths      []string `arg:"" optional:"" help:"Files, FILE:LINE or folders; with none, ./scenarios."`
	Only       string   `name:"run" placeholder:"REGEX" help:"Only cases whose name matches."`
	Invert     string   `rare:"" name:"grep-invert" placeholder:"REGEX" help:"Leave out cases whose name matches."`
	Tags       *string  `placeholder:"EXPR" help:"Only cases whose tags match, such as 'a and not b'."`
	Shard      *string  `rare:"" placeholder:"I/N" help:"Only the I-th of N parts, chosen by name."`
	LastFailed bool     `help:"Only cases that failed when they were last run."`

	OnlyChanged since `placeholder:"[=REF]" help:"Only cases that git shows as changed, or since =REF."`

	Vars       []string `name:"var" sep:"none" placeholder:"NAME=VALUE" help:"Set a variable; may be repeated."`
	List       bool     `help:"List the cases without running them."`
	Watch      bool     `help:"Re-run the cases that a change affects, until ^C."`
	Verbose    bool     `short:"v" help:"Print every case."`
	Twice      bool     `rare:"" help:"Run each case twice; compare the traces."`
	EveryCrash bool     `help:"Also run each case with a crash at every point."`
	Seed       *uint64  `rare:"" xor:"seed" placeholder:"N" help:"Let this seed order what is due at the same time."`
	Seeds      *uint64  `xor:"seed" placeholder:"N" help:"Run each case under seeds 1 to N until one fails."`
	Parallel   *int     `placeholder:"N" help:"Cases to run at once. Default: one per processor."`
	On         string   `enum:"sim,runtime" default:"sim" help:"sim, or runtime (the real adapters, compared)."`
	Format     string   `enum:"pretty,json,github" default:"pretty" help:"pretty, json, or github (pretty, and annotations)."`
	JUnit      string   `rare:"" name:"junit" placeholder:"FILE" help:"Also write a JUnit XML file."`
	HTML       string   `name:"html" placeholder:"FILE" help:"Also write one HTML file with each step."`
	Trace      bool     `help:"Print each run step by step."`
	Slowest    *int     `rare:"" placeholder:"N" help:"List the N slowest cases."`
	Times      bool     `rare:"" help:"Add the time of each case to the JSON report."`
	FailFast   bool     `xor:"stop" help:"Stop at the first case that fails."`
	MaxFailed  *int     `rare:"" name:"max-failures" xor:"stop" placeholder:"N" help:"Stop after N cases that fail."`
	Update     updating `help:"Update the goldens and remove obsolete ones; =missing only writes those that do not exist."`
	CI         *bool    `rare:"" name:"ci" negatable:"" help:"Write nothing; fail on obsolete goldens. Default in CI."`
	Coverage   bool     `help:"Report which transitions, states, faults and rules the cases reach."`

	MinTransitions *percent       `rare:"" placeholder:"PCT" help:"Fail if the cases reach less than PCT percent of the transitions."`
	Budget         *time.Duration `rare:"" placeholder:"DURATION" help:"Time for each property. Default: its file's."`

	given  document.Given      // values of variables
	played func([]report.Case) // called with the results; nil: not called
}

// Run implements the subcommand (CLI-6, SCN-9). An error has an exit code.
func (c *Command) Run(t *terminal.Terminal) error {
	err := c.check()
	if err != nil {
		return err
	}
	if c.given, err = readVars(c.Vars); err != nil {
		return err
	}
	wanted, err := c.selection()
	if err != nil {
		return err
	}
	if err := cmp.Or(c.watchFlags(), c.coverageFlags(), c.traceFlags(), c.filesReady()); err != nil {
		return err
	}
	if _, err := c.goldens(); err != nil {
		return err
	}
	targets, err := c.find()
	if err != nil {
		return err
	}
	if wanted.narrow, err = narrowed(c.LastFailed, &c.OnlyChanged, targets); err != nil {
		return err
	}
	defer collectSeldom()()
	ctx, stop := exit.Interruptible()
	defer stop()
	if c.Watch {
		return c.watch(ctx, t, wanted)
	}
	return c.round(ctx, t, wanted, targets)
}

// seedsMax bounds --seeds: no run gets that far, and each machine can count it.
const seedsMax = 1 << 30

// check refuses wrong flags that the command line parser accepts.
func (c *Command) check() error {
	switch {
	case c.Parallel != nil && *c.Parallel < 1:
		return exit.Errorf(exit.Usage, "--parallel wants a number of at least 1, not %d", *c.Parallel)
	case c.Seeds != nil && *c.Seeds < 1:
		return exit.Errorf(exit.Usage, "--seeds wants a number of at least 1, not 0")
	case c.Seeds != nil && *c.Seeds > seedsMax:
		return exit.Errorf(exit.Usage, "--seeds wants a number of at most %d, not %d", seedsMax, *c.Seeds)
	case c.MaxFailed != nil && *c.MaxFailed < 1:
		return exit.Errorf(exit.Usage, "--max-failures wants a number of at least 1, not %d", *c.MaxFailed)
	case c.Slowest != nil && *c.Slowest < 1:
		return exit.Errorf(exit.Usage, "--slowest wants a number of at least 1, not %d", *c.Slowest)
	case c.Budget != nil && *c.Budget < 0:
		return exit.Errorf(exit.Usage, "--budget: %s is negative; give a time such as 10m", *c.Budget)
	case c.Times && c.Format != "json":
		return exit.Errorf(exit.Usage, "--times adds to the JSON report; add --format json, or see times with -v and --slowest")
	case c.JUnit != "" && c.HTML != "" && filepath.Clean(c.JUnit) == filepath.Clean(c.HTML):
		return exit.Errorf(exit.Usage, "--junit and --html name one file, %s; name two", c.HTML)
	case c.On != "runtime":
		return nil
	}
	return c.without("--on runtime compares a case's run as written with the simulated one",
		flag{"--seed", c.Seed != nil}, flag{"--seeds", c.Seeds != nil}, flag{"--twice", c.Twice}, flag{"--every-crash", c.EveryCrash})
}

// traceFlags refuses --trace if no text is written, or nothing runs (CLI-160).
func (c *Command) traceFlags() error {
	switch {
	case c.Trace && c.Format == "json":
		return exit.Errorf(exit.Usage, "--trace writes text; leave out --format json")
	case c.Trace && c.List:
		return exit.Errorf(exit.Usage, "--trace shows what ran, but --list runs nothing; leave one out")
	}
	return nil
}

type flag struct {
	name  string
	given bool
}

// without refuses flags that cannot be combined with another one, and says why.
func (c *Command) without(why string, flags ...flag) error {
	var bad []string
	for _, f := range flags {
		if f.given {
			bad = append(bad, f.name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s; leave out %s", why, strings.Join(bad, " and "))
}

// round loads files, and lists or plays the selected cases.
func (c *Command) round(ctx context.Context, t *terminal.Terminal, wanted selection, targets []choose.Target) error {
	all, broken := load(targets, c.given)
	c.tellBroken(t, broken)
	if err := unusedVar(c.given, all); err != nil && len(broken) == 0 {
		return err
	}
	files, none, err := wanted.pick(all)
	switch {
	case err != nil && len(broken) == 0:
		return err
	case c.List:
		return errors.Join(c.list(t.Out, files), loadFailure(broken))
	case none != "" && len(broken) == 0:
		fmt.Fprintln(c.notes(t), none)
	}
	if wanted.narrow.note != "" {
		fmt.Fprintln(c.notes(t), wanted.narrow.note)
	}
	return c.play(ctx, t, files, all, broken)
}

// tellBroken reports why files do not load, unless the report of the run does.
func (c *Command) tellBroken(t *terminal.Terminal, broken []report.Case) {
	if c.onGitHub() {
		return
	}
	for i := range broken {
		fmt.Fprintln(t.Err, detail(broken[i].Err))
	}
}

// play plays cases and reports the results. All are the loaded cases, including those that are
// not played: none of their goldens is obsolete.
func (c *Command) play(ctx context.Context, t *terminal.Terminal, files, all []*scenario.File, broken []report.Case) error {
	obsolete, err := c.obsolete(all)
	if err != nil {
		return err
	}
	goldens, err := c.goldens()
	if err != nil {
		return err
	}
	told := c.teller(t, len(files), broken)
	if c.Trace || c.HTML != "" {
		told.runs = &runs.Recorder{Text: c.Trace, HTML: c.HTML != "", Cases: len(files)}
	}
	live := &lockstep.Models{Connect: connectModel}
	run := func(f *scenario.File) report.Case { return c.one(f, goldens, live, told.runs) }
	p := player{workers: c.workers(), failuresMax: c.failuresMax(), run: run, progress: told.progress}
	erase := told.progress.keep()
	p.play(ctx, files, told.tell)
	erase()
	if ctx.Err() == nil {
		goldens.sweep(obsolete)
	}
	if c.played != nil {
		c.played(told.run.Cases)
	}
	if c.writes() {
		remember(c.patterns(), all, broken, told.run.Cases)
	}
	wrong := goldens.report(c.notes(t), c.errors(t))
	return worse(told.end(ctx, len(files)), wrong)
}

// failuresMax returns after how many failures a run stops; 0: never.
func (c *Command) failuresMax() int {
	switch {
	case c.FailFast:
		return 1
	case c.MaxFailed != nil:
		return *c.MaxFailed
	}
	return 0
}

func (c *Command) workers() int {
	if c.Parallel != nil {
		return *c.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// notes returns where notes outside the report go: to standard error if a program reads the
// report.
func (c *Command) notes(t *terminal.Terminal) io.Writer {
	if c.Format == "json" {
		return t.Err
	}
	return c.log(t)
}
