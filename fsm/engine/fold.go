package engine

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Folded is one record, stepped with today's code.
type Folded struct {
	Record                  // Effects is the hash that was recorded
	Concerns fsm.HandleID   // the handle that the input is about; 0: none
	Request  fsm.RequestKey // the handle's, if it has one
	Caused   []fsm.Effect
	Moves    []state.Move     // valid until the next
	Machine  *machine.Machine // after the step; to read, until the next
}

// Differs reports whether today's code decides differently from the code that wrote the
// record (JRN-6).
func (f Folded) Differs() bool { return fsm.HashEffects(f.Caused) != f.Effects }

// Gap is the error that at least one record is missing before another.
type Gap struct {
	Found Record
	After uint64
}

func (g *Gap) Error() string {
	return fmt.Sprintf("record %d follows record %d", g.Found.Index, g.After)
}

// Fold yields each record after an index, in order, stepped with today's code. The records
// between the snapshot before that index and the index are stepped but not yielded. If the
// journal no longer keeps the record after the index, the error is an ErrTrimmed. An error
// is yielded last.
func Fold(j Reader, after uint64) iter.Seq2[Folded, error] {
	return func(yield func(Folded, error) bool) {
		m, at, err := machineAt(j, after)
		if err != nil {
			yield(Folded{}, err)
			return
		}
		for f, err := range foldOn(j, m, at) {
			if errors.Is(err, ErrTrimmed) {
				if kept, unread := j.Kept(); unread == nil {
					err = errTrimmed(after+1, kept.First)
				}
			}
			if (err != nil || f.Index > after) && !yield(f, err) {
				return
			}
		}
	}
}

// FoldInputs steps a machine that starts in a state with inputs, and yields the position of
// each, from 0, with what came of it.
func FoldInputs(from state.Snapshot, inputs iter.Seq[fsm.Input]) iter.Seq2[int, Folded] {
	return func(yield func(int, Folded) bool) {
		m, i := machine.Restore(from), 0
		for in := range inputs {
			if !yield(i, Tell(m, in)) {
				return
			}
			i++
		}
	}
}

// Tell steps a machine with one input, and returns what came of it: for a caller that
// follows a fold, or a run, with a machine of its own.
func Tell(m *machine.Machine, in fsm.Input) Folded { return step(m, Record{Input: in}) }

// StateAt returns the machine's state after the record at an index.
func StateAt(j Reader, index uint64) (state.Snapshot, error) {
	m, at, err := machineAt(j, index)
	if err != nil {
		return state.Snapshot{}, err
	}
	if at < index {
		for f, err := range foldOn(j, m, at) {
			if err != nil {
				return state.Snapshot{}, err
			}
			if f.Index == index {
				break
			}
		}
	}
	return m.Snapshot(), nil
}

// machineAt restores the machine of the last snapshot up to an index, and returns the index
// of the record that the snapshot follows.
func machineAt(j Reader, index uint64) (*machine.Machine, uint64, error) {
	at, snapshot, err := j.Snapshot(index)
	if err != nil {
		return nil, 0, fmt.Errorf("load the journal's snapshot: %w", err)
	}
	if at == 0 {
		return machine.New(), 0, nil
	}
	if err := known(snapshot.Config.Edition); err != nil {
		return nil, 0, fmt.Errorf("load the journal's snapshot: %w", err)
	}
	return machine.Restore(snapshot), at, nil
}

// ErrNewer says that newer code wrote a journal: this machine would decide differently
// (JRN-15).
var ErrNewer = errors.New("the journal was written by a newer shelly")

// Known returns an ErrNewer if [Recover] would: the last snapshot, or a record after it, is of an
// edition that this machine does not have (JRN-15). It steps nothing.
func Known(j Reader) error {
	at, snapshot, err := j.Snapshot(math.MaxUint64)
	if err == nil {
		err = known(snapshot.Config.Edition)
	}
	if err != nil {
		return fmt.Errorf("load the journal's snapshot: %w", err)
	}
	err = j.Replay(at, func(r Record) error {
		edition := fsm.FirstEdition
		if in, ok := r.Input.Fact.(fsm.Boot); ok {
			edition = in.Config.Edition
		} else if in, ok := r.Input.Fact.(fsm.Configured); ok {
			edition = in.Config.Edition
		}
		if err := known(edition); err != nil {
			return fmt.Errorf("record %d: %w", r.Index, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	return nil
}

// known returns an error if this machine does not have an edition of the decisions (CFG-5).
func known(edition int) error {
	if edition <= fsm.PresentEdition {
		return nil
	}
	return fmt.Errorf("%w: its machine decides by edition %d, this one's by %d; use the newer one", ErrNewer, edition+1, fsm.PresentEdition+1)
}

// errEnough ends a replay whose reader wants no more.
var errEnough = errors.New("enough")

// foldOn steps the machine with each record after last, and yields what came of it.
func foldOn(j Reader, m *machine.Machine, last uint64) iter.Seq2[Folded, error] {
	return func(yield func(Folded, error) bool) {
		err := j.Replay(last, func(r Record) error {
			if r.Index != last+1 {
				return &Gap{Found: r, After: last}
			}
			last = r.Index
			f := step(m, r)
			if err := known(m.View().Config.Edition); err != nil { // it brought one
				return fmt.Errorf("record %d: %w", r.Index, err)
			}
			if !yield(f, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Folded{}, fmt.Errorf("replay the journal: %w", err))
		}
	}
}

func step(m *machine.Machine, r Record) Folded {
	f := Folded{Record: r, Concerns: m.View().Concerns(r.Input), Machine: m}
	f.Request = requestOf(m, f.Concerns, r.Input)
	f.Caused = m.Step(r.Input)
	f.Moves = m.Moves()
	return f
}

// requestOf returns the request of a handle, or the one that an input brings.
func requestOf(m *machine.Machine, handle fsm.HandleID, in fsm.Input) fsm.RequestKey {
	if in, ok := in.Fact.(fsm.Requested); ok {
		return in.Request
	}
	if i := m.View().IndexOf(handle); i >= 0 {
		return m.View().Handles[i].Request
	}
	return fsm.RequestKey{}
}
