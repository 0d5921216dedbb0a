package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
)

// Validation is what a journal looks like when it is held against the tables.
type Validation struct {
	First   uint64 // the first record that was held against them; 0: there is none
	Records int    // how many were
	Moves   int    // the transitions that they took
	Wrong   *Wrong // the first record that is not as it should be, or nil

	Snapshots int // how many the state was held against
	Diverging int // records whose effects are not those recorded (JRN-6)
}

// Wrong is a record that is not as the tables, or the journal itself, say.
type Wrong struct {
	Record
	Expected string
	Got      string

	Handle  fsm.HandleID   // the handle that the record is about; 0: none
	Request fsm.RequestKey // the handle's, if it has one
	Epoch   int            // boots up to it
	Caused  []fsm.Effect   // what today's code does
	Moves   []fsm.Move     // and its transitions
}

// errGap ends a replay where a record is missing.
var errGap = errors.New("a record is missing")

// Validate holds a journal against the specification, step by step (JRN-17), from the
// first record that it keeps: each is applied to a machine of its own; every transition
// must be a row of its table and begin where the one before it has ended, every
// invariant must hold, and the effects must be those that the record carries the hash
// of. Where a snapshot stands, the machine must be in its state. Behind the first record
// that is wrong only effects are compared, from each snapshot on anew; a gap ends it.
// An error is the journal's.
func Validate(j Reader) (Validation, error) {
	kept, err := j.Kept()
	if err != nil {
		return Validation{}, err
	}
	base, snapshot, err := j.Snapshot(kept.First - 1)
	if err != nil {
		return Validation{}, err
	}
	v := &validator{journal: j, machine: fsm.New(), monitor: fsm.NewMonitor(), last: base, snapshots: kept.Snapshots}
	if base > 0 {
		v.machine = fsm.Restore(snapshot)
		v.monitor = fsm.MonitorFrom(v.machine)
	}
	err = j.Replay(kept.First-1, v.record)
	if errors.Is(err, errGap) {
		err = nil
	}
	return v.out, err
}

// validator applies the records of a journal.
type validator struct {
	journal   Reader
	machine   *fsm.Machine
	monitor   *fsm.Monitor
	last      uint64
	at        []stand  // of unfinished handles and the lifecycle
	snapshots []uint64 // the indexes of those that are kept
	out       Validation
}

// stand is where one table's subject was left.
type stand struct {
	table  string
	handle fsm.HandleID
	state  fsm.State
}

func (v *validator) record(r Record) error {
	if r.Index != v.last+1 {
		v.wrong(&Wrong{Record: r, Expected: fmt.Sprintf("record %d", v.last+1), Got: "a gap"})
		return errGap
	}
	if v.out.First == 0 {
		v.out.First = r.Index
	}
	v.last = r.Index
	v.out.Records++
	w := &Wrong{Record: r, Handle: v.machine.Concerns(r.Input)}
	w.Request = requestOf(v.machine, w.Handle, r.Input)
	w.Caused = v.machine.Step(r.Input)
	w.Moves, w.Epoch = v.machine.Moves(), v.machine.View().Epoch
	v.out.Moves += len(w.Moves)
	today := fsm.HashEffects(w.Caused)
	if today != r.Effects {
		v.out.Diverging++
	}
	if v.out.Wrong == nil && v.check(w, today) {
		v.wrong(w)
	}
	if slices.Contains(v.snapshots, r.Index) {
		return v.snapshot(w)
	}
	return nil
}

// check reports whether a step is wrong, and says in w how.
func (v *validator) check(w *Wrong, today uint64) bool {
	for _, m := range w.Moves {
		if expected, ok := v.follows(m); !ok {
			w.Expected, w.Got = expected, fmt.Sprintf("%s %s --%s→ %s", m.Table, m.From, m.On, m.To)
			return true
		}
	}
	if broken := v.monitor.Step(v.machine, w.Input, w.Caused); len(broken) > 0 {
		w.Expected, w.Got = broken[0].Invariant, broken[0].Text
		return true
	}
	if today != w.Record.Effects {
		w.Expected, w.Got = fmt.Sprintf("effects with the hash %016x", w.Record.Effects), fmt.Sprintf("%016x: %s", today, kindsOf(w.Caused))
		return true
	}
	return false
}

// snapshot compares the state behind a record with the snapshot that stands for it, and
// goes on from that where it is another, as a start does.
func (v *validator) snapshot(w *Wrong) error {
	_, snapshot, err := v.journal.Snapshot(w.Index)
	if err != nil {
		return err
	}
	v.out.Snapshots++
	saved := fsm.Restore(snapshot)
	want, got := saved.View().Hash(), v.machine.View().Hash()
	if want == got {
		return nil
	}
	v.machine = saved
	w.Expected, w.Got = fmt.Sprintf("the state of the snapshot, %016x", want), fmt.Sprintf("%016x", got)
	v.wrong(w)
	return nil
}

// requestOf is the request of a handle, or that which an input brings.
func requestOf(m *fsm.Machine, handle fsm.HandleID, in fsm.Input) fsm.RequestKey {
	if in, ok := in.(fsm.Requested); ok {
		return in.Request
	}
	for _, h := range m.View().Handles {
		if h.ID == handle {
			return h.Request
		}
	}
	return fsm.RequestKey{}
}

// follows reports whether a move is a row and begins where its subject was left;
// otherwise it says what the tables would have.
func (v *validator) follows(m fsm.Move) (expected string, ok bool) {
	i := slices.IndexFunc(v.at, func(s stand) bool { return s.table == m.Table && s.handle == m.Handle })
	if i < 0 {
		i = len(v.at)
		v.at = append(v.at, stand{m.Table, m.Handle, m.From})
	}
	table := tableOf(m.Table)
	if s := v.at[i].state; s != m.From && !(m.Table == fsm.InferenceTable.Name && m.From == table.Initial && slices.Contains(table.Final, s)) {
		return fmt.Sprintf("a move of the %s from %s", m.Table, s), false
	}
	v.at[i].state = m.To
	if m.Table == fsm.HandleTable.Name && slices.Contains(table.Final, m.To) {
		v.at = slices.DeleteFunc(v.at, func(s stand) bool { return s.handle == m.Handle })
	}
	row := func(r fsm.Row) bool { return r.From == m.From && r.On == m.On && r.To == m.To }
	return "a row of the table " + m.Table, slices.ContainsFunc(table.Rows, row)
}

func tableOf(name string) fsm.Table {
	for _, t := range fsm.Tables() {
		if t.Name == name {
			return t
		}
	}
	return fsm.Table{}
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
