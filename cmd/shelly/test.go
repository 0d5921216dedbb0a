package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
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

// tested is one case's outcome, with what only this command knows.
type tested struct {
	scenario.Outcome
	differs bool // two runs gave two traces
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
	for _, err := range broken {
		fmt.Fprintln(t.err, detail(err))
	}
	switch {
	case c.List:
		return loadFailure(broken)
	case len(files) == 0 && len(broken) == 0:
		return failf(exitNoMatch, "no case's name matches --run %s", c.Only)
	}
	start := time.Now()
	outcomes := c.play(files)
	return c.judge(t, outcomes, broken, time.Since(start))
}

// find returns the scenario files that the arguments name, as paths from the
// current folder, or absolute where they lie outside it.
func (c *testCmd) find() ([]string, error) {
	patterns := c.Paths
	if len(patterns) == 0 {
		patterns = []string{"scenarios"}
	}
	var paths []string
	for _, p := range patterns {
		base, pattern := ".", filepath.ToSlash(filepath.Clean(p))
		if !filepath.IsLocal(p) {
			base, pattern = filepath.Dir(filepath.Clean(p)), filepath.Base(p)
		}
		found, err := scenario.Find(os.DirFS(base), []string{pattern})
		switch {
		case errors.Is(err, scenario.ErrNoMatch):
			return nil, coded{exitNoMatch, err}
		case err != nil:
			return nil, coded{exitUsage, err}
		}
		for _, f := range found {
			paths = append(paths, filepath.Join(base, filepath.FromSlash(f)))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// host is the file system as it is, absolute paths included: paths in messages
// are then those that the user can open.
type host struct{}

// Open implements [fs.FS].
func (host) Open(name string) (fs.File, error) { return os.Open(name) }

// load loads the files whose case is wanted. One bad file does not keep the
// others from running.
func load(paths []string, only *regexp.Regexp) (files []*scenario.File, broken []error) {
	for _, p := range paths {
		cases, err := scenario.Load(host{}, p)
		if err != nil {
			broken = append(broken, err)
		}
		for _, f := range cases {
			if only.MatchString(f.Name) {
				files = append(files, f)
			}
		}
	}
	return files, broken
}

// detail is an error with the source that it blames, where it blames any.
func detail(err error) string {
	var load *scenario.LoadError
	if errors.As(err, &load) {
		return strings.TrimSuffix(load.Detail(), "\n")
	}
	return err.Error()
}

func loadFailure(broken []error) error {
	switch len(broken) {
	case 0:
		return nil
	case 1:
		return failf(exitUsage, "1 file does not load")
	default:
		return failf(exitUsage, "%d files do not load", len(broken))
	}
}

// play runs the cases, several at once, and returns the outcomes in their order.
func (c *testCmd) play(files []*scenario.File) []tested {
	workers := c.Parallel
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	outcomes := make([]tested, len(files))
	next := make(chan int)
	var failed, group = make(chan struct{}), sync.WaitGroup{}
	var once sync.Once
	for range min(workers, len(files)) {
		group.Go(func() {
			for i := range next {
				outcomes[i] = c.one(files[i])
				if c.FailFast && (!outcomes[i].OK() || outcomes[i].differs) {
					once.Do(func() { close(failed) })
					return // so that a single worker never takes another case
				}
			}
		})
	}
	sent := 0
feed:
	for i := range files {
		select {
		case next <- i:
			sent++
		case <-failed:
			break feed
		}
	}
	close(next)
	group.Wait()
	return outcomes[:sent]
}

// one runs a case, and with --twice once more (SCN-11).
func (c *testCmd) one(f *scenario.File) tested {
	if c.On == "runtime" {
		return tested{Outcome: runLive(f)}
	}
	out := tested{Outcome: c.again(f.Run(c.options()))}
	if c.Twice && out.Err == nil {
		again := f.Run(c.options())
		out.differs = again.Err != nil || again.TraceHash != out.TraceHash
	}
	return out
}

// again adds the seed to the commands that reproduce a failure (SCN-10).
func (c *testCmd) again(out scenario.Outcome) scenario.Outcome {
	for i := range out.Failures {
		if f := &out.Failures[i]; f.Again != "" && c.Seed != nil {
			f.Again += fmt.Sprintf(" --seed %d", *c.Seed)
		}
	}
	return out
}

func (c *testCmd) options() sim.Options {
	if c.Seed == nil {
		return sim.Options{}
	}
	return sim.Options{Choose: sim.NewSeeded(*c.Seed)}
}

// judge reports the outcomes and chooses the exit code. What the report does not
// hold follows it, on standard error where a program reads the report.
func (c *testCmd) judge(t *terminal, all []tested, broken []error, elapsed time.Duration) error {
	write, notes := report.Pretty, t.out
	if c.Format == "json" {
		write, notes = report.JSON, t.err
	}
	outcomes := make([]scenario.Outcome, len(all))
	failed, differs := 0, 0
	coverage := sim.NewCoverage()
	for i, o := range all {
		outcomes[i] = o.Outcome
		switch {
		case !o.OK():
			failed++
		case o.differs:
			differs++
			fmt.Fprintf(notes, "DIFFERS %s %s: two runs gave two traces\n", o.File, o.Name)
		}
		if o.Result != nil {
			for _, s := range o.Result.Steps {
				coverage.Add(s.Moves)
			}
		}
	}
	if err := write(t.out, outcomes, report.Options{Verbose: c.Verbose, Elapsed: elapsed}); err != nil {
		return err
	}
	missing := 0
	if c.Coverage {
		missing = printCoverage(notes, coverage)
	}
	switch {
	case len(broken) > 0:
		return loadFailure(broken)
	case differs > 0:
		return silent(exitDiffers)
	case failed > 0 || missing > 0:
		return silent(exitFailed)
	}
	return nil
}

func printCoverage(w io.Writer, c *sim.Coverage) (missing int) {
	for _, r := range c.Missing() {
		fmt.Fprintf(w, "no case takes %s: %s --%s→ %s (%s)\n", r.Table, r.From, r.On, r.To, r.Rule)
	}
	missing = len(c.Missing())
	fmt.Fprintf(w, "%d of %d table rows taken\n", len(c.Rows())-missing, len(c.Rows()))
	return missing
}

// loadScenario loads a file of one case, wherever it is.
func loadScenario(file string) (*scenario.File, error) {
	f, err := scenario.LoadOne(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		return nil, failf(exitUsage, "%s", detail(err))
	}
	return f, nil
}
