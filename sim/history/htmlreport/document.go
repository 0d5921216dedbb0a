package htmlreport

import (
	"shelly/fsm"
	"shelly/sim/history/trace"
)

// Document is what a report tells.
type Document struct {
	Title   string
	Verdict string // one of the statuses; empty: there is none
	Summary string // on one line
	Cases   []Case
	Visits  trace.Sum // of all that was run; nil: no graphs
	Of      string    // what the visits are of, such as "3 cases"
}

// The statuses of a case, as [report.Status] has them.
const (
	Passed  = "passed"
	Failed  = "failed"
	Errored = "error"
	Skipped = "skipped"
	Differs = "differs"
)

// Case is one run, or one property with its runs.
type Case struct {
	Name     string
	Place    string // the file and line, or the folder and request
	Status   string
	Note     string // on lines: why it was not played, or what it came to
	Tags     []string
	Covers   []string // rules
	Again    string   // the command that runs it again
	Failures []Failure
	Met      []Met
	Pairs    []Pair
	Seeds    []Seed
	Start    fsm.Millis // what times are counted from
	Steps    []trace.Step
	Ran      int    // how many steps there were
	Left     string // why none, or not all, of them are here
}

// Failure is one thing that did not hold.
type Failure struct {
	Place, Path, Text string
	Want, Got         string
	Hint, Diff, Frame string
	Trace             []string
	Again             string
	Step              int // at which it shows; 0: no single one
}

// Met is an expectation that holds.
type Met struct {
	Path, Place string
	Steps       []int
}

// Pair is two things side by side.
type Pair struct {
	Title       string
	Left, Right Side
	Step        int // where they part; 0: no single one
}

// Side is one of two.
type Side struct{ Title, Text string }

// Seed is one case that a property made (SIM-35).
type Seed struct {
	N     uint64
	Holds bool
	Steps int
}

// Bad reports whether the case makes a run fail.
func (c *Case) Bad() bool { return c.Status == Failed || c.Status == Errored || c.Status == Differs }
