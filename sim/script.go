package sim

import (
	"strconv"
	"strings"

	"shelly/fsm"
)

// cursor serves a plan's script lines and stub acts in order, and serves the
// same entry again to a call that is asked again after a crash.
type cursor struct {
	plan  *Plan
	lines []int // per script: the next line
	acts  []int // per stub: starts so far
	asked []bound
	ran   []bound
}

// bound ties a script entry to what first took it.
type bound struct {
	handle fsm.HandleID
	key    string
	entry  Taken
}

var nothing = Taken{-1, -1}

func newCursor(p *Plan) *cursor {
	return &cursor{plan: p, lines: make([]int, len(p.Scripts)), acts: make([]int, len(p.Stubs))}
}

// line returns the line for a model call, or nothing. A call is the same as an
// earlier one if its handle asks the same conversation for the same purpose.
func (c *cursor) line(ask fsm.AskBrain) Taken {
	key := string(ask.Purpose) + strconv.FormatUint(ask.Conversation.Hash, 16)
	handle := whose(ask.Handle, ask.Session)
	if entry, ok := find(c.asked, handle, key); ok {
		return entry
	}
	entry := nothing
	for i, s := range c.plan.Scripts {
		if s.Purpose == ask.Purpose && (s.Session == "" || s.Session == ask.Session) && c.lines[i] < len(s.Lines) {
			entry = Taken{i, c.lines[i]}
			c.lines[i]++
			break
		}
	}
	c.asked = append(c.asked, bound{handle, key, entry})
	return entry
}

// act returns the act for a tool's start, or nothing.
func (c *cursor) act(run fsm.RunTool) Taken {
	handle, key := whose(run.Handle, run.Session), run.Key
	if handle == 0 {
		_, key, _ = strings.Cut(run.Key, ".") // the part behind the handle's id
	}
	key = run.Session + " " + key
	if entry, ok := find(c.ran, handle, key); ok {
		return entry
	}
	entry := nothing
	for i, s := range c.plan.Stubs {
		if s.Decl.Name != run.Name {
			continue
		}
		if a := actAt(s.Acts, c.acts[i]); a >= 0 {
			entry = Taken{i, a}
			c.acts[i]++
		}
	}
	c.ran = append(c.ran, bound{handle, key, entry})
	return entry
}

// whose is the handle that an entry is bound to. An initial inference or a
// farewell is begun anew after a crash, as another handle that asks the same.
func whose(handle fsm.HandleID, session string) fsm.HandleID {
	if session == string(fsm.KindInit) || session == string(fsm.KindFarewell) {
		return 0
	}
	return handle
}

// actAt returns the index of the act for a stub's n-th start, or -1.
func actAt(acts []Act, n int) int {
	for i, a := range acts {
		if n < max(a.Times, 1) {
			return i
		}
		n -= max(a.Times, 1)
	}
	return -1
}

// unused names the entries that nobody asked for and that are not optional.
func (c *cursor) unused() []string {
	var names []string
	for i, s := range c.plan.Scripts {
		for n := c.lines[i]; n < len(s.Lines); n++ {
			if !s.Lines[n].Optional {
				names = append(names, "the "+string(s.Purpose)+" script's line "+strconv.Itoa(n+1))
			}
		}
	}
	for i, s := range c.plan.Stubs {
		begun := 0
		for n, a := range s.Acts {
			if begun >= c.acts[i] && !a.Optional {
				names = append(names, "tool "+s.Decl.Name+"'s entry "+strconv.Itoa(n+1))
			}
			begun += max(a.Times, 1)
		}
	}
	return names
}

func find(list []bound, handle fsm.HandleID, key string) (Taken, bool) {
	for _, b := range list {
		if b.handle == handle && b.key == key {
			return b.entry, true
		}
	}
	return nothing, false
}

// Quiet is the answer to a call that a plan need not script, or false for one
// that it must.
func Quiet(ask fsm.AskBrain) (Line, bool) {
	switch ask.Purpose {
	case fsm.PurposeSummary:
		return Line{Text: "Summary of " + strconv.Itoa(len(ask.Conversation.Messages)-1) + " messages."}, true
	case fsm.PurposeInit:
		return Line{Text: "Nothing to report."}, true
	case fsm.PurposeFarewell:
		return Line{Text: "Goodbye."}, true
	default:
		return Line{}, false
	}
}

// calls returns the line's calls, each with an id that is its own in the
// conversation, as a model's server gives them.
func (l Line) calls(ask fsm.AskBrain) []fsm.ToolCall {
	calls := append([]fsm.ToolCall(nil), l.Calls...)
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = "call_" + strconv.Itoa(len(ask.Conversation.Messages)) + "_" + strconv.Itoa(i)
		}
	}
	return calls
}

// Answer is what the model says on a line to ask, or nil where no answer comes.
// The simulator and the demo brain answer alike.
func (l Line) Answer(ask fsm.AskBrain) fsm.Input {
	switch {
	case l.Hangs:
		return nil
	case l.Fails != "":
		return fsm.BrainFailed{Call: ask.Call, Class: l.Fails, Reason: l.Reason}
	}
	in := fsm.BrainAnswered{
		Call: ask.Call, Stop: fsm.StopEndTurn, Text: l.Text, Thinking: l.Thinking, Calls: l.calls(ask),
	}
	if l.Quotes {
		if n := len(ask.Conversation.Messages); n > 0 {
			in.Text = strings.TrimSpace(in.Text + "\n" + ask.Conversation.Messages[n-1].Text)
		}
	}
	switch {
	case l.Length:
		in.Stop = fsm.StopMaxTokens
	case len(l.Calls) > 0:
		in.Stop = fsm.StopToolUse
	}
	return in
}
