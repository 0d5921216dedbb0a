package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// looked is a schedule's slot, awaited.
type looked struct {
	engine.Slot
	look fsm.Millis // the next look at the wall clock; the others are engine.WallCheck apart, the last when the slot is due
}

// arm puts the slot of a schedule on the agenda, in place of the one that it had.
func (w *world) arm(s engine.Slot) {
	w.disarm(s.Schedule)
	if s.At >= never {
		return
	}
	now := w.agenda.now
	w.agenda.add(due{at: max(s.At-w.skew, now), slot: &looked{s, now + engine.WallCheck}})
}

func (w *world) disarm(schedule string) {
	w.agenda.drop(func(d *due) bool { return d.slot == nil || d.slot.Schedule != schedule })
}

// wall is what the wall clock says.
func (w *world) wall() fsm.Millis { return w.agenda.now + w.skew }

// appended notes when a record is appended, which its own time, of the wall clock, does
// not tell.
func (w *world) appended(index uint64) {
	for uint64(len(w.when)) < index {
		w.when = append(w.when, w.agenda.now)
	}
	w.when[index-1] = w.agenda.now
}

// whenWas returns when a record was appended. One that was there before the run has its
// own time.
func (w *world) whenWas(r engine.Record) fsm.Millis {
	if r.Index > uint64(len(w.when)) {
		return r.Input.At
	}
	return w.when[r.Index-1]
}

// looked puts a slot back on the agenda if the look at the wall clock found that its time has
// not come.
func (w *world) looked(schedule string) {
	if slices.ContainsFunc(w.agenda.items, func(d *due) bool { return d.slot != nil && d.slot.Schedule == schedule }) {
		return // the next one is awaited
	}
	if s, ok := w.slot(schedule); ok {
		w.arm(s)
	}
}

// jump sets the wall clock, and no timer (SCN-25). A slot that is awaited is due at
// the next look that finds its time come, or its schedule another one (HND-65).
func (w *world) jump(by fsm.Millis) {
	w.skew += by
	now := w.agenda.now
	for _, d := range w.agenda.items {
		if d.slot == nil {
			continue
		}
		next := *d.slot
		for next.look < now {
			next.look += engine.WallCheck
		}
		next.look = min(next.look, d.at)
		d.slot, d.at = &next, next.look
		if _, moves := next.Look(next.look + w.skew); !moves {
			d.at = max(next.look, next.At-w.skew)
		}
	}
	w.agenda.sort()
}
