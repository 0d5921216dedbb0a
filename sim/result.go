package sim

import (
	"shelly/fsm"
	"shelly/fsm/engine"
)

// Result is what happened in a run.
type Result struct {
	Steps      []Step           // every step in the journal, in order; one that a crash lost is not there
	Requests   []engine.Request // in the order of acceptance
	Refusals   []Refusal        // requests that were not accepted
	Notices    []Delivery       // notices and repeated replies, as the clients got them
	Reports    []fsm.Report
	Memory     []fsm.Entry // in the order of storing
	Asked      []Asked     // model calls, in order; a call asked again after a crash is there again
	Ran        []Ran       // tool starts, in order
	Crashes    []Crashed
	Exits      []fsm.ExitCode
	Unexpected []string // calls that no script entry was left for
	Unused     []string // script entries that nobody asked for
	Violations []Broken
	Points     int // how many crash points were met
	Final      fsm.Snapshot
	Hash       uint64 // of all steps
	End        fsm.Millis
}

// Step is one step in the journal.
type Step struct {
	At    fsm.Millis
	Epoch int
	engine.Step
}

// Refusal is a request that was refused before anything was written.
type Refusal struct {
	At      fsm.Millis
	Request fsm.RequestKey
	Err     error
}

// Delivery is a word to a client.
type Delivery struct {
	At      fsm.Millis
	Request fsm.RequestKey
	Notice  fsm.Notice // empty: a reply from the record
	Text    string
}

// Asked is one model call and the line that answered it.
type Asked struct {
	At   fsm.Millis
	Ask  fsm.AskBrain
	Line Taken
}

// Ran is one start of a tool.
type Ran struct {
	At  fsm.Millis
	Run fsm.RunTool
	Act Taken
}

// Taken names a script entry: the Index-th of the Script-th script or stub; -1
// for none.
type Taken struct{ Script, Index int }

// Crashed is a crash that took place.
type Crashed struct {
	At      fsm.Millis
	Ordinal int // the how-manieth crash point of the run
	Point   Point
}

// Broken is an invariant that did not hold after a step.
type Broken struct {
	Step int // index into Steps
	fsm.Violation
}

// Starts returns how often the use of a tool named key was started.
func (r *Result) Starts(key string) int {
	n := 0
	for _, ran := range r.Ran {
		if ran.Run.Key == key {
			n++
		}
	}
	return n
}

// Replies returns the final replies in the order of acceptance.
func (r *Result) Replies() []engine.Request {
	var done []engine.Request
	for _, q := range r.Requests {
		if q.Done {
			done = append(done, q)
		}
	}
	return done
}

// Path returns the states that a handle went through, from its table's initial
// one, over all steps.
func (r *Result) Path(table string, handle fsm.HandleID) []fsm.State {
	var path []fsm.State
	for _, s := range r.Steps {
		for _, m := range s.Moves {
			if m.Table != table || m.Handle != handle {
				continue
			}
			if len(path) == 0 {
				path = append(path, m.From)
			} else if path[len(path)-1] != m.From {
				path = append(path, m.From)
			}
			path = append(path, m.To)
		}
	}
	return path
}
