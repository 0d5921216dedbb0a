package check

import (
	"fmt"
	"slices"
	"sort"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Violation is one breach of an invariant.
type Violation struct {
	Invariant string // "INV-3"
	Text      string // what is wrong, with the handle and the values
}

func (v Violation) String() string { return v.Invariant + ": " + v.Text }

// InvariantDoc is one invariant in words.
type InvariantDoc struct {
	ID   string
	Text string
}

// Invariants returns the invariants in order. [Monitor] checks all but
// INV-9, which takes a second machine.
func Invariants() []InvariantDoc {
	return []InvariantDoc{
		{"INV-1", "Every accepted request gets exactly one terminal reply, or is parked, with its client notified, and resumed by the next boot, or waits for a person. An event or a schedule's run may also wait for the model (HND-69). Each consumed answer strictly lowers its handle's measure, so every handle ends."},
		{"INV-2", "An active handle awaits exactly the call that its phase asks for, exactly those calls of its batch that have no answer yet, or the timer of a wait, under an armed timer of its own. A queued handle is held back by full places, a busy session or the lifecycle, and by nothing else. Every move is a row of its table."},
		{"INV-3", "Every limit holds: cognition rounds, tool rounds, iterations, calls, attempts, waits, compactions, entries of one recall, failed stores, queue length and times; terminal handles leave the state."},
		{"INV-4", "Every conversation sent has, after each message with tool calls, one result for each call, adjacent and in order."},
		{"INV-5", "No more handles run than there are places, and no two of one session. The one that starts is the oldest that may or, if kinds take turns, the oldest of its kind. For at most `session_burst` turns in a row it may instead be one of the session that the model was asked for last."},
		{"INV-6", "A call of an unsafe tool is started once for each attempt, and another attempt follows only an answer, or a probe's *never*, that nothing happened. A call that is started again keeps its key. Only a call without an answer is probed, once per boot. A call that needs approval starts only once a person has approved it, or if a grant covers it; a question that was asked is closed by a person, by `approval_timeout`, by the end of its handle, or because its call can no longer run (APR-15), and by nothing else. No grant exists that nobody gave."},
		{"INV-7", "A conversation holds its own handle's input and only grows, except in a compaction. Effects carry their own handle's session."},
		{"INV-8", "A terminal handle causes no effects. After stopped nothing is done except answering a newcomer or a cancel. An input that nobody waits for changes nothing but a counter."},
		{"INV-9", "Equal inputs cause equal effects, and a machine restored from a snapshot continues as the one it was taken from."},
		{"INV-10", "A timer is cleared or fires before its handle ends, an abort names a call in flight, and no call or timer id is used twice."},
		{"INV-11", "A memory entry is whole. No marker and no thinking reaches a reply, an entry or a record: an archive, or a history that does not keep what was sent."},
		{"INV-12", "In every state that is not at rest something can happen: a call can be answered, a person can decide, or a timer can fire. Entering stopped, and nothing else, tells the driver to exit."},
		{"INV-13", "With `history: sent` a conversation begins with what its session keeps, and the session then keeps what the model was last sent: nothing in it is removed, moved or reworded, except by a compaction, by `/new`, by SES-18, by CTX-11 after a boot with a smaller window, or by another writer of the session. A compaction that is asked for after the conversation (CTX-20) begins with it, too, and a summary of its turns (HND-49)."},
		{"INV-14", "Calls of one handle run at the same time only if none of them has effects, and at most `reads_at_once` of them. Each has its own result, in the order asked. Each that was started is recorded once, in that order, by the time its inference runs none of them any more."},
	}
}

// Monitor follows one machine through its steps and checks every invariant after each. What
// it keeps is bounded by the machine's own state: one record for each unfinished handle,
// dropped in the step that ends it. A handle that has ended is known by its id alone,
// because ids are given in order and never reused.
type Monitor struct {
	lifecycle  fsm.State
	lastID     uint64       // the highest call or timer id seen
	lastHandle fsm.HandleID // the highest handle id seen
	grace      fsm.TimerID
	started    bool        // a handle other than a subagent started in this step
	startedSub bool        // a subagent did
	schedules  int         // the number of schedules before the step
	places     places      // after the step
	session    string      // the session that the model was asked for last
	passed     int         // starts in a row of that session ahead of an older handle
	live       []followed  // unfinished handles in admission order
	steps      []stepFacts // what the present step did to handles
	grants     []fsm.Grant // grants in force, as the trace shows
	revoked    string      // the id of a grant that this step took back
	found      []Violation
}

// followed is what the trace has shown of one unfinished handle.
type followed struct {
	id      fsm.HandleID
	kind    fsm.Kind
	request fsm.RequestKey
	session string
	input   string

	state   fsm.State
	calls   []state.Await // in flight, in the order asked; never changed in place
	timer   fsm.TimerID   // armed
	wait    fsm.TimerID   // armed for a wait inside the phase
	left    fsm.Millis    // what the handle timer was last set to; 0: never
	replied bool
	answer  string // the text that a reply must have; empty: none yet
	sent    mark   // the last conversation sent, not counting branches
	form    sentForm
	turns   int     // how many it has gathered to remember
	asked   string  // the key that a person was last asked to approve, if undecided
	moot    bool    // the handle has waited through a boot since: the call may no longer be one that runs (APR-15)
	cleared string  // the key that a person has approved, of the call that has no result yet
	starts  []start // of the tools of the last answer; never changed in place
	audited int     // how many of them have been recorded
	measure measure
	phase   *machine.Phase // that of the state in which it was last seen; nil: none yet
	wants   *machine.Phase // the one that says what it awaited then
	infers  fsm.State      // that of its inference then
}

// stepFacts is what the present step did to a handle.
type stepFacts struct {
	id       fsm.HandleID
	admitted bool
	refused  bool
	fleeting bool   // it was admitted and ended in this step: nothing else is known of it
	consumed bool   // one of its answers was taken
	said     string // the text of that answer, if it came from the model
	parked   bool
	told     bool // its client learnt that it is parked, or waits for a person
	yielded  bool
	granted  fsm.GrantScope // which later calls a decision covers
}

// mark is a position in a conversation: everything before it has been checked.
type mark struct {
	messages int
	hash     uint64
}

// NewMonitor returns a monitor for a machine that [machine.New] has just returned.
func NewMonitor() *Monitor { return &Monitor{lifecycle: state.Down} }

// MonitorFrom returns a monitor for a machine that already has a past, as after
// recovery. What the state holds is taken as given.
func MonitorFrom(m *machine.Machine) *Monitor {
	s := m.View()
	w := &Monitor{lifecycle: s.Lifecycle, lastID: s.LastID, lastHandle: s.LastHandle, grace: s.GraceTimer, schedules: len(s.Schedules), session: s.LastSession, passed: s.Burst, grants: slices.Clone(s.Grants)}
	for i := range s.Handles {
		h := &s.Handles[i]
		f := follow(h)
		f.state, f.calls, f.timer, f.wait, f.left = h.State, h.InFlight(), h.Timer, h.Wait, h.Left
		f.replied, f.answer = h.Replied && h.Kind == fsm.KindUser, h.Answer
		f.starts, f.turns = startsOf(h), h.Turns
		f.asked, f.cleared = questionOf(h)
		f.moot = h.Waiting()
		w.live = append(w.live, f)
	}
	return w
}

// Clone returns an independent monitor that goes on from here.
func (w *Monitor) Clone() *Monitor {
	c := *w
	c.live = append([]followed(nil), w.live...)
	c.steps = nil
	c.grants = slices.Clip(c.grants)
	c.found = nil
	return &c
}

// CopyTo makes to an independent monitor that goes on from here, in the memory that to has.
func (w *Monitor) CopyTo(to *Monitor) {
	live, steps := to.live[:0], to.steps[:0]
	*to = *w
	to.live, to.steps, to.found = append(live, w.live...), steps, nil
	to.grants = slices.Clip(to.grants)
}

// Step checks what m did with in; effects is what m.Step(in) has just returned.
// It returns nil if every invariant holds. Each step of m must be shown to
// the monitor once, in order.
func (w *Monitor) Step(m *machine.Machine, in fsm.Input, effects []fsm.Effect) []Violation {
	w.found = nil
	before := w.lifecycle
	silent := w.takeInput(in)
	w.takeNewcomers(m, in)
	if silent && (len(effects) > 0 || len(m.Moves()) > 0) {
		w.violate("INV-8", "nobody waits for this %T, yet it caused %d effects and %d moves", in.Fact, len(effects), len(m.Moves()))
	}
	w.takeMoves(m)
	w.takeGathered(m)
	for i, e := range effects {
		w.takeEffect(m, e)
		w.checkSilence(in, before, e, i == len(effects)-1)
	}
	w.checkExit(before, effects)
	w.checkGrants(m)
	w.checkState(m, in)
	w.lifecycle, w.lastHandle = m.View().Lifecycle, m.View().LastHandle
	return w.found
}

func (w *Monitor) violate(invariant, format string, args ...any) {
	w.found = append(w.found, Violation{Invariant: invariant, Text: fmt.Sprintf(format, args...)})
}

// find returns the record of an unfinished handle, or nil. The records are in the order of
// their ids.
func (w *Monitor) find(id fsm.HandleID) *followed {
	i := sort.Search(len(w.live), func(i int) bool { return w.live[i].id >= id })
	if i == len(w.live) || w.live[i].id != id {
		return nil
	}
	return &w.live[i]
}

// concerns reports whether the present step did anything to a handle.
func (w *Monitor) concerns(id fsm.HandleID) bool {
	return slices.ContainsFunc(w.steps, func(s stepFacts) bool { return s.id == id })
}

// did returns what the present step did to a handle.
func (w *Monitor) did(id fsm.HandleID) (facts stepFacts) {
	for i := range w.steps {
		if w.steps[i].id == id {
			return w.steps[i]
		}
	}
	return facts
}

// does returns it for something to be noted in it. The pointer holds until the next call.
func (w *Monitor) does(id fsm.HandleID) *stepFacts {
	for i := range w.steps {
		if w.steps[i].id == id {
			return &w.steps[i]
		}
	}
	w.steps = append(w.steps, stepFacts{id: id})
	return &w.steps[len(w.steps)-1]
}

func follow(h *state.Handle) followed {
	return followed{
		id: h.ID, kind: h.Kind, request: h.Request, session: h.Session, input: h.Input,
		state: state.Queued, measure: measureOf(h), answer: h.Answer,
	}
}

// measure ranks what a handle still has before it, in decreasing weight: its phase, its
// cognition rounds or failed loads, saves and stores, the model's answers, the calls of the
// last answer, the attempts of the one that runs, whether a probe may be asked of it in
// this epoch, the compactions, how often it was postponed, and the waits for the model and
// its refusals of a length. Counts that limits bound from above appear negated, so the
// measure is bounded from below, and a handle whose answers all lower it must end.
type measure [10]int

// measureOf returns the measure of h; for a waiting handle, that of the phase in which it
// will go on.
func measureOf(h *state.Handle) measure {
	phase := h.State
	if h.Waiting() {
		phase = h.Resume
	}
	switch phase {
	case "", state.Loading:
		return measure{10, -h.Tries}
	case state.Compacting:
		return measureInference(h, 9, len(h.Sess.Pending)+len(h.Sess.History)) // each part drops some (CTX-13)
	case state.Cognition:
		return measureInference(h, 8, -2*h.Rounds)
	case state.Recalling:
		return measure{8, -2*h.Rounds + 1}
	case state.Execution:
		return measureInference(h, 7, 0)
	case state.Stopping:
		return measure{6, h.Inf.Reads()}
	case state.Saving:
		return measure{5, -h.Tries}
	case state.Summarizing:
		return measureInference(h, 3, 0)
	case state.Embedding:
		return measure{2}
	case state.Storing:
		return measure{1, -h.StoreTries}
	default:
		return measure{}
	}
}

func measureInference(h *state.Handle, phase, rounds int) measure {
	inf := &h.Inf
	calls, attempt, probe, compactions := 0, 0, 0, 2*inf.Compactions+1
	switch inf.State {
	case state.Acting, state.Probing:
		calls, attempt = len(inf.Calls)-inf.Next, 2*inf.Attempt+progress(inf.Batch)
		if inf.Asked { // by a tool that has been started (APR-19)
			attempt++
		}
	case state.Retrying:
		calls, attempt = len(inf.Calls)-inf.Next, 2*inf.Attempt+1+progress(inf.Batch)
	case state.Condensing:
		compactions--
	}
	if calls > 0 && !inf.Probed && !inf.Works {
		probe = 1
	}
	return measure{phase, rounds, -inf.Iterations, calls, -attempt, probe, -compactions, -h.Postponed, -inf.Waits, -inf.Refits}
}

// probeAt is the index in a measure of whether a probe may be asked, which a boot allows
// again.
const probeAt = 5

// below reports whether a comes strictly before b in lexicographic order.
func (a measure) below(b measure) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// Resting reports whether a state is at rest: nothing in it goes on without a new input
// (INV-12). That is the case while serving with nothing to do, when a handle may still wait
// for a person to let it go on after too many crashes, or outside service with nothing but
// parked handles.
func Resting(s *state.Snapshot) bool {
	switch s.Lifecycle {
	case state.Serving:
		for i := range s.Handles {
			if !s.Handles[i].Poison {
				return false
			}
		}
		return true
	case state.Stopped, state.Down:
		for i := range s.Handles {
			if s.Handles[i].State != state.Parked {
				return false
			}
		}
		return true
	default:
		return false
	}
}
