package report

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"shelly/sim/coverage"
	"shelly/sim/scenario"
	"shelly/sim/strict"
)

// Run is what came of all cases of one run.
type Run struct {
	Cases    []Case
	Coverage *Coverage     // nil: nobody asked
	Took     time.Duration // by the wall clock; 0 is not reported
	Times    bool          // the JSON report has times (SCN-64)
	Shard    string        // I/N, where it is one of several parts (SCN-37)
	LeftOut  int           // cases that were to be played and were not, because the run was stopped
}

// Case is what came of one case, with what only its runner knows. A file that does
// not load is a case with the file's path alone, whose Err is a
// [*strict.Error].
type Case struct {
	scenario.Outcome
	Differs bool               // a second run gave another trace (SCN-11)
	Took    time.Duration      // on the wall
	Covered *coverage.Coverage // what its runs took; nil where nobody asked

	Property *Property // what came of a property; nil for a case

	command string // that runs it again, of a case that was read from a report
}

// Cover counts what a run of the case took.
func (c *Case) Cover(run *scenario.Outcome) {
	if run.Result == nil {
		return
	}
	if c.Covered == nil {
		c.Covered = coverage.New()
	}
	for _, s := range run.Result.Steps {
		c.Covered.Add(s.Moves)
	}
	c.Covered.Struck(run.Struck)
}

// Status is how a case ended.
type Status string

// The five ends of a case. Only the first is a success; nothing that was skipped
// counts as passed (SCN-40).
const (
	Passed  Status = "passed"  // all that it expects held
	Failed  Status = "failed"  // something did not hold
	Errored Status = "error"   // it could not be loaded or played
	Skipped Status = "skipped" // it was not played
	Differs Status = "differs" // two runs of it gave two traces
)

// Status is how the case ended.
func (c *Case) Status() Status {
	switch {
	case c.Err != nil:
		return Errored
	case c.Skipped != "":
		return Skipped
	case len(c.Failures) > 0:
		return Failed
	case c.Differs:
		return Differs
	default:
		return Passed
	}
}

// Fails reports whether a run with such a case has failed.
func (s Status) Fails() bool { return s != Passed && s != Skipped }

// loadError is what is wrong with a file that does not load, else nil.
func (c *Case) loadError() *strict.Error {
	var load *strict.Error
	errors.As(c.Err, &load)
	return load
}

// Title names a case and the seed that it failed under, or its file where it could
// not be loaded.
func (c *Case) Title() string {
	switch {
	case c.Name == "":
		return c.File
	case c.Seed != nil:
		return fmt.Sprintf("%s (seed %d)", c.Name, *c.Seed)
	default:
		return c.Name
	}
}

// Counts is how many cases ended in which way.
type Counts struct {
	Passed, Failed, Errors, Skipped, Differ int

	ByFile int // of the skipped: those whose files say so (SCN-60)
}

// Count counts the cases of the run.
func (r *Run) Count() Counts { return count(r.Cases) }

func count(cases []Case) Counts {
	var n Counts
	for i := range cases {
		switch cases[i].Status() {
		case Passed:
			n.Passed++
		case Failed:
			n.Failed++
		case Errored:
			n.Errors++
		case Skipped:
			n.Skipped++
			if cases[i].ByFile {
				n.ByFile++
			}
		case Differs:
			n.Differ++
		}
	}
	return n
}

// headline says on one line why a case did not pass: the first thing that is wrong,
// without its place.
func (c *Case) headline() string {
	switch c.Status() {
	case Errored:
		first, rest, _ := strings.Cut(c.Err.Error(), "\n")
		if load := c.loadError(); load != nil && len(load.Problems) > 0 {
			first = join(load.Problems[0].Path, load.Problems[0].Text)
		}
		if rest != "" {
			first += fmt.Sprintf(" (and %d more)", strings.Count(rest, "\n")+1)
		}
		return first
	case Failed:
		f := &c.Failures[0]
		first := join(f.Path, f.Text)
		if f.Want != "" {
			first += fmt.Sprintf(": want %s, got %s", f.Want, f.Got)
		}
		if rest := len(c.Failures) - 1; rest > 0 {
			first += fmt.Sprintf(" (and %d more)", rest)
		}
		return first
	case Differs:
		return "two runs gave two traces"
	default:
		return c.Skipped
	}
}

// join is a path and what is wrong there, each where it is given.
func join(path, text string) string {
	if path == "" || text == "" {
		return path + text
	}
	return path + ": " + text
}

// text is all that is printed of a case that did not pass.
func (c *Case) text() string { return prettyCase(c, Options{Broken: true}) }

// place is where a reader should look first: the first thing that is wrong, or the
// case itself. Line and column are 0 where it is the whole file.
func (c *Case) place() (file string, at strict.Pos) {
	if load := c.loadError(); load != nil && len(load.Problems) > 0 {
		at = load.Problems[0].Pos
	} else if len(c.Failures) > 0 && c.Failures[0].Pos.Line > 0 {
		at = c.Failures[0].Pos
	} else {
		at.Line = c.Line
	}
	return at.In(c.File), at
}
