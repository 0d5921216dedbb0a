package sim

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/disk"
	"shelly/sim/script"
	"shelly/sim/server"
	"slices"
)

// Result is what happened in a run.
type Result struct {
	Steps      []Step           // every step in the journal, in order; one that a crash lost is not there
	Requests   []engine.Request // in the order of acceptance
	Refusals   []Refusal        // what was not accepted
	Notices    []Delivery       // notices and repeated replies, as the clients got them
	Reports    []fsm.Report
	Memory     []fsm.Entry      // in the order of storing
	World      []Thing          // what the outside world holds
	Sessions   []disk.Saved     // in the order of the first save
	MemoryFile string           // MEMORY.md
	History    []string         // the entries of HISTORY.md
	Messages   []Message        // each once, in order
	Questions  []Question       // to a person, in order; one asked again after a crash is there again
	Audits     []fsm.Audit      // of the calls that were run, in order
	Asked      []Asked          // model calls, in order; a call asked again after a crash is there again
	Ran        []Ran            // tool starts, in order
	Replied    []fsm.RequestKey // whom a final reply was sent to, in order; one that a crash kept from its client is not there
	Chunks     []Chunk          // pieces of answers that clients saw, in order
	Crashes    []Crashed
	Struck     []string // the faults that struck, in order, by the names of FaultPoints
	Exits      []fsm.ExitCode
	Unstruck   []int // indices of the plan's faults for an nth call that never came
	Unmet      []int // indices of the plan's crashes at a point that was met less often
	Unexpected []Unexpected
	Violations []Broken
	Points     int   // how many crash points were met
	Again      []int // those, from 1, that are before an effect and at which nothing has happened since the one before: a crash at either is the same
	Final      state.Snapshot
	End        fsm.Millis // Plan.Start and the time that the run took
	Wall       fsm.Millis // what the wall clock said then

	Fates *Fates // what each call met
}

// Unexpected is a call that no script entry was left for, or an entry of the timeline that
// came to nothing.
type Unexpected struct {
	What   string
	Moment int        // of the plan's timeline; -1 if it is about none
	Call   fsm.Effect // that nothing was scripted for; nil if it is about none
}

// Step is one step in the journal, and what of the steps before it a crash took away.
type Step struct {
	At    fsm.Millis
	Epoch int
	engine.Step
	Started []string        // tools that the world saw start, in order: by this step, and by the lost ones
	Served  []server.Served // what the model's server began to serve after it
	Lost    []Step          // steps since the one before it that were appended and not synced when the process died
}

// After returns the step with the steps that a crash took away right before it. The
// world remembers what they started (SCN-31).
func (s Step) After(lost []Step) Step {
	for _, l := range lost {
		s.Lost = append(append(s.Lost, l.Lost...), l)
		s.Started = append(s.Started, l.Started...)
		s.Served = append(s.Served, l.Served...)
	}
	return s
}

// Refusal is a request, an event (which has no id) or a cancel that was refused before
// anything was written.
type Refusal struct {
	Request fsm.RequestKey
	Err     error
}

// Delivery is a word to a client.
type Delivery struct {
	Request fsm.RequestKey
	Notice  fsm.Notice // empty: a reply from the record
	Ahead   int
	Text    string
}

// Message is a text delivered to a chat.
type Message struct {
	At fsm.Millis
	fsm.SendMessage
}

// Question is what a person was asked.
type Question struct {
	At fsm.Millis
	fsm.AskPerson
}

// Asked is one model call and the line that answered it.
type Asked struct {
	Ask    fsm.AskBrain
	Line   script.Taken
	Config *fsm.Config   // in force then
	Prompt string        // as a server renders it; empty where there is none
	Spoke  bool          // the answer has text
	Served server.Served // how the model's server has served it; the zero value where there is none, or where it never came to it
}

// Ran is one start of a tool.
type Ran struct {
	Run fsm.RunTool
	Act script.Taken
}

// Crashed is a crash that took place.
type Crashed struct {
	At      fsm.Millis
	Epoch   int // of the process that died, from 1
	Ordinal int // which crash point of the run, from 1
	Point   Point
}

// Broken is an invariant that did not hold after a step.
type Broken struct {
	Step int // index into Steps
	Told int // of a replay: the index of what was told
	check.Violation
}

// started notes with the step that made a call that the world saw its tool start.
func (r *Result) started(e fsm.RunTool) {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if s := &r.Steps[i]; slices.ContainsFunc(s.Effects, func(o fsm.Effect) bool { return fsm.CallOf(o) == e.Call }) {
			s.Started = append(s.Started, e.Name)
			return
		}
	}
}

