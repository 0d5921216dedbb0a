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
// callback is registered.
type executor struct {
	name   string
	lib    *loop.FSM
	phases []Phase

	nothing Phase // of a state that has none
}

// route is an event: the table that it belongs to, and what the library has said of it.
type route struct {
	table *executor
	kept  []*answer
}

// answer is what the library says of an event in a state, with the phases on either
// side.
type answer struct {
	from, to State
	ok       bool // there is a row
	left     *Phase
	entered  *Phase
}

func newExecutor(t Table, phases []Phase) *executor {
	events := make(loop.Events, 0, len(t.Rows))
	for _, r := range t.Rows {
		events = append(events, loop.EventDesc{Name: string(r.On), Src: []string{string(r.From)}, Dst: string(r.To)})
	}
	return &executor{name: t.Name, lib: loop.NewFSM(string(t.Initial), events, nil), phases: phases}
}

// routes returns each event of the tables.
func routes(tables []Table, executors ...*executor) map[Event]*route {
	all := map[Event]*route{}
	for i, x := range executors {
		for _, r := range tables[i].Rows {
			if all[r.On] == nil {
				all[r.On] = &route{table: x}
			}
		}
	}
	return all
}

// from returns what the event leads to from a state; there may be no such row. The
// library is asked once for each state: no row has a guard, so its answer is for good.
func (r *route) from(s State, on Event) *answer {
	for _, a := range r.kept {
		if a.from == s {
			return a
		}
	}
	r.kept = append(r.kept, r.table.ask(s, on))
	return r.kept[len(r.kept)-1]
}

// ask asks the library. A row that leads to its own state is taken, too: the library's
// word that there was no transition means just that.
func (x *executor) ask(from State, on Event) *answer {
	x.lib.SetState(string(from))
	err := x.lib.Event(context.Background(), string(on))
	var stays loop.NoTransitionError
	to := State(x.lib.Current())
	return &answer{from: from, to: to, ok: err == nil || errors.As(err, &stays), left: x.phase(from), entered: x.phase(to)}
}

// phase returns what a state does. One without a phase awaits nothing and does nothing.
func (x *executor) phase(s State) *Phase {
	for i := range x.phases {
		if p := &x.phases[i]; p.State == s {
			return p
		}
	}
	return &x.nothing
}
