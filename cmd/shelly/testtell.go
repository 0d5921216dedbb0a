package main

import (
	"fmt"
	"io"
	"time"

	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

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
