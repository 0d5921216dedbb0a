package main

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"shelly/sim/report"
)

// judge reports the cases and chooses the exit code.
func (c *testCmd) judge(t *terminal, cases, broken []report.Case, took time.Duration) error {
	r := &report.Run{Cases: slices.Concat(broken, cases), Coverage: c.cover(cases), Took: took}
	slices.SortStableFunc(r.Cases, func(a, b report.Case) int { return cmp.Compare(a.File, b.File) })
	if err := errors.Join(c.report(t, r), c.writeJUnit(r)); err != nil {
		return err
	}
	short := c.tooFew(r.Coverage)
	n := r.Count()
	switch {
	case len(broken) > 0:
		return loadFailure(broken)
	case n.Differ > 0:
		return silent(exitDiffers)
	case short != nil:
		return short
	case n.Failed+n.Errors > 0:
		return silent(exitFailed)
	}
	return nil
}

// report writes the report for programs, or the one for people, whose summary line
// stands behind what GitHub is told.
func (c *testCmd) report(t *terminal, r *report.Run) error {
	if c.Format == "json" {
		return report.JSON(t.out, r)
	}
	log := c.log(t)
	for i := range r.Cases {
		if err := report.PrettyCase(log, &r.Cases[i], report.Options{Verbose: c.Verbose, Broken: c.onGitHub()}); err != nil {
			return err
		}
	}
	return errors.Join(c.tellGitHub(t, r), report.PrettyEnd(log, r))
}
