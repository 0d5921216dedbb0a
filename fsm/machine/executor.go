package machine

import (
	loop "github.com/looplab/fsm"

	"shelly/fsm"
	"shelly/fsm/state"

	"context"
	"errors"
	"slices"
)

// executor runs one table in an instance of the table library. The context is never
// cancelled (a cancelled one wedges the library for good), and no callback is registered.
type executor struct {
	name   string
	lib    *loop.FSM
	phases []Phase
}

// running is the tables as machines run them. It is made once and never changes, so that
// all machines share it.
type running struct {
	lifecycle, handle, inference *executor
	routes                       map[state.Event]*route
}

// route is an event: the table that it belongs to, and what the library answers for each of
// its rows.
type route struct {
	table *executor
	rows  []*answer
}

// answer is what the library answers for an event in a state, with the phases on either
// side.
type answer struct {
	from, to fsm.State
	ok       bool // there is a row
	left     *Phase
	entered  *Phase
}

func newExecutor(t state.Table, phases []Phase) *executor {
	events := make(loop.Events, 0, len(t.Rows))
	for _, r := range t.Rows {
		events = append(events, loop.EventDesc{Name: string(r.On), Src: []string{string(r.From)}, Dst: string(r.To)})
	}
	return &executor{name: t.Name, lib: loop.NewFSM(string(t.Initial), events, nil), phases: phases}
}

// routes returns each event of the tables. The library is asked once for each row: no row
// has a guard, so its answer never changes.
func routes(tables []state.Table, executors ...*executor) map[state.Event]*route {
	all := map[state.Event]*route{}
	for i, x := range executors {
		for _, r := range tables[i].Rows {
			if all[r.On] == nil {
				all[r.On] = &route{table: x}
			}
			all[r.On].rows = append(all[r.On].rows, x.ask(r.From, r.On))
		}
	}
	return all
}

// from returns what the event leads to from a state; there may be no such row.
func (r *route) from(s fsm.State) *answer {
	if r == nil { // no table has the event
		return &answer{from: s, to: s}
	}
	for _, a := range r.rows {
		if a.from == s {
			return a
		}
	}
	return &answer{from: s, to: s, left: r.table.phase(s), entered: r.table.phase(s)}
}

// ask asks the library. A row that leads to its own state is a row, too: that is what the
// library means by an error that there was no transition.
func (x *executor) ask(from fsm.State, on state.Event) *answer {
	x.lib.SetState(string(from))
	err := x.lib.Event(context.Background(), string(on))
	var stays loop.NoTransitionError
	to := fsm.State(x.lib.Current())
	return &answer{from: from, to: to, ok: err == nil || errors.As(err, &stays), left: x.phase(from), entered: x.phase(to)}
}

// phase returns what a state does.
func (x *executor) phase(s fsm.State) *Phase { return phaseIn(x.phases, s) }

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
