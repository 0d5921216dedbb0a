package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Validation is the result of checking a journal against the tables.
type Validation struct {
	First   uint64 // the first record that was checked; 0: there is none
	Records int    // how many were
	Moves   int    // how many transitions they took
	Wrong   *Wrong // the first record that is not as it should be, or nil

	Snapshots int // how many the state was compared with
	Diverging int // records with other effects than recorded (JRN-6)
}

// Wrong is a record that contradicts the tables, or the journal itself.
type Wrong struct {
	Record
	Expected string
	Got      string

	Handle  fsm.HandleID   // the handle that the record is about; 0: none
	Request fsm.RequestKey // the handle's, if it has one
	Epoch   int            // boots up to it
	Caused  []fsm.Effect   // what today's code does
	Moves   []state.Move   // and its transitions
}

// Validate checks a journal against the specification, step by step (JRN-17), from the
// first record that it keeps. Each is applied to a separate machine: every transition must
// be a row of its table and begin where the one before it ended, every invariant must hold,
// and the effects must have the recorded hash. At a snapshot, the machine must be in its
// state. After the first wrong record only effects are compared, starting over at each
// snapshot; a gap ends it. An error is the journal's.
func Validate(j Reader) (Validation, error) {
	kept, err := j.Kept()
	if err != nil {
		return Validation{}, err
	}
	m, base, err := machineAt(j, kept.First-1)
	if err != nil {
		return Validation{}, err
	}
	v := &validator{journal: j, monitor: check.NewMonitor(), snapshots: kept.Snapshots}
	if base > 0 {
		v.monitor = check.MonitorFrom(m)
	}
	for f, err := range foldOn(j, m, base) {
		gap := (*Gap)(nil)
		if errors.As(err, &gap) {
			v.wrong(&Wrong{Record: gap.Found, Expected: fmt.Sprintf("record %d", gap.After+1), Got: "a gap"})
			break
		}
		if err == nil {
			err = v.record(f)
		}
		if err != nil {
			return v.out, err
		}
	}
	return v.out, nil
}

// validator applies the records of a journal.
type validator struct {
	journal   Reader
	monitor   *check.Monitor
	at        []stand  // where unfinished handles and the lifecycle are
	snapshots []uint64 // the indexes of the kept ones
	out       Validation
}

// stand is where one table's subject was left.
type stand struct {
	table  string
	handle fsm.HandleID
	state  fsm.State
}

func (v *validator) record(f Folded) error {
	if v.out.First == 0 {
		v.out.First = f.Index
	}
	v.out.Records++
	v.out.Moves += len(f.Moves)
	w := &Wrong{
		Record: f.Record, Handle: f.Concerns, Request: f.Request, Epoch: f.Machine.View().Epoch, Caused: f.Caused, Moves: f.Moves,
	}
	today := fsm.HashEffects(f.Caused)
	if today != f.Effects {
		v.out.Diverging++
	}
	if v.out.Wrong == nil && v.check(w, f.Machine, today) {
		v.wrong(w)
	}
	if slices.Contains(v.snapshots, f.Index) {
		return v.snapshot(w, f.Machine)
	}
	return nil
}

// check reports whether a step is wrong, and sets in w how.
func (v *validator) check(w *Wrong, m *machine.Machine, today uint64) bool {
	for _, mv := range w.Moves {
		if expected, ok := v.follows(mv); !ok {
			w.Expected, w.Got = expected, fmt.Sprintf("%s %s --%s→ %s", mv.Table, mv.From, mv.On, mv.To)
			return true
		}
	}
	if broken := v.monitor.Step(m, w.Input, w.Caused); len(broken) > 0 {
		w.Expected, w.Got = broken[0].Invariant, broken[0].Text
		return true
	}
	if today != w.Record.Effects {
		w.Expected, w.Got = fmt.Sprintf("effects with the hash %016x", w.Record.Effects), fmt.Sprintf("%016x: %s", today, kindsOf(w.Caused))
		return true
	}
	return false
}

// snapshot compares the state after a record with the snapshot taken there. If they differ
// it goes on from the snapshot, as a start does.
func (v *validator) snapshot(w *Wrong, m *machine.Machine) error {
	_, snapshot, err := v.journal.Snapshot(w.Index)
	if err != nil {
		return err
	}
	v.out.Snapshots++
	saved := machine.Restore(snapshot)
	want, got := saved.View().Hash(), m.View().Hash()
	if want == got {
		return nil
	}
	saved.CopyTo(m)
	w.Expected, w.Got = fmt.Sprintf("the state of the snapshot, %016x", want), fmt.Sprintf("%016x", got)
	v.wrong(w)
	return nil
}

// follows reports whether a move is a row and begins where its subject was left;
// if not, it returns what the tables want.
func (v *validator) follows(m state.Move) (expected string, ok bool) {
	i := slices.IndexFunc(v.at, func(s stand) bool { return s.table == m.Table && s.handle == m.Handle })
	if i < 0 {
		i = len(v.at)
		v.at = append(v.at, stand{m.Table, m.Handle, m.From})
	}
	table := tableOf(m.Table)
	if s := v.at[i].state; s != m.From && !(m.Table == state.InferenceTable.Name && m.From == table.Initial && slices.Contains(table.Final, s)) {
		return fmt.Sprintf("a move of the %s from %s", m.Table, s), false
	}
	v.at[i].state = m.To
	if m.Table == state.HandleTable.Name && slices.Contains(table.Final, m.To) {
		v.at = slices.DeleteFunc(v.at, func(s stand) bool { return s.handle == m.Handle })
	}
	row := func(r state.Row) bool { return r.From == m.From && r.On == m.On && r.To == m.To }
	return "a row of the table " + m.Table, slices.ContainsFunc(table.Rows, row)
}

func tableOf(name string) state.Table {
	for _, t := range state.Tables() {
		if t.Name == name {
			return t
		}
	}
	return state.Table{}
}

// wrong keeps the first record that is wrong. What it holds is the machine's until the
// next step.
func (v *validator) wrong(w *Wrong) {
	if v.out.Wrong == nil {
		w.Caused, w.Moves = slices.Clone(w.Caused), slices.Clone(w.Moves)
		v.out.Wrong = w
	}
}

func kindsOf(effects []fsm.Effect) string {
	if len(effects) == 0 {
		return "none"
	}
	list := make([]string, len(effects))
	for i, e := range effects {
		list[i] = fsm.EffectKind(e)
	}
	return strings.Join(list, " ")
}
