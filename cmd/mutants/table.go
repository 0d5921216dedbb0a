package main

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// mutant is one change.
type mutant struct {
	name string
	set  func() (undo func())
	met  func(state.Move) bool // whether a transition meets it; nil: measured by running
	// seen marks a change of a piece that only the monitor uses, so that its verdict kills it.
	seen bool
}

// tableMutants returns the changes of the tables and their phases, in the order of the tables.
func tableMutants() []mutant {
	var all []mutant
	for _, t := range state.Tables() {
		states := statesOf(t)
		for i, r := range t.Rows {
			met := func(m state.Move) bool { return m.Table == t.Name && m.From == r.From && m.On == r.On }
			row := fmt.Sprintf("%s: %s -%s-> %s", t.Name, r.From, r.On, r.To)
			all = append(all, mutant{row + ": deleted", func() func() { return turned(t, i, never) }, met, false})
			at := slices.Index(states, r.To)
			for _, step := range []int{len(states) - 1, 1} {
				to := states[(at+step)%len(states)]
				all = append(all, mutant{fmt.Sprintf("%s: leads to %s", row, to), func() func() { return led(t, i, to) }, met, false})
			}
		}
		for i := range machine.Phases(t.Name) {
			all = append(all, phaseMutants(t.Name, &machine.Phases(t.Name)[i])...)
		}
	}
	return all
}

// statesOf returns the states of a table, in the order in which its rows lead to them.
func statesOf(t state.Table) []fsm.State {
	states := []fsm.State{t.Initial}
	for _, r := range t.Rows {
		if !slices.Contains(states, r.To) {
			states = append(states, r.To)
		}
	}
	return states
}

// never is a state that is never reached.
const never fsm.State = "never"

// turned makes a row begin in another state.
func turned(t state.Table, i int, from fsm.State) (undo func()) {
	return changed(&t.Rows[i], func(r *state.Row) { r.From = from })
}

// led makes a row lead to another state.
func led(t state.Table, i int, to fsm.State) (undo func()) {
	return changed(&t.Rows[i], func(r *state.Row) { r.To = to })
}

// changed changes a row for all machines that are created until undo is called.
func changed(r *state.Row, change func(*state.Row)) (undo func()) {
	kept := *r
	change(r)
	machine.TablesChanged()
	return func() {
		*r = kept
		machine.TablesChanged()
	}
}

// phaseMutants removes each piece of a phase.
func phaseMutants(table string, p *machine.Phase) []mutant {
	var all []mutant
	met := func(m state.Move) bool { return m.Table == table && (m.From == p.State || m.To == p.State) }
	add := func(what string, seen bool, set func() func()) {
		all = append(all, mutant{fmt.Sprintf("%s: %s: without %s", table, p.State, what), set, met, seen})
	}
	v := reflect.ValueOf(p).Elem()
	for f := range v.NumField() {
		field, piece := v.Type().Field(f), v.Field(f)
		if piece.IsZero() || field.Name == "State" {
			continue
		}
		seen := slices.Contains([]string{"Calls", "Person", "Idle"}, field.Name)
		add(field.Name, seen, func() func() { return blanked(piece) })
		for _, p := range parts(piece) {
			add(field.Name+p.name, seen || p.name == ".Maybe", func() func() { return blanked(p.Value) })
		}
	}
	return all
}

// part is a part of a piece.
type part struct {
	name string
	reflect.Value
}

// parts returns the fields of a wait, and the kinds of call if a phase awaits several.
func parts(piece reflect.Value) []part {
	var all []part
	switch piece.Kind() {
	case reflect.Struct:
		for f := range piece.NumField() {
			if v := piece.Field(f); !v.IsZero() {
				all = append(all, part{"." + piece.Type().Field(f).Name, v})
			}
		}
	case reflect.Slice:
		for i := range piece.Len() {
			if v := piece.Index(i); piece.Len() > 1 {
				all = append(all, part{fmt.Sprintf("[%s]", v), v})
			}
		}
	}
	return all
}

// blanked sets a field to its zero value, exported or not, which only this command may do.
func blanked(field reflect.Value) (undo func()) {
	open := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	kept := reflect.New(field.Type()).Elem()
	kept.Set(open)
	open.SetZero()
	return func() { open.Set(kept) }
}
