package sim

import (
	"strings"

	"shelly/fsm"
	"shelly/sim/script"
)

// cursor serves a plan's script lines and stub acts in order. A call that is repeated after
// a crash gets the same entry again.
type cursor struct {
	plan            *Plan
	scripts         script.Hand
	acts            []script.Place // per stub
	asked           map[nthCall[askKey]]boundEntry
	ran             map[actKey]boundEntry
	repeats[askKey] // of model calls
}

// askKey is what a model call asks, and which handle asks it.
type askKey struct {
	handle  fsm.HandleID
	purpose fsm.Purpose
	hash    uint64 // of the conversation
}

// actKey is an attempt of one use of a tool.
type actKey struct {
	handle  fsm.HandleID
	key     string
	attempt int
}

// boundEntry is an entry and the time at which it was first taken.
type boundEntry struct {
	entry script.Taken
	at    fsm.Millis
}

func newCursor(p *Plan) *cursor {
	return &cursor{
		plan: p, scripts: script.NewHand(p.Scripts), acts: make([]script.Place, len(p.Stubs)),
		asked: map[nthCall[askKey]]boundEntry{}, ran: map[actKey]boundEntry{}, repeats: newRepeats[askKey](),
	}
}

// observe records which calls a step of the journal answers and makes. A call that has its
// answer is not repeated, so the same question of its handle is another call.
func (c *cursor) observe(in fsm.Input, effects []fsm.Effect) {
	c.boots(in)
	if fsm.AnswersKind(in.Fact, fsm.CallBrain) {
		c.close(fsm.Answers(in))
	}
	for _, e := range effects {
		if ask, ok := e.(fsm.AskBrain); ok {
			c.made(ask.Call, keyOf(ask))
		}
	}
}

func keyOf(ask fsm.AskBrain) askKey { return askKey{ask.Handle, ask.Purpose, ask.Conversation.Hash} }

// line returns the line for a model call made now, or nothing if there is none, and the time
// at which the call was first made.
func (c *cursor) line(ask fsm.AskBrain, now fsm.Millis) (script.Taken, fsm.Millis) {
	key := c.next(keyOf(ask))
	key.of.handle = whose(ask.Handle, ask.Session)
	if b, ok := c.asked[key]; ok {
		return b.entry, b.at
	}
	entry := c.scripts.Take(ask.Purpose, ask.Session)
	c.asked[key] = boundEntry{entry, now}
	return entry, now
}

// act returns the act for a tool started now, or nothing if there is none, and the time at
// which it was first started.
func (c *cursor) act(run fsm.RunTool, now fsm.Millis) (script.Taken, fsm.Millis) {
	key := actKeyOf(run)
	if b, ok := c.ran[key]; ok {
		return b.entry, b.at
	}
	entry := script.Nothing
	for i := range c.plan.Stubs {
		stub, place := &c.plan.Stubs[i], &c.acts[i]
		if stub.Decl.Name == run.Name && place.Index < len(stub.Acts) {
			entry = script.Taken{Script: i, Index: place.Index}
			place.Pass(stub.Acts[place.Index].Times)
		}
	}
	c.ran[key] = boundEntry{entry, now}
	return entry, now
}

// started returns the entry that the last attempt of a call took, or would take.
func (c *cursor) started(e fsm.RunProbe) Act {
	run := fsm.RunTool{Asked: e.Asked, Session: e.Session, Name: e.Name, Key: e.Key, Attempt: e.Attempt}
	if b, ok := c.ran[actKeyOf(run)]; ok && b.entry != script.Nothing {
		return c.plan.Stubs[b.entry.Script].Acts[b.entry.Index]
	}
	for i := range c.plan.Stubs {
		s := &c.plan.Stubs[i]
		if next := c.acts[i].Index; s.Decl.Name == e.Name && next < len(s.Acts) {
			return s.Acts[next]
		}
	}
	return Act{}
}

// actKeyOf returns the key to which an act is bound.
func actKeyOf(run fsm.RunTool) actKey {
	handle, key := whose(run.Handle, run.Session), run.Key
	if handle == 0 {
		_, key, _ = strings.Cut(run.Key, ".") // the part after the handle's id
	}
	return actKey{handle, run.Session + " " + key, run.Attempt}
}

// whose returns the handle to which an entry is bound, or 0 for a handle that a crash replaces.
func whose(handle fsm.HandleID, session string) fsm.HandleID {
	if StartsOver(session) {
		return 0
	}
	return handle
}

// StartsOver reports whether a session belongs to an initial inference or a farewell. After
// a crash another handle asks the same questions from the start.
func StartsOver(session string) bool {
	return session == string(fsm.KindInit) || session == string(fsm.KindFarewell)
}
