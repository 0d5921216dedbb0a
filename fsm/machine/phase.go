package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Phase says what a state of a table is for: what is awaited in it, under which timers,
// and what is done when a row leads to it. The machine runs the entry of the row's
// destination, and nothing else starts a phase's work (TAB-1); the monitor checks that a handle
// awaits what its phase says (INV-2).
type Phase struct {
	State  fsm.State
	Calls  []fsm.CallKind // the answer to a call of one of these kinds is awaited
	Infers bool           // what the phase of the handle's inference awaits is awaited
	Person bool           // a person's decision is awaited
	Clock  bool           // the handle's own time runs
	Wait   Wait           // a timer of its own runs
	Idle   bool           // nothing is awaited but the handle's turn, or the next boot
	Again  state.Event    // the event by which a queued handle goes on in it rather than begins

	enter  entry // what entering does
	resume entry // what going on in it does; nil: the same
	ends   heir  // what the handle makes of the end of its inference
	late   heir  // what it makes of the end of its time; nil: it gives up (HND-18)
	less   retry // how it asks the model again for less; nil: with the conversation shortened (CTX-12)
}

// Wait is the timer of a wait inside a phase. The zero value is none.
type Wait struct {
	Purpose fsm.TimerPurpose
	For     func(*Machine, *state.Handle) fsm.Millis // 0: none
	Maybe   bool                                     // there may be none
	over    heir                                     // what comes when it has fired
}

// entry does what entering a phase means: it begins the call that the phase awaits, or says
// which event is fired next. That is taken when the entry has returned. i is the handle's
// index, or none for the lifecycle.
type entry func(m *Machine, i int) firing

// heir says which event is fired when something has ended.
type heir func(m *Machine, h *state.Handle) firing

// retry says how something is done again; false: it is not.
type retry func(m *Machine, h *state.Handle) (firing, bool)

// waitOver ends a wait in a phase of the handle, or of its inference.
func (m *Machine) waitOver(h *state.Handle) firing {
	w := &m.awaiting(h).Wait
	if w.over == nil || w.Maybe && w.For(m, h) <= 0 {
		return firing{}
	}
	return w.over(m, h)
}

func phaseIn(phases []Phase, s fsm.State) *Phase {
	for i := range phases {
		if p := &phases[i]; p.State == s {
			return p
		}
	}
	return &Phase{State: s}
}

// Pauses reports whether only the end of a wait is awaited, and neither a call nor a
// person.
func (p *Phase) Pauses() bool { return p.Wait.Purpose != "" && len(p.Calls) == 0 && !p.Person }

// awaits reports whether a call of a kind is awaited in the phase.
func (p *Phase) awaits(kind fsm.CallKind) bool { return slices.Contains(p.Calls, kind) }

// awaiting is [Awaits] by the tables that the machine runs.
func (m *Machine) awaiting(h *state.Handle) *Phase {
	if p := m.handle.phase(h.State); !p.Infers {
		return p
	}
	return m.inference.phase(h.Inf.State)
}
