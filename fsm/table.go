package fsm

import (
	"context"

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

// executor runs one table in a private instance of the table library. The
// context is never cancelled (a cancelled one wedges the library for good), no
// callback is registered, and no row is a self-loop. What leads where is asked of the
// library once for each state and event: no row has a guard, so its answer is for good.
type executor struct {
	name string
	lib  *loop.FSM
	kept map[pair]answer
}

type pair struct {
	from State
	on   Event
}

type answer struct {
	to State
	ok bool
}

func newExecutor(t Table) executor {
	events := make(loop.Events, 0, len(t.Rows))
	for _, r := range t.Rows {
		events = append(events, loop.EventDesc{Name: string(r.On), Src: []string{string(r.From)}, Dst: string(r.To)})
	}
	return executor{name: t.Name, lib: loop.NewFSM(string(t.Initial), events, nil), kept: map[pair]answer{}}
}

// fire returns the state that on leads to from from, or false where the table
// has no such transition.
func (x executor) fire(from State, on Event) (State, bool) {
	a, known := x.kept[pair{from, on}]
	if !known {
		a = x.ask(from, on)
		x.kept[pair{from, on}] = a
	}
	return a.to, a.ok
}

func (x executor) ask(from State, on Event) answer {
	x.lib.SetState(string(from))
	if err := x.lib.Event(context.Background(), string(on)); err != nil {
		return answer{from, false}
	}
	return answer{State(x.lib.Current()), true}
}