// Gather lists what the journal's steps told the world outside. It is written
// with its step, so a crash neither loses it nor tells it twice.
func (r *Result) Gather() {
	sent := map[string]bool{} // keys of the messages that are listed
	for i := range r.Steps {
		s := &r.Steps[i]
		for _, e := range s.Effects {
			if m, ok := e.(fsm.SendMessage); ok && !sent[m.Key] {
				sent[m.Key] = true
				r.Messages = append(r.Messages, Message{s.At, m})
			}
			if q, ok := e.(fsm.AskPerson); ok {
				r.Questions = append(r.Questions, Question{s.At, q})
			}
			if a, ok := e.(fsm.Audit); ok && a.Ran() {
				r.Audits = append(r.Audits, a)
			}
		}
	}
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
// one, over all steps. A transition that leads to its own state is no step of the way.
func (r *Result) Path(table string, handle fsm.HandleID) []fsm.State {
	var path []fsm.State
	for _, s := range r.Steps {
		for _, m := range s.Moves {
			if m.Table != table || m.Handle != handle || m.Stays() {
				continue
			}
			if len(path) == 0 || path[len(path)-1] != m.From {
				path = append(path, m.From)
			}
			path = append(path, m.To)
		}
	}
	return path
}

// Fold tells a machine the inputs of steps from a state on, and yields the place of
// each with what came of it.
func Fold(from state.Snapshot, steps []Step) iter.Seq2[int, engine.Folded] {
	return engine.FoldInputs(from, func(yield func(fsm.Input) bool) {
		for i := range steps {
			if !yield(steps[i].Input) {
				return
			}
		}
	})
}

// Hash is the hash of the trace: every input as the journal writes it, and the hash of what
// it caused. Two runs with one hash did the same. It is computed each time: to write the
// inputs takes as long as to step the machine with them.
func (r *Result) Hash() uint64 {
	h := fnv.New64a()
	var sum [8]byte
	for i := range r.Steps {
		s := &r.Steps[i]
		in, _ := fsm.MarshalInput(s.Input) // each was in a journal
		h.Write(in)
		binary.BigEndian.PutUint64(sum[:], fsm.HashEffects(s.Effects))
		h.Write(sum[:])
	}
	return h.Sum64()
}

// Once names what the world must not see twice, and the invariant that says so: a
// reply, and the start of an attempt of an unsafe tool. A crash may make the machine
// forget it, but not the world.
func Once(e fsm.Effect) (what, invariant string, once bool) {
	if reply, ok := e.(fsm.Reply); ok {
		return "the reply to " + named(reply.Request), "INV-1", true
	}
	if run, ok := e.(fsm.RunTool); ok && !run.Effects.Repeatable() && !run.Waits {
		return fmt.Sprintf("attempt %d of %s", run.Attempt, run.Key), "INV-6", true
	}
	return "", "", false
}

// named names a request so that no two have one name.
func named(key fsm.RequestKey) string {
	if key.Principal == "" && key.Channel == "" {
		return key.ID
	}
	return fmt.Sprintf("%s of %q by %q", key.ID, key.Principal, key.Channel)
}

// Twice is the violation of what [Once] has named and the world has seen again.
func Twice(what, invariant string) check.Violation {
	return check.Violation{Invariant: invariant, Text: "the world saw " + what + " twice"}
}

// Witness counts what the world outside has seen of a run, crashes or not, and says
// what it must not have seen (SIM-13): an attempt of a use of an unsafe tool started
// twice, a reply sent twice, or, at rest, a request that was accepted and has no reply
// and waits neither for the next boot nor for a person.
func (r *Result) Witness() []check.Violation {
	var wrong []check.Violation
	seen := map[string]bool{} // only looked up
	again := func(e fsm.Effect) {
		what, invariant, once := Once(e)
		if once && seen[what] {
			wrong = append(wrong, Twice(what, invariant))
		}
		seen[what] = true
	}
	for _, ran := range r.Ran {
		again(ran.Run)
	}
	for _, key := range r.Replied {
		again(fsm.Reply{Request: key})
	}
	for _, q := range r.Requests {
		if !q.Done && !r.waits(q.Handle) {
			wrong = append(wrong, check.Violation{Invariant: "INV-1", Text: fmt.Sprintf("request %s has no reply", q.Key.ID)})
		}
	}
	return wrong
}

// waits reports whether a handle waits for the next boot or for a person at the
// run's end.
func (r *Result) waits(id fsm.HandleID) bool {
	return slices.ContainsFunc(r.Final.Handles, func(h state.Handle) bool {
		return h.ID == id && (h.State == state.Parked || machine.Awaits(&h).Person)
	})
}
