package machine

import (
	loop "github.com/looplab/fsm"

	"shelly/fsm"
	"shelly/fsm/state"

	"context"
	"errors"
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
