package engine

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// SnapshotEvery is how many records may follow a snapshot before the next one is taken, at
// a moment when nothing is active: a snapshot is smallest then. If there is no such moment,
// it is taken after SnapshotLate records.
const (
	SnapshotEvery = 1024
	SnapshotLate  = 8 * SnapshotEvery
)

// Step is what one input did, for observers.
type Step struct {
	Index   uint64
	Input   fsm.Input
	Effects []fsm.Effect
	Moves   []state.Move
}

// Engine drives one machine over one journal.
type Engine struct {
	// Observe, if set, is called for each step of a turn once the turn is
	// appended, and before the step's effects are performed.
	Observe func(Step)
	// Check, if set, is called right after each step, before it is durable: the place for a
	// check.Monitor.
	Check func(m *machine.Machine, in fsm.Input, effects []fsm.Effect)
	// Saved, if set, is called when a snapshot was saved, which is when something may
	// have become old enough for [Engine.Tidy].
	Saved func()

	journal   Journal
	world     World
	machine   *machine.Machine
	last      uint64              // index of the last record
	durable   uint64              // index of the last record that no crash can lose
	tail      tail                // the records after it
	saved     uint64              // index of the last snapshot
	resting   bool                // a snapshot is due at the next moment when nothing is active
	untaken   map[fsm.CallID]Text // whose answer no step has taken yet
	oldest    fsm.Millis          // the time of the first record after the last snapshot
	booted    bool                // an epoch of its own has begun
	spare     pages
	dead      error
	diverging []Divergence
}

// Open recovers the machine from the journal: the last snapshot, then every
// record after it. No effect of a replayed record is performed; the Boot that
// must follow makes the machine ask again for what it still needs (JRN-5).
func Open(j Journal, w World) (*Engine, error) {
	e := &Engine{journal: j, world: w}
	r, oldest, err := recovered(j)
	if err != nil {
		return nil, err
	}
	e.oldest = oldest
	e.machine, e.diverging, e.saved, e.last, e.durable = r.Machine, r.Diverging, r.Saved, r.Last, r.Last
	if err := e.legible(); err != nil {
		return nil, err
	}
	return e, nil
}

// legible returns an error if the record of a request that is still to be answered cannot
// be read: the engine would die at its reply.
func (e *Engine) legible() error {
	for _, h := range e.machine.View().Handles {
		if h.Kind != fsm.KindUser || h.Replied {
			continue
		}
		if _, _, err := e.journal.Request(h.Request); err != nil {
			return fmt.Errorf("look up the unfinished request %q: %w", h.Request.ID, err)
		}
	}
	return nil
}

// Divergences returns the replayed records whose effects differ from those
// that were journalled.
func (e *Engine) Divergences() []Divergence { return e.diverging }

// Doubts returns what the following boot must tell the machine (JRN-6).
func (e *Engine) Doubts() []fsm.Doubt { return doubts(e.diverging) }

// Machine returns the machine to read; only Turn steps it.
func (e *Engine) Machine() *machine.Machine { return e.machine }

// Err returns the error that the engine died of, or nil while it lives.
func (e *Engine) Err() error { return e.dead }

// Last returns the index of the last record.
func (e *Engine) Last() uint64 { return e.last }

// Durable returns the index of the last record that a crash can no longer lose.
func (e *Engine) Durable() uint64 { return e.durable }

// Turn applies inputs in order: step, append, sync, perform (JRN-2). No effect is performed
// before its input is appended (JRN-3). How inputs are split into turns does not change
// what they cause. ErrNoSpace without ErrDead means that nothing has happened: the engine
// lives, and takes the same inputs once there is space (JRN-14).
func (e *Engine) Turn(inputs ...fsm.Input) error {
	if e.dead != nil {
		return e.dead
	}
	if err := e.room(inputs); err != nil {
		return err
	}
	return e.turn(inputs)
}

// turn is Turn when there is space.
func (e *Engine) turn(inputs []fsm.Input) error {
	t := e.begin()
	if err := t.step(inputs...); err != nil {
		return err
	}
	return t.end()
}

