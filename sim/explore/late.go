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

// lateAfter is the late call behind a step from n: one that was in flight before it,
// that it does not answer, and that nobody awaits any more.
func lateAfter(n, next *node, in fsm.Input) late {
	if _, ok := in.Fact.(fsm.Boot); ok {
		return late{} // whoever would answer has gone with the process
	}
	last := next.late
	before, after := n.machine.View(), next.machine.View()
	answers := fsm.Answers(in)
	for i := range before.Handles {
		a := before.Handles[i].Await
		if a.Call != 0 && a.Call != answers && !awaited(after, a.Call) {
			last = late{a.Call, a.Kind}
		}
	}
	return last
}

func awaited(s *state.Snapshot, call fsm.CallID) bool {
	for i := range s.Handles {
		if s.Handles[i].Await.Call == call {
			return true
		}
	}
	return false
}

// answer is the late answer, or false where no call was given up.
func (l late) answer() (action, bool) {
	var in fsm.Fact
	switch l.kind {
	case fsm.CallBrain:
		in = fsm.BrainAnswered{Answered: fsm.To(l.call), Stop: fsm.StopEndTurn, Text: "late"}
	case fsm.CallTool, fsm.CallStop:
		in = fsm.ToolAnswered{Answered: fsm.To(l.call), Text: "late"}
	case fsm.CallRecall:
		in = fsm.Recalled{Answered: fsm.To(l.call)}
	case fsm.CallEmbed:
		in = fsm.Embedded{Answered: fsm.To(l.call), Error: "late"}
	case fsm.CallStore:
		in = fsm.Stored{Answered: fsm.To(l.call)}
	case fsm.CallLoad:
		in = fsm.SessionLoaded{Answered: fsm.To(l.call)}
	case fsm.CallSave:
		in = fsm.SessionSaved{Answered: fsm.To(l.call)}
	case fsm.CallSkill:
		in = fsm.SkillLoaded{Answered: fsm.To(l.call), Text: "late"}
	default:
		return action{}, false
	}
	return action{"late answer to a " + string(l.kind) + " call", fsm.Input{Fact: in}}, true
}
