package history

import (
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Reader is the part of a journal that is read.
type Reader interface {
	Kept() (engine.Kept, error)
	Snapshot(at uint64) (uint64, fsm.Snapshot, error)
	Replay(after uint64, fn func(engine.Record) error) error
	Request(key fsm.RequestKey) (engine.Request, bool, error)
}

// Folded is one record, stepped with today's code.
type Folded struct {
	engine.Record              // Effects is the hash that was recorded
	Concerns      fsm.HandleID // the handle that the input is about; 0: none
	Caused        []fsm.Effect
	Moves         []fsm.Move   // valid until fn returns
	Machine       *fsm.Machine // behind the step; to read, until fn returns
}

// Differs reports whether today's code decides otherwise than the code that wrote the
// record (JRN-6).
func (f Folded) Differs() bool { return fsm.HashEffects(f.Caused) != f.Effects }

// Fold calls fn for each record behind an index, in order, until it returns an error.
// The records from the snapshot before on are stepped without a call. Where the
// journal no longer keeps the record behind the index it is an engine.ErrTrimmed.
func Fold(j Reader, after uint64, fn func(Folded) error) error {
	kept, err := j.Kept()
	if err != nil {
		return err
	}
	if after+1 < kept.First {
		return fmt.Errorf("record %d: %w; the first that is there is %d", after+1, engine.ErrTrimmed, kept.First)
	}
	at, snapshot, err := j.Snapshot(after)
	if err != nil {
		return err
	}
	m := fsm.New()
	if at > 0 {
		m = fsm.Restore(snapshot)
	}
	return j.Replay(at, func(r engine.Record) error {
		concerns := m.Concerns(r.Input)
		effects := m.Step(r.Input)
		if r.Index <= after {
			return nil
		}
		return fn(Folded{Record: r, Concerns: concerns, Caused: slices.Clone(effects), Moves: m.Moves(), Machine: m})
	})
}

// StateAt returns the machine's state behind the record at an index.
func StateAt(j Reader, index uint64) (fsm.Snapshot, error) {
	at, snapshot, err := j.Snapshot(index)
	if err != nil || at == index {
		return snapshot, err
	}
	m := fsm.New()
	if at > 0 {
		m = fsm.Restore(snapshot)
	}
	err = j.Replay(at, func(r engine.Record) error {
		if r.Index > index {
			return errEnough
		}
		m.Step(r.Input)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return fsm.Snapshot{}, err
	}
	return m.Snapshot(), nil
}

// HandleAt returns a handle as it stood behind the record at an index, or false where
// it had ended or not begun.
func HandleAt(j Reader, index uint64, id fsm.HandleID) (fsm.Handle, bool, error) {
	state, err := StateAt(j, index)
	if err != nil {
		return fsm.Handle{}, false, err
	}
	i := slices.IndexFunc(state.Handles, func(h fsm.Handle) bool { return h.ID == id })
	if i < 0 {
		return fsm.Handle{}, false, nil
	}
	return state.Handles[i], true, nil
}
