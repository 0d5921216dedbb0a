package fsm

import "encoding/json"

// factSpec describes a kind of fact.
type factSpec struct {
	name    string // on the wire
	zero    Fact
	decode  func([]byte) (Fact, error) // from the wire
	barrier durability                 // of the fact by itself (JRN-4)
	answers []CallKind                 // the calls that it may answer; none: it is not an answer
	to      func(Fact, CallID) Fact    // the same answer to another call
}

// effectSpec describes a kind of effect.
type effectSpec struct {
	name    string // on the wire
	zero    Effect
	decode  func([]byte) (Effect, error) // from the wire
	barrier func(Effect) bool            // whether it is one by itself (JRN-4)
	handle  func(Effect) HandleID        // whose it is; nil: it names none
	call    CallKind                     // what is then awaited; empty: it is not a call
}

// callSpec describes the answers to a kind of call: that of an empty world, and that of one
// in which the call fails.
type callSpec struct {
	kind  CallKind
	plain Fact
	fails func(why string) Fact
}

// durability says when a fact must be durable before its effects are performed.
type durability uint8

// Never because of the fact; if it has effects; always.
const (
	lazy durability = iota
	ifEffective
	always
)

// What the world can see is a barrier.
func seen(Effect) bool          { return true }
func unseen(Effect) bool        { return false }
func unsafeStart(e Effect) bool { return !e.(RunTool).Effects.Repeatable() }
func notice(e Effect) bool      { return e.(Notify).Notice != NoticeQueued }

func factOf[T Fact](name string, barrier durability) factSpec {
	var zero T
	return factSpec{name: name, zero: zero, barrier: barrier, decode: decodeFact[T]}
}

func answerOf[T Answer, P interface {
	*T
	name(CallID)
}](name string, kinds ...CallKind) factSpec {
	spec := factOf[T](name, lazy)
	spec.answers = kinds
	spec.to = func(f Fact, call CallID) Fact {
		said := f.(T)
		P(&said).name(call)
		return said
	}
	return spec
}

func effectOf[T Effect](name string, handle func(T) HandleID) effectSpec {
	var zero T
	spec := effectSpec{name: name, zero: zero, barrier: unseen, decode: decodeEffect[T]}
	if handle != nil {
		spec.handle = func(e Effect) HandleID { return handle(e.(T)) }
	}
	return spec
}

func callOf[T Call](name string, kind CallKind) effectSpec {
	spec := effectOf(name, func(e T) HandleID { return e.Identity().Handle })
	spec.call = kind
	return spec
}

func (s effectSpec) syncs(barrier func(Effect) bool) effectSpec {
	s.barrier = barrier
	return s
}

func decodeFact[T Fact](data []byte) (Fact, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

func decodeEffect[T Effect](data []byte) (Effect, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
