package sim

import (
	"container/heap"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// WallCheck is how often the daemon looks at the wall clock while it awaits the slot
// of a schedule: a clock that jumps is noticed no later.
const WallCheck = 30 * fsm.Second

// armed is a schedule whose next slot is awaited.
type armed struct {
	fsm.ArmSchedule
	slot fsm.Millis // on the wall clock
	look fsm.Millis // the next look at the wall clock; the others are WallCheck apart, the last when the slot is due
}

// arm puts the slot of a schedule on the agenda, in place of the one that it had.
func (w *world) arm(e fsm.ArmSchedule) {
	w.disarm(e.Schedule)
	slot, ok := e.Next(w.wall())
	if !ok || slot >= never {
		return
	}
	now := w.agenda.now
	w.agenda.add(due{
		at: max(slot-w.skew, now), schedule: e.Schedule,
		armed: &armed{ArmSchedule: e, slot: slot, look: now + WallCheck},
	})
}

func (w *world) disarm(schedule string) {
	w.agenda.drop(func(d due) bool { return d.schedule == "" || d.schedule != schedule })
}

// due is the input that a slot becomes: where the wall clock has passed several it is
// the latest.
func (a *armed) due(wall fsm.Millis) fsm.Input {
	slot := a.slot
	if at, ok := a.Next(wall); ok {
		slot = at
	}
	return fsm.Input{At: wall, Fact: fsm.ScheduleDue{Schedule: a.Schedule, Slot: slot}}
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

// jump sets the wall clock, and no timer (SCN-25). A slot that is awaited is due at
// the next look that finds its time come.
func (w *world) jump(by fsm.Millis) {
	w.skew += by
	now := w.agenda.now
	for i := range w.agenda.items {
		d := &w.agenda.items[i]
		if d.armed == nil {
			continue
		}
		next := *d.armed
		for next.look < now {
			next.look += WallCheck
		}
		next.look = min(next.look, d.at)
		d.armed, d.at = &next, max(next.look, next.slot-w.skew)
	}
	heap.Init(&w.agenda.items)
}
