package main

import (
	"fmt"
	"regexp"
	"time"
)

type testCmd struct {
	Paths    []string `arg:"" optional:"" help:"Files, FILE:LINE or folders; with none, ./scenarios."`
	Only     string   `name:"run" placeholder:"REGEX" help:"Only cases whose name matches."`
	List     bool     `help:"Print the cases and run none."`
	Verbose  bool     `short:"v" help:"Print every case."`
	Twice    bool     `help:"Run each case twice and compare the traces."`
	Seed     *uint64  `placeholder:"N" help:"Let a seed choose what happens first of what is due at once."`
	Parallel int      `placeholder:"N" help:"Cases run at once. Default: one for each processor."`
	On       string   `enum:"sim,runtime" default:"sim" help:"sim, or runtime: the real adapters in lock-step with the simulator, traces compared."`
	Format   string   `enum:"pretty,json" default:"pretty" help:"pretty or json."`
	FailFast bool     `help:"Stop at the first case that fails."`
	Coverage bool     `help:"Print which rows of the tables no case took; one missing is a failure."`
}

// Run implements the subcommand (CLI-6, SCN-9).
func (c *testCmd) Run(t *terminal) error {
	if c.On == "runtime" && c.Seed != nil {
		return failf(exitUsage, "--seed chooses in the simulator only: leave it out with --on runtime")
	}
	paths, err := c.find()
	if err != nil {
		return err
	}
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return failf(exitUsage, "--run: %w", err)
	}
	files, broken := load(paths, only)
	if c.List {
		for _, f := range files {
			fmt.Fprintf(t.out, "%s  %s\n", f.Path(), f.Name)
		}
	}
	for i := range broken {
		fmt.Fprintln(t.err, detail(broken[i].Err))
	}
	switch {
	case c.List:
		return loadFailure(broken)
	case len(files) == 0 && len(broken) == 0:
		return failf(exitNoMatch, "no case's name matches --run %s", c.Only)
	}
	start := time.Now()
	cases := c.play(files)
	return c.judge(t, cases, broken, time.Since(start))
}
