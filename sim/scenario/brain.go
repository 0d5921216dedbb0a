package scenario

import (
	"strings"

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
		if s.purpose == ask.Purpose && s.session == "" && len(s.lines) > 0 {
			return s.lines[next(ask)%len(s.lines)].line(), true
		}
	}
	if b.file.Strict {
		return sim.Line{}, false
	}
	line, ok := sim.Quiet(ask)
	line.Takes = b.file.latency().Brain.millis()
	return line, ok
}

// next is how many lines the handle has had: the answers of the model behind the
// last that ended a turn. A summary or compaction is one call, made over the
// answers of another purpose.
func next(ask fsm.AskBrain) int {
	if ask.Purpose == fsm.PurposeSummary || ask.Purpose == fsm.PurposeCompact {
		return 0
	}
	n := 0
	messages := ask.Conversation.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		switch {
		case m.Role != fsm.RoleAssistant:
		case len(m.Calls) > 0, i+1 < len(messages) && messages[i+1].Role == fsm.RoleTool, strings.HasPrefix(m.Text, fsm.NeedMarker):
			n++
		default:
			return n
		}
	}
	return n
}
