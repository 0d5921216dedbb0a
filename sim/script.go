package sim

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"shelly/fsm"
)

// cursor serves a plan's script lines and stub acts in order, and serves the
// same entry again to a call that is asked again after a crash.
type cursor struct {
	plan     *Plan
	scripts  hand
	acts     []int // per stub: starts so far
	asked    []boundLine
	ran      []boundAct
	open     []openAsk // model calls of the journal that have no answer yet
	answered []askKey  // those that have one
}

// askKey is what a model call asks, and who.
type askKey struct {
	handle  fsm.HandleID
	purpose fsm.Purpose
	hash    uint64 // of the conversation
}

type openAsk struct {
	call fsm.CallID
	askKey
}

// boundLine ties a line to what first took it: the call that asks this for the
// nth time, those without an answer apart.
type boundLine struct {
	askKey
	nth   int
	entry Taken
	at    fsm.Millis
}

// boundAct ties an act to what first took it: an attempt of one use of a tool.
type boundAct struct {
	handle  fsm.HandleID
	key     string
	attempt int
	entry   Taken
	at      fsm.Millis
}

var nothing = Taken{-1, -1}

func newCursor(p *Plan) *cursor {
	return &cursor{plan: p, scripts: newHand(p.Scripts), acts: make([]int, len(p.Stubs))}
}

// replay forgets which calls have answers; the steps of the journal tell it anew.
func (c *cursor) replay() { c.open, c.answered = nil, nil }

// observe notes which calls a step of the journal answers and makes. A call whose
// answer is there is not asked again: the same question of its handle is another.
func (c *cursor) observe(in fsm.Input, effects []fsm.Effect) {
	switch in := in.Fact.(type) {
	case fsm.Boot:
		c.open = c.open[:0]
	case fsm.BrainAnswered:
		c.close(in.Call)
	case fsm.BrainFailed:
		c.close(in.Call)
	}
	for _, e := range effects {
		if ask, ok := e.(fsm.AskBrain); ok {
			c.open = append(c.open, openAsk{ask.Call, keyOf(ask)})
		}
	}
}

func (c *cursor) close(call fsm.CallID) {
	for i, o := range c.open {
		if o.call == call {
			c.answered = append(c.answered, o.askKey)
			c.open = append(c.open[:i], c.open[i+1:]...)
			return
		}
	}
}

func keyOf(ask fsm.AskBrain) askKey { return askKey{ask.Handle, ask.Purpose, ask.Conversation.Hash} }

// line returns the line for a model call that is made now, or nothing, and when the
// call was first made.
func (c *cursor) line(ask fsm.AskBrain, now fsm.Millis) (Taken, fsm.Millis) {
	key, nth := keyOf(ask), 0
	for _, k := range c.answered {
		if k == key {
			nth++
		}
	}
	key.handle = whose(ask.Handle, ask.Session)
	for _, b := range c.asked {
		if b.askKey == key && b.nth == nth {
			return b.entry, b.at
		}
	}
	entry := c.scripts.take(ask.Purpose, ask.Session)
	c.asked = append(c.asked, boundLine{key, nth, entry, now})
	return entry, now
}

