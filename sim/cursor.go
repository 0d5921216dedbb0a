package sim

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim/script"
)

// cursor serves a plan's script lines and stub acts in order, and serves the
// same entry again to a call that is asked again after a crash.
type cursor struct {
	plan     *Plan
	scripts  script.Hand
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
	entry script.Taken
	at    fsm.Millis
}

// boundAct ties an act to what first took it: an attempt of one use of a tool.
type boundAct struct {
	handle  fsm.HandleID
	key     string
	attempt int
	entry   script.Taken
	at      fsm.Millis
}

func newCursor(p *Plan) *cursor {
	return &cursor{plan: p, scripts: script.NewHand(p.Scripts), acts: make([]int, len(p.Stubs))}
}

// replay forgets which calls have answers; the steps of the journal say it again.
func (c *cursor) replay() { c.open, c.answered = nil, nil }

// observe notes which calls a step of the journal answers and makes. A call whose
// answer is there is not asked again: the same question of its handle is another.
func (c *cursor) observe(in fsm.Input, effects []fsm.Effect) {
	if _, boots := in.Fact.(fsm.Boot); boots {
		c.open = c.open[:0]
	}
	if fsm.AnswersKind(in.Fact, fsm.CallBrain) {
		c.close(fsm.Answers(in))
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
func (c *cursor) line(ask fsm.AskBrain, now fsm.Millis) (script.Taken, fsm.Millis) {
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
	entry := c.scripts.Take(ask.Purpose, ask.Session)
	c.asked = append(c.asked, boundLine{key, nth, entry, now})
	return entry, now
}

// act returns the act for a tool's start now, or nothing, and when it was first
// started.
func (c *cursor) act(run fsm.RunTool, now fsm.Millis) (script.Taken, fsm.Millis) {
	handle, key := boundTo(run)
	for _, b := range c.ran {
		if b.handle == handle && b.key == key && b.attempt == run.Attempt {
			return b.entry, b.at
		}
	}
	entry := script.Nothing
	for i, s := range c.plan.Stubs {
		if s.Decl.Name != run.Name {
			continue
		}
		if a := script.EntryAt(s.Acts, c.acts[i], func(a *Act) int { return a.Times }); a >= 0 {
			entry = script.Taken{Script: i, Index: a}
			c.acts[i]++
		}
	}
	c.ran = append(c.ran, boundAct{handle, key, run.Attempt, entry, now})
	return entry, now
}

// started is the entry that the last attempt of a call took, or would take.
func (c *cursor) started(e fsm.RunProbe) Act {
	run := fsm.RunTool{Asked: e.Asked, Session: e.Session, Name: e.Name, Key: e.Key, Attempt: e.Attempt}
	handle, key := boundTo(run)
	for _, b := range c.ran {
		if b.handle == handle && b.key == key && b.attempt == e.Attempt && b.entry != script.Nothing {
			return c.plan.Stubs[b.entry.Script].Acts[b.entry.Index]
		}
	}
	for i, s := range c.plan.Stubs {
		if s.Decl.Name == e.Name {
			if a := script.EntryAt(s.Acts, c.acts[i], func(a *Act) int { return a.Times }); a >= 0 {
				return s.Acts[a]
			}
		}
	}
	return Act{}
}

// boundTo is what an act is bound to, beside the attempt.
func boundTo(run fsm.RunTool) (fsm.HandleID, string) {
	handle, key := whose(run.Handle, run.Session), run.Key
	if handle == 0 {
		_, key, _ = strings.Cut(run.Key, ".") // the part after the handle's id
	}
	return handle, run.Session + " " + key
}

// whose is the handle that an entry is bound to, or 0 for one that a crash replaces.
func whose(handle fsm.HandleID, session string) fsm.HandleID {
	if StartsOver(session) {
		return 0
	}
	return handle
}

// StartsOver reports whether a session is an initial inference's or a farewell's. After a
// crash another handle asks the same from the start.
func StartsOver(session string) bool {
	return session == string(fsm.KindInit) || session == string(fsm.KindFarewell)
}

// unused names the entries that nobody asked for and that are not optional.
func (c *cursor) unused() []string {
	names := c.scripts.Unused()
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