// taking is a turn in progress: what was stepped and is still to be written.
type taking struct {
	*Engine
	pages
	requests requestBook
	barrier  bool
	exits    bool
}

// pages are the buffers of a turn, reused from one turn to the next.
type pages struct {
	steps []Step
	batch Batch
}

// pagesMax is the largest turn, in steps, whose pages are kept for the next.
const pagesMax = 64

// clean returns the pages emptied.
func (p pages) clean() pages {
	if cap(p.steps) > pagesMax {
		return pages{}
	}
	clear(p.steps)
	clear(p.batch.Records)
	return pages{steps: p.steps[:0], batch: Batch{Records: p.batch.Records[:0]}}
}

func (e *Engine) begin() *taking {
	t := &taking{Engine: e, pages: e.spare, requests: requestBook{journal: e.journal}}
	e.spare = pages{}
	return t
}

// end appends what was stepped as one batch, and performs its effects.
func (e *taking) end() error {
	e.batch.Requests = e.requests.changed
	if err := e.journal.Append(e.batch, e.barrier); err != nil {
		return e.die(fmt.Errorf("append to the journal: %w", err))
	}
	if e.barrier {
		e.durable = e.last
	}
	for _, s := range e.steps {
		if e.Observe != nil {
			e.Observe(s)
		}
		for _, effect := range s.Effects {
			if err := e.world.Perform(effect); err != nil {
				return e.die(fmt.Errorf("perform %s: %w", fsm.EffectKind(effect), err))
			}
		}
	}
	e.spare = e.pages.clean()
	if e.exits {
		return e.save() // the next start has no record to replay (JRN-13)
	}
	return e.snapshot()
}

// exits reports whether an effect ends the epoch.
func exits(e fsm.Effect) bool {
	_, ok := e.(fsm.Exit)
	return ok
}

// step runs the machine over inputs and collects what must be written. An error ends the
// engine.
func (e *taking) step(inputs ...fsm.Input) error {
	b := &e.batch
	for _, in := range inputs {
		handles := e.machine.View().LastHandle
		effects := e.machine.Step(in)
		if _, ok := in.Fact.(fsm.Boot); ok {
			e.booted = true
		}
		if e.Check != nil {
			e.Check(e.machine, in, effects)
		}
		e.last++
		e.dated(in)
		e.barrier = e.barrier || e.machine.Barrier(in, effects)
		e.exits = e.exits || slices.ContainsFunc(effects, exits)
		b.Records = append(b.Records, Record{Index: e.last, Input: in, Effects: fsm.HashEffects(effects)})
		if err := e.requests.note(e.last, in, effects, handles, e.machine.View()); err != nil {
			return e.die(err)
		}
		s := Step{Index: e.last, Input: in, Effects: effects, Moves: append([]state.Move(nil), e.machine.Moves()...)}
		b.Messages = append(b.Messages, s.Messages()...)
		b.Audit = append(b.Audit, s.audit()...)
		b.Texts = append(b.Texts, e.taken(in)...)
		b.Names = append(b.Names, s.names()...)
		e.steps = append(e.steps, s)
	}
	return nil
}

// snapshot saves the state once enough records follow the last one (JRN-13).
func (e *Engine) snapshot() error {
	gathered := e.last - e.saved
	if due := e.resting || gathered >= SnapshotEvery; !due || gathered < SnapshotLate && e.machine.Active() {
		return nil
	}
	return e.save()
}

// dated notes the time of the last record if it is the first after the last snapshot.
func (e *Engine) dated(in fsm.Input) {
	if e.last == e.saved+1 {
		e.oldest = in.At
	}
}

// save saves the state after the last record.
func (e *Engine) save() error {
	if err := e.journal.SaveSnapshot(e.last, e.machine.Snapshot()); err != nil {
		return e.die(fmt.Errorf("save a snapshot: %w", err))
	}
	e.saved, e.durable, e.resting = e.last, e.last, false
	if e.Saved != nil {
		e.Saved()
	}
	return nil
}

// die stops the engine for good (JRN-11).
func (e *Engine) die(err error) error {
	e.dead = fmt.Errorf("%w: %w", ErrDead, err)
	return e.dead
}