// act returns the act for a tool's start now, or nothing, and when it was first
// started.
func (c *cursor) act(run fsm.RunTool, now fsm.Millis) (Taken, fsm.Millis) {
	handle, key := whose(run.Handle, run.Session), run.Key
	if handle == 0 {
		_, key, _ = strings.Cut(run.Key, ".") // the part behind the handle's id
	}
	key = run.Session + " " + key
	for _, b := range c.ran {
		if b.handle == handle && b.key == key && b.attempt == run.Attempt {
			return b.entry, b.at
		}
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
	c.ran = append(c.ran, boundAct{handle, key, run.Attempt, entry, now})
	return entry, now
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
func actAt(acts []Act, n int) int { return entryAt(acts, n, func(a *Act) int { return a.Times }) }

// lineAt returns the index of the line for the n-th call, or -1.
func lineAt(lines []Line, n int) int { return entryAt(lines, n, func(l *Line) int { return l.Times }) }

// Calls is how many calls the script is for.
func (s *Script) Calls() int {
	n := 0
	for _, l := range s.Lines {
		n += max(l.Times, 1)
	}
	return n
}

// entryAt returns the index of the entry for the n-th call, from 0, where each serves
// so many, or -1.
func entryAt[T any](entries []T, n int, times func(*T) int) int {
	for i := range entries {
		serves := max(times(&entries[i]), 1)
		if n < serves {
			return i
		}
		n -= serves
	}
	return -1
}

// unused names the entries that nobody asked for and that are not optional.
func (c *cursor) unused() []string {
	var names []string
	for i, s := range c.plan.Scripts {
		begun := 0
		for n, l := range s.Lines {
			if begun >= c.scripts.calls[i] && !l.Optional {
				name := "the " + string(s.Purpose) + " script's line " + strconv.Itoa(n+1)
				if s.Session != "" {
					name += " for session " + s.Session
				}
				names = append(names, name)
			}
			begun += max(l.Times, 1)
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

// Quiet is the answer to a call that a plan need not script, or false for one
// that it must.
func Quiet(ask fsm.AskBrain) (Line, bool) {
	switch ask.Purpose {
	case fsm.PurposeSummary, fsm.PurposeCompact:
		return Line{Text: "Summary of " + strconv.Itoa(sent(ask)-1) + " messages."}, true
	case fsm.PurposeInit:
		return Line{Text: "Nothing to report."}, true
	case fsm.PurposeFarewell:
		return Line{Text: "Goodbye."}, true
	default:
		return Line{}, false
	}
}

// sent is how many messages the model is sent, the system prompt among them.
func sent(ask fsm.AskBrain) int {
	n := len(ask.Conversation.Messages)
	if ask.System != "" {
		n++
	}
	return n
}

// calls returns the line's calls, each with an id that is its own in the
// conversation, as a model's server gives them.
func (l Line) calls(ask fsm.AskBrain) []fsm.ToolCall {
	calls := append([]fsm.ToolCall(nil), l.Calls...)
	if l.Repeats {
		calls = append(calls, lastCalls(ask)...)
	}
	n := 0
	for i := range calls {
		if calls[i].ID != "" {
			continue
		}
		if n == 0 {
			n = freeID(ask)
		}
		calls[i].ID = "call_" + strconv.Itoa(n) + "_" + strconv.Itoa(i)
	}
	return calls
}

// lastCalls returns the calls that the model asked for last, without their ids and
// as a server sends calls: apart from the text, and without the blanks that a text
// has between the arguments.
func lastCalls(ask fsm.AskBrain) []fsm.ToolCall {
	messages := ask.Conversation.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if len(messages[i].Calls) == 0 {
			continue
		}
		calls := append([]fsm.ToolCall(nil), messages[i].Calls...)
		for n := range calls {
			calls[n].ID, calls[n].Text = "", false
			var args bytes.Buffer
			if json.Compact(&args, []byte(calls[n].Args)) == nil {
				calls[n].Args = args.String()
			}
		}
		return calls
	}
	return nil
}

// freeID returns the number of the next calls: that of the messages, unless a
// longer conversation, since shortened, has left calls of that number.
func freeID(ask fsm.AskBrain) int {
	n := sent(ask)
	for _, m := range ask.Conversation.Messages {
		for _, c := range m.Calls {
			number, _, _ := strings.Cut(strings.TrimPrefix(c.ID, "call_"), "_")
			if taken, err := strconv.Atoi(number); err == nil && taken >= n {
				n = taken + 1
			}
		}
	}
	return n
}

// Answer is what the model says on a line to ask, or nil where no answer comes.
// The simulator and the demo brain answer alike.
func (l Line) Answer(ask fsm.AskBrain) fsm.Fact {
	switch {
	case l.Hangs:
		return nil
	case l.Fails != "":
		return fsm.BrainFailed{Answered: fsm.To(ask.Call), Class: l.Fails, Reason: l.Reason}
	}
	in := fsm.BrainAnswered{
		Answered: fsm.To(ask.Call), Stop: fsm.StopEndTurn, Text: l.text(ask), Thinking: l.Thinking, Calls: l.calls(ask), Tokens: l.Tokens,
	}
	switch {
	case l.Length:
		in.Stop = fsm.StopMaxTokens
	case len(in.Calls) > 0:
		in.Stop = fsm.StopToolUse
	}
	return in
}

// text is the text of the line's answer to ask.
func (l Line) text(ask fsm.AskBrain) string {
	if n := len(ask.Conversation.Messages); l.Quotes && n > 0 {
		return strings.TrimSpace(l.Text + "\n" + ask.Conversation.Messages[n-1].Text)
	}
	return l.Text
}
