package fsm

import "strconv"

// Input is what the machine takes in: a fact, and when it was observed. The time is
// for records and prompts; no decision compares times (LIM-3).
type Input struct {
	At   Millis
	Fact Fact
}

// Fact is what an input says. The set is closed.
type Fact interface{ kind() factKind }

// Effect is what the world must now do. The set is closed.
type Effect interface {
	kind() effectKind
	hash(*Hasher)
}

// factKind and effectKind number the kinds of fact and of effect, from 1.
type (
	factKind   uint8
	effectKind uint8
)

// Call is an effect that wants an answer: a fact that names it, see [Answer].
type Call interface {
	Effect
	Identity() Asked
}

// Asked is the beginning of every call: its id, and the handle that it is for.
type Asked struct {
	Call   CallID   `json:"call"`
	Handle HandleID `json:"handle"`
}

// Identity returns the call's id and handle.
func (a Asked) Identity() Asked { return a }

// Answer is a fact that answers a call.
type Answer interface {
	Fact
	CallOf() CallID
}

// Answered is the beginning of every answer: the call that it names.
type Answered struct {
	Call CallID `json:"call"`
}

// To returns the beginning of an answer to a call.
func To(call CallID) Answered { return Answered{call} }

// CallOf returns the call that an answer names.
func (a Answered) CallOf() CallID { return a.Call }

func (a *Answered) name(call CallID) { a.Call = call }

// CallID names one call or one armed timer. It is never reused, in any epoch of the
// journal.
type (
	CallID   uint64
	TimerID  uint64
	HandleID uint64
)

// Entry returns the id of the memory entry that a handle writes.
func (id HandleID) Entry() string { return "h" + strconv.FormatUint(uint64(id), 10) }

// Kind is what a handle was accepted for.
type Kind string

// The kinds of handle.
const (
	KindUser     Kind = "user"
	KindEvent    Kind = "event"
	KindInit     Kind = "init"
	KindFarewell Kind = "farewell"
	KindSystem   Kind = "system"   // a subagent's report
	KindSchedule Kind = "schedule" // a schedule's slot
	KindSubagent Kind = "subagent"
	KindMemory   Kind = "memory" // writes a session's turns to memory
)

// Alternates reports whether handles of this kind take turns with others.
func (k Kind) Alternates() bool { return k == KindUser || k == KindEvent }

// Millis is a time or a duration in milliseconds; as a time, since the Unix
// epoch in UTC.
type Millis int64

// Second is one second.
const Second Millis = 1000

func (x *Hasher) asked(a Asked) {
	x.Word(uint64(a.Call))
	x.Word(uint64(a.Handle))
}
