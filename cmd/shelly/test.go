package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"
)

type testCmd struct {
	Paths    []string `arg:"" optional:"" help:"Files, FILE:LINE or folders; with none, ./scenarios."`
	Only     string   `name:"run" placeholder:"REGEX" help:"Only cases whose name matches."`
	Tags     *string  `placeholder:"EXPR" help:"Only cases whose tags match, such as 'faults and not (slow or nightly)'."`
	Shard    *string  `placeholder:"I/N" help:"Only the I-th of N parts of the cases, divided by their names."`
	List     bool     `help:"Print the cases and run none."`
	Verbose  bool     `short:"v" help:"Print every case."`
	Twice    bool     `help:"Run each case twice and compare the traces."`
	Seed     *uint64  `placeholder:"N" help:"Let a seed choose what happens first of what is due at once."`
	Parallel int      `placeholder:"N" help:"Cases run at once. Default: one for each processor."`
	On       string   `enum:"sim,runtime" default:"sim" help:"sim, or runtime: the real adapters in lock-step with the simulator, traces compared."`
	Format   string   `enum:"pretty,json,github" default:"pretty" help:"pretty, json, or github: pretty with annotations and a step summary, as under GitHub Actions."`
	JUnit    string   `name:"junit" placeholder:"FILE" help:"Write a JUnit XML file as well."`
	FailFast bool     `help:"Stop at the first case that fails."`
	Update   bool     `help:"Write the goldens that are missing or differ, and remove those that nobody asks for."`
	CI       *bool    `name:"ci" negatable:"" help:"Write nothing; a golden that is missing or that nobody asks for is a failure. The default where CI is set in the environment."`
	Coverage bool     `help:"Tell which transitions, states, faults and rules the cases reach."`

	MinTransitions *percent `placeholder:"PCT" help:"Fail where the cases take fewer of the transitions, in percent."`
}

// Run implements the subcommand (CLI-6, SCN-9).
func (c *testCmd) Run(t *terminal) error {
	if c.On == "runtime" && c.Seed != nil {
		return failf(exitUsage, "--seed chooses in the simulator only: leave it out with --on runtime")
	}
	wanted, err := c.selection()
	if err != nil {
		return err
	}
	if err := cmp.Or(c.coverageFlags(), c.junitReady()); err != nil {
		return err
	}
	goldens, err := c.goldens()
	if err != nil {
		return err
	}
	paths, err := c.find()
	if err != nil {
		return err
	}
	all, broken := load(paths)
	if !c.onGitHub() { // there the report tells it, guarded
		for i := range broken {
			fmt.Fprintln(t.err, detail(broken[i].Err))
		}
	}
	files, err := wanted.pick(all)
	switch {
	case err != nil && len(broken) == 0:
		return err
	case c.List:
		return errors.Join(c.list(t.out, files), loadFailure(broken))
	case len(files) == 0 && len(broken) == 0:
		fmt.Fprintf(c.notes(t), "--shard %s holds none of the cases\n", *c.Shard)
	}
	obsolete, err := c.obsolete(all)
	if err != nil {
		return err
	}
	start := time.Now()
	cases := c.play(files, goldens)
	goldens.sweep(obsolete)
	wrong := goldens.report(c.notes(t), t.err)
	return worse(c.judge(t, cases, broken, time.Since(start)), wrong)
}

// notes is where that goes which no report holds: beside a report that a program
// reads it is standard error.
func (c *testCmd) notes(t *terminal) io.Writer {
	if c.Format == "json" {
		return t.err
	}
	return t.out
}
