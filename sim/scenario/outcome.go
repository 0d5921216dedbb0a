package scenario

import (
	"cmp"
	"strconv"

	"shelly/sim"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/judge"
)

// Outcome is what came of one case.
type Outcome struct {
	Name         string
	File         string
	Line         int // of the case
	Tags         []string
	Covers       []string // ids of the rules that it shows
	Skipped      string   // why it was not played; empty where it was
	ByFile       bool     // and its file says so (SCN-60)
	Seed         *uint64  // under which it failed, where a seed chose (SIM-2)
	Failures     []judge.Failure
	Met          []judge.Met    // the expectations that hold
	Err          error          // the case could not be loaded or played; what it expects was not judged
	Steps        int            // durable steps of the (uninterrupted) run
	TraceHash    uint64         // of a property's runs, or as a report has it; of a case see [Outcome.Hash]
	Points       int            // crash points that were tried
	Unknown      int            // of them those after which an outcome was unknown, and
	Raced        int            // those that end differently than without the crash because an input met interrupted work
	Needless     []string       // exceptions of may_change for claims that hold after each crash
	StraightOnly []string       // expectations that the runs with a crash are not held to
	Struck       []string       // the faults that struck, in that run and in those of the crash matrix
	Result       *sim.Result    // of that run; nil with Err
	Live         *Live          // nil where no live model was asked
	Golden       *golden.Golden // nil where the case asks for none, and with Err
	again        string         // the command that runs the case; empty where it was not loaded
	unlike       bool           // no two of its runs are alike
}

// OK reports whether the case was played and all held (SCN-40).
func (o *Outcome) OK() bool { return o.Err == nil && len(o.Failures) == 0 && o.Skipped == "" }

// Hash is the hash of the trace of the (uninterrupted) run, the same on every machine; 0 where
// no two runs are alike, or there is none. Of a case it is made when it is asked for.
func (o *Outcome) Hash() uint64 {
	if o.TraceHash == 0 && o.Result != nil && !o.unlike {
		return o.Result.Hash()
	}
	return o.TraceHash
}

// Differs reports whether another run of the case has another trace.
func (o *Outcome) Differs(again *Outcome) bool { return again.Err != nil || again.Hash() != o.Hash() }

// Again is the command that runs the case, or the whole file where it has no line,
// under the seed that it failed under.
func (o *Outcome) Again() string {
	command := cmp.Or(o.again, judge.AgainAt(o.File, o.Line))
	if o.Seed != nil {
		command += " --seed " + strconv.FormatUint(*o.Seed, 10)
	}
	return command
}
