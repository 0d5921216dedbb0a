package explore

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// late is the call that was given up last in this process: its answer may come at any
// moment, and once more, and must change nothing (INV-8). One that was given up before
// it is forgotten. The zero value is none.
type late struct {
	call fsm.CallID
	kind fsm.CallKind
}

// lateAfter is the late call after a step from n: one that was in flight before it,
// that it does not answer, and that nobody awaits any more.
func lateAfter(n, next *node, in fsm.Input) late {
	if _, ok := in.Fact.(fsm.Boot); ok {
		return late{} // whoever would answer has gone with the process
	}
	last := next.late
	before, after := n.machine.View(), next.machine.View()
	answers := fsm.Answers(in)
	for i := range before.Handles {
		for _, a := range before.Handles[i].InFlight() {
			if a.Call != answers && !awaited(after, a.Call) {
				last = late{a.Call, a.Kind}
			}
		}
	}
	return last
}

func awaited(s *state.Snapshot, call fsm.CallID) bool {
	for i := range s.Handles {
		if s.Handles[i].Awaits(call) != "" {
			return true
		}
	}
	return false
}

// answer is the late answer, or false where no call was given up. A tool that was to stop
// may still answer (TOL-7).
func (l late) answer() (action, bool) {
	kind := l.kind
	switch kind {
	case "":
		return action{}, false
	case fsm.CallStop:
		kind = fsm.CallTool
	}
	return action{"late answer to a " + string(l.kind) + " call", fsm.Input{Fact: fsm.PlainAnswer(l.call, kind)}}, true
}
