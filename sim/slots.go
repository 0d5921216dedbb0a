package sim

import "shelly/fsm"

// arm puts the slot of a schedule on the agenda, in place of the one that it had.
func (w *world) arm(e fsm.ArmSchedule) {
	w.disarm(e.Schedule)
	slot, ok := e.Next(w.agenda.now)
	if !ok || slot >= never {
		return
	}
	w.agenda.add(due{
		at: max(slot, w.agenda.now), schedule: e.Schedule,
		fact: fsm.ScheduleDue{Schedule: e.Schedule, Slot: slot},
	})
}

func (w *world) disarm(schedule string) {
	w.agenda.drop(func(d due) bool { return d.schedule == "" || d.schedule != schedule })
}
