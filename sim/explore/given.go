package explore

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// given is the call that was given up last in this process: its answer may come at any
// moment, and once more, and must change nothing (INV-8). One that was given up before
// it is forgotten. The zero value is none.
type given struct {
	call fsm.CallID
	kind fsm.CallKind
}

// after is the call given up after a step from one state to another: one that was in flight
// before it, that it does not answer, and that nobody awaits any more.
func (g given) after(before, after *state.Snapshot, in fsm.Input) given {
	if _, ok := in.Fact.(fsm.Boot); ok {
		return given{} // whoever would answer has gone with the process
	}
	answers := fsm.Answers(in)
	for i := range before.Handles {
		for _, a := range before.Handles[i].InFlight() {
			if a.Call != answers && !awaited(after, a.Call) {
				g = given{a.Call, a.Kind}
			}
		}
	}
	return g
}

func awaited(s *state.Snapshot, call fsm.CallID) bool {
	for i := range s.Handles {
		if s.Handles[i].Awaits(call) != "" {
			return true
		}
	}
	return false
}

// answers is the late answer, or none where no call was given up. A tool that was to stop
// may still answer (TOL-7).
func (g given) answers(list []action) []action {
	kind := g.kind
	switch kind {
	case "":
		return list
	case fsm.CallStop:
		kind = fsm.CallTool
	}
	return append(list, action{"late answer to a " + string(g.kind) + " call", fsm.Input{Fact: fsm.PlainAnswer(g.call, kind)}})
}
