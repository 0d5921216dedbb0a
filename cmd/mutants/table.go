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
	met  func(state.Move) bool // whether a transition meets it; nil: that is measured
}

// tableMutants are the changes of the tables and their phases, in their order.
func tableMutants() []mutant {
	var all []mutant
	for _, t := range state.Tables() {
		states := statesOf(t)
		for i, r := range t.Rows {
			met := func(m state.Move) bool { return m.Table == t.Name && m.From == r.From && m.On == r.On }
			row := fmt.Sprintf("%s: %s -%s-> %s", t.Name, r.From, r.On, r.To)
			all = append(all, mutant{row + ": deleted", func() func() { return turned(t, i, never) }, met})
			at := slices.Index(states, r.To)
			for _, step := range []int{len(states) - 1, 1} {
				to := states[(at+step)%len(states)]
				all = append(all, mutant{fmt.Sprintf("%s: leads to %s", row, to), func() func() { return led(t, i, to) }, met})
			}
		}
		for i := range machine.Phases(t.Name) {
			all = append(all, phaseMutants(t.Name, &machine.Phases(t.Name)[i])...)
		}
	}
	return all
}

// statesOf are the states of a table, in the order in which its rows lead to them.
func statesOf(t state.Table) []fsm.State {
	states := []fsm.State{t.Initial}
	for _, r := range t.Rows {
		if !slices.Contains(states, r.To) {
			states = append(states, r.To)
		}
	}
	return states
}

// never is a state that nothing is ever in.
const never fsm.State = "never"

// turned lets a row begin elsewhere.
func turned(t state.Table, i int, from fsm.State) (undo func()) {
	r := &t.Rows[i]
	kept := *r
	r.From = from
	return func() { *r = kept }
}

// led lets a row lead elsewhere.
func led(t state.Table, i int, to fsm.State) (undo func()) {
	r := &t.Rows[i]
	kept := *r
	r.To = to
	return func() { *r = kept }
}

// phaseMutants take from a phase what it does, piece by piece.
func phaseMutants(table string, p *machine.Phase) []mutant {
	var all []mutant
	v := reflect.ValueOf(p).Elem()
	for f := range v.NumField() {
		field, piece := v.Type().Field(f), v.Field(f)
		if piece.IsZero() || !does(field) {
			continue
		}
		all = append(all, mutant{
			name: fmt.Sprintf("%s: %s: without %s", table, p.State, field.Name),
			set:  func() func() { return blanked(piece) },
			met:  func(m state.Move) bool { return m.Table == table && (m.From == p.State || m.To == p.State) },
		})
	}
	return all
}

// does reports whether the machine goes by a field of a phase. The others say what a phase
// awaits, which the monitor reads.
func does(field reflect.StructField) bool {
	return field.Type.Kind() == reflect.Func || slices.Contains([]string{"Wait", "Clock", "Again"}, field.Name)
}

// blanked takes a field's value away, exported or not: only this command may.
func blanked(field reflect.Value) (undo func()) {
	open := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	kept := reflect.New(field.Type()).Elem()
	kept.Set(open)
	open.SetZero()
	return func() { open.Set(kept) }
}
