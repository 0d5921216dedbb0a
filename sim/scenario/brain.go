package scenario

import (
	"shelly/fsm"
	"shelly/sim"
)

// Brain answers model calls from a scenario's script without a simulator, for as
// long as anybody asks: the demo brain of the daemon, and what the mock server
// serves. The script begins anew for each handle and repeats when it has ended.
//
// A Brain has no state and may be used by several goroutines at once: which line
// is next is told by how many answers of the model the conversation holds.
type Brain struct{ file *File }

// Brain returns the scenario's scripted brain.
func (f *File) Brain() *Brain { return &Brain{f} }

// Answer returns the line that answers a model call, or false where the scenario
// has none. A purpose that is not scripted has the simulator's quiet default.
func (b *Brain) Answer(ask fsm.AskBrain) (sim.Line, bool) {
	for _, s := range b.file.scripted() {
		if s.purpose == ask.Purpose && len(s.lines) > 0 {
			return s.lines[b.next(ask)%len(s.lines)].line(), true
		}
	}
	if b.file.Strict {
		return sim.Line{}, false
	}
	return sim.Quiet(ask)
}

// next is how many lines the handle has had. A summary is one call, made over
// the answers of another purpose.
func (b *Brain) next(ask fsm.AskBrain) int {
	if ask.Purpose == fsm.PurposeSummary {
		return 0
	}
	n := 0
	for _, m := range ask.Conversation.Messages {
		if m.Role == fsm.RoleAssistant {
			n++
		}
	}
	return n
}
