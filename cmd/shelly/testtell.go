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
	var err error
	if c.Format == "json" {
		err = report.JSON(t.out, r)
	} else {
		err = report.Pretty(t.out, r, report.Options{Verbose: c.Verbose})
	}
	if err = errors.Join(err, c.writeJUnit(r)); err != nil {
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
