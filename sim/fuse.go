package sim

import (
	"errors"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// errCrash stops the engine where the simulated process dies.
var errCrash = errors.New("simulated crash")

// fuse counts crash points as they are met and burns through at the planned ones.
type fuse struct {
	plan    []Crash
	ordinal int // crash at this one of all points, from 1; 0: as planned
	met     int
	still   bool  // nothing has happened since the last effect was performed
	counts  []int // per planned crash: how often its point was met
	burnt   []bool
	last    Crash // what burnt through
	result  *Result
	now     func() fsm.Millis
	epoch   func() int
}

// at returns errCrash if the process dies here.
func (f *fuse) at(p Point, effect string, step uint64) error {
	f.met++
	f.result.Points = f.met
	if f.still && p == BeforeEffect {
		f.result.Again = append(f.result.Again, f.met)
	}
	f.still = p == AfterEffect
	if f.ordinal != 0 {
		if f.met == f.ordinal {
			return f.burn(Crash{Point: p})
		}
		return nil
	}
	for i, c := range f.plan {
		if c.Point != p || f.burnt[i] || c.Effect != "" && c.Effect != effect {
			continue
		}
		f.counts[i]++
		nth := f.counts[i]
		if p == AfterStep {
			nth = int(step) // a request that is already there is met after the step before
		}
		if nth == max(c.Nth, 1) {
			f.burnt[i] = true
			return f.burn(c)
		}
	}
	return nil
}

func (f *fuse) burn(c Crash) error {
	f.last = c
	f.result.Struck = append(f.result.Struck, string(c.Point))
	f.result.Crashes = append(f.result.Crashes, Crashed{At: f.now(), Epoch: f.epoch(), Ordinal: f.met, Point: c.Point})
	return errCrash
}

// unmet lists the planned crashes whose points were never met.
func (f *fuse) unmet() []int {
	var list []int
	for i, c := range f.plan {
		if f.ordinal == 0 && !f.burnt[i] && !c.Optional {
			list = append(list, i)
		}
	}
	return list
}

// Journal is a journal that can lose power and meet faults.
type Journal interface {
	engine.Journal
	// Crash drops what was not synced and leaves a journal that a new process opens.
	Crash() (Journal, error)
	// Fail makes an append meet a fault of the journal; Crash follows. Nothing of the batch is
	// kept. After JournalFsync what was not synced is lost too; after the other faults all
	// earlier appends are there, synced or not.
	Fail(fault FaultKind, b engine.Batch) error
	// Fill puts the disk below the reserve, so that Space returns an ErrNoSpace, or above it.
	Fill(full bool)
}

type memoryJournal struct {
	*engine.MemoryJournal
	full bool
}

// Fill implements [Journal].
func (j *memoryJournal) Fill(full bool) { j.full = full }

// Space implements [engine.Journal].
func (j *memoryJournal) Space() error {
	if j.full {
		return engine.ErrNoSpace
	}
	return nil
}

// Fail implements [Journal].
func (j *memoryJournal) Fail(fault FaultKind, _ engine.Batch) error {
	if fault == JournalFsync {
		return nil
	}
	return j.Append(engine.Batch{}, true)
}

func (j *memoryJournal) Crash() (Journal, error) {
	j.MemoryJournal.Crash()
	return j, nil
}

// fusedJournal dies around appends, and syncs the stores when it is synced.
type fusedJournal struct {
	Journal
	fuse   *fuse
	stores *world
}

func (j fusedJournal) Append(b engine.Batch, sync bool) error {
	j.fuse.still = false
	if len(b.Records) == 0 {
		return j.settle()
	}
	if err := j.fuse.at(BeforeAppend, "", 0); err != nil {
		return err
	}
	if fault := j.stores.fates.write(sync); fault != nil {
		return j.fail(fault, b)
	}
	if err := j.Journal.Append(b, sync); err != nil {
		return err
	}
	for _, r := range b.Records {
		j.stores.appended(r.Index)
	}
	if sync {
		j.stores.sync()
	}
	return j.fuse.at(AfterAppend, "", 0)
}

// settle makes durable what was appended. A crash before it counts as one after the last
// step, and a fault in it as one of the next append.
func (j fusedJournal) settle() error {
	if err := j.Journal.Append(engine.Batch{}, true); err != nil {
		return err
	}
	j.stores.sync()
	return j.fuse.at(AfterSync, "", 0)
}

// fail makes an append meet a fault that kills the process (JRN-11, SCN-49).
func (j fusedJournal) fail(fault *Fault, b engine.Batch) error {
	if err := j.Journal.Fail(fault.Kind, b); err != nil {
		return err
	}
	if fault.Kind != JournalFsync {
		j.stores.sync() // the stores are in the journal's files
	}
	return j.fuse.burn(Crash{Point: Point(fault.Kind), After: fault.After})
}

// SaveSnapshot makes durable what was appended and stored before it.
func (j fusedJournal) SaveSnapshot(index uint64, s state.Snapshot) error {
	j.fuse.still = false
	if err := j.Journal.SaveSnapshot(index, s); err != nil {
		return err
	}
	j.stores.sync()
	return nil
}

// sync makes the contents of the stores durable.
func (w *world) sync() {
	w.memory.Sync()
	w.sessions.Sync()
}

// fusedWorld dies around effects.
type fusedWorld struct {
	*world
	fuse *fuse
}

func (w fusedWorld) Perform(e fsm.Effect) error {
	kind := fsm.EffectKind(e)
	if err := w.fuse.at(BeforeEffect, kind, 0); err != nil {
		return err
	}
	if err := w.world.Perform(e); err != nil {
		return err
	}
	return w.fuse.at(AfterEffect, kind, 0)
}
