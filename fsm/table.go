package fsm

import (
	"context"
	"errors"

	loop "github.com/looplab/fsm"
)

// State names a state of one of the three tables; Event names what moves it.
type (
	State string
	Event string
)

// Row is one transition: in From, on On, go to To, because of Rule of SPEC.md.
type Row struct {
	From State
	On   Event
	To   State
	Rule string
}

// Table is a transition table. It is data: the machine executes it, SPEC.md's
// tables and diagrams are printed from it, and coverage is counted against it.
// What a state does when a row leads to it is its [Phase].
type Table struct {
	Name    string
	Initial State
	Final   []State // states that no event leaves; empty where every state can be left
	Rows    []Row
}

// Tables returns the three tables in a fixed order.
func Tables() []Table { return []Table{Lifecycle, HandleTable, InferenceTable} }

// Move is one transition that a step took. Handle is 0 for the lifecycle.
type Move struct {
	Table  string   `json:"table"`
	Handle HandleID `json:"handle,omitempty"`
	From   State    `json:"from"`
	On     Event    `json:"on"`
	To     State    `json:"to"`
}

// Stays reports whether a transition leads back to the state that it leaves, whose
// entry is run once more.
func (m Move) Stays() bool { return m.From == m.To }

// executor runs one table in a private instance of the table library. The
// context is never cancelled (a cancelled one wedges the library for good), and no
// callback is registered. What leads where is asked of the library once for each state
// and event: no row has a guard, so its answer is for good.
type executor struct {
	name   string
	lib    *loop.FSM
	phases map[State]*Phase
	kept   map[pair]answer

	nothing Phase // of a state that has none
}

type pair struct {
	from State
	on   Event
}

type answer struct {
	to State
	ok bool
}

func newExecutor(t Table, phases []Phase) *executor {
	events := make(loop.Events, 0, len(t.Rows))
	for _, r := range t.Rows {
		events = append(events, loop.EventDesc{Name: string(r.On), Src: []string{string(r.From)}, Dst: string(r.To)})
	}
	x := &executor{
		name: t.Name, lib: loop.NewFSM(string(t.Initial), events, nil),
		phases: make(map[State]*Phase, len(phases)), kept: map[pair]answer{},
	}
	for i := range phases {
		x.phases[phases[i].State] = &phases[i]
	}
	return x
}

// row returns the state that on leads to from from, or false where the table has no
// such row.
func (x *executor) row(from State, on Event) (State, bool) {
	a, known := x.kept[pair{from, on}]
	if !known {
		a = x.ask(from, on)
		x.kept[pair{from, on}] = a
	}
	return a.to, a.ok
}

// ask asks the library. A row that leads to its own state is taken, too: the library's
// word that there was no transition means just that.
func (x *executor) ask(from State, on Event) answer {
	x.lib.SetState(string(from))
	err := x.lib.Event(context.Background(), string(on))
	var stays loop.NoTransitionError
	if err != nil && !errors.As(err, &stays) {
		return answer{from, false}
	}
	return answer{State(x.lib.Current()), true}
}

// phase returns what a state does. One without a phase awaits nothing and does nothing.
func (x *executor) phase(s State) *Phase {
	if p := x.phases[s]; p != nil {
		return p
	}
	return &x.nothing
}
