package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"shelly/sim"
	"shelly/sim/report"
)

// judge reports the cases and chooses the exit code. What the report does not hold
// follows it, on standard error where a program reads the report.
func (c *testCmd) judge(t *terminal, cases, broken []report.Case, took time.Duration) error {
	r := &report.Run{Cases: slices.Concat(broken, cases), Took: took}
	slices.SortStableFunc(r.Cases, func(a, b report.Case) int { return cmp.Compare(a.File, b.File) })
	notes := t.out
	var err error
	if c.Format == "json" {
		notes = t.err
		err = report.JSON(t.out, r)
	} else {
		err = report.Pretty(t.out, r, report.Options{Verbose: c.Verbose})
	}
	if err = errors.Join(err, c.writeJUnit(r)); err != nil {
		return err
	}
	missing := 0
	if c.Coverage {
		missing = printCoverage(notes, coverageOf(cases))
	}
	n := r.Count()
	switch {
	case len(broken) > 0:
		return loadFailure(broken)
	case n.Differ > 0:
		return silent(exitDiffers)
	case n.Failed+n.Errors+missing > 0:
		return silent(exitFailed)
	}
	return nil
}

func coverageOf(cases []report.Case) *sim.Coverage {
	coverage := sim.NewCoverage()
	for _, o := range cases {
		if o.Result != nil {
			for _, s := range o.Result.Steps {
				coverage.Add(s.Moves)
			}
		}
	}
	return coverage
}

func printCoverage(w io.Writer, c *sim.Coverage) (missing int) {
	for _, r := range c.Missing() {
		fmt.Fprintf(w, "no case takes %s: %s --%s→ %s (%s)\n", r.Table, r.From, r.On, r.To, r.Rule)
	}
	missing = len(c.Missing())
	fmt.Fprintf(w, "%d of %d table rows taken\n", len(c.Rows())-missing, len(c.Rows()))
	return missing
}
