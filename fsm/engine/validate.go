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
}

// Wrong is a record that is not as the tables, or the journal itself, say.
type Wrong struct {
	Index    uint64
	Input    string // its kind
	Expected string
	Got      string
}

func (w *Wrong) String() string {
	return fmt.Sprintf("record %d (%s): expected %s, got %s", w.Index, w.Input, w.Expected, w.Got)
}

// errWrong ends a replay at the first record that is wrong.
var errWrong = errors.New("a record is wrong")

// Validate holds a journal against the specification, step by step (JRN-17), from the
// first record that it keeps: each is applied to a machine of its own; every transition
// must be a row of its table and begin where the one before it has ended, every
// invariant must hold, and the effects must be those that the record carries the hash
// of. Where a snapshot stands, the machine must be in its state. It stops at the first
// record that is wrong. An error is the journal's.
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
	switch err := j.Replay(kept.First-1, v.record); {
	case errors.Is(err, errWrong):
	case err != nil:
		return v.out, err
	}
	return v.out, nil
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
		return v.wrong(r, fmt.Sprintf("record %d", v.last+1), "a gap")
	}
	if v.out.First == 0 {
		v.out.First = r.Index
	}
	v.last = r.Index
	v.out.Records++
	effects := v.machine.Step(r.Input)
	for _, m := range v.machine.Moves() {
		v.out.Moves++
		if expected, ok := v.follows(m); !ok {
			return v.wrong(r, expected, fmt.Sprintf("%s %s --%s→ %s", m.Table, m.From, m.On, m.To))
		}
	}
	if broken := v.monitor.Step(v.machine, r.Input, effects); len(broken) > 0 {
		return v.wrong(r, broken[0].Invariant, broken[0].Text)
	}
	if got := fsm.HashEffects(effects); got != r.Effects {
		return v.wrong(r, fmt.Sprintf("effects with the hash %016x", r.Effects), fmt.Sprintf("%016x: %s", got, kindsOf(effects)))
	}
	if slices.Contains(v.snapshots, r.Index) {
		_, snapshot, err := v.journal.Snapshot(r.Index)
		if err != nil {
			return err
		}
		saved := fsm.Restore(snapshot)
		if want, got := saved.View().Hash(), v.machine.View().Hash(); want != got {
			return v.wrong(r, fmt.Sprintf("the state of the snapshot, %016x", want), fmt.Sprintf("%016x", got))
		}
	}
	return nil
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

func (v *validator) wrong(r Record, expected, got string) error {
	v.out.Wrong = &Wrong{Index: r.Index, Input: fsm.InputKind(r.Input), Expected: expected, Got: got}
	return errWrong
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
