package engine

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/cron"
)

// WallCheck is how often the wall clock is read while a slot is awaited: it may be set, and
// it goes on while the computer sleeps, neither of which a timer notices.
const WallCheck = 30 * fsm.Second

// Slot is the next slot of a schedule, awaited on the wall clock.
type Slot struct {
	fsm.ArmSchedule            // as the machine asked for it
	At              fsm.Millis // when it comes

	// from is when the slots are counted from: From, or earlier if the clock was set back.
	from fsm.Millis
}

// Awaited returns the slot that a schedule awaits, or false if there is none.
func Awaited(e fsm.ArmSchedule, wall fsm.Millis) (Slot, bool) {
	at, ok := cron.Next(e, wall)
	slot, _ := Slot{e, at, e.From}.Look(wall)
	return slot, ok
}

// Look returns the slot as a look at the wall clock leaves it, and whether it was moved. If
// the clock was set back over slots, those come again, from the present on (HND-65); once it
// has reached the last slot that was taken, slots are counted from there as before.
func (s Slot) Look(wall fsm.Millis) (_ Slot, moved bool) {
	from := s.from
	switch {
	case wall >= s.From:
		from = s.From
	case wall < s.from:
		back, _ := cron.Back(s.ArmSchedule, wall)
		from = back.From
	}
	if from == s.from {
		return s, false
	}
	s.from = from
	s.At, _ = cron.Next(s.counted(), wall)
	return s, true
}

// counted returns the arming with the time that slots are counted from.
func (s Slot) counted() fsm.ArmSchedule {
	e := s.ArmSchedule
	e.From = s.from
	return e
}

// slots are the awaited slots, in the order of their schedules' ids.
type slots []Slot

// find returns the index of a schedule's slot and true, or where it would be and false.
func (s slots) find(schedule string) (int, bool) {
	return slices.BinarySearchFunc(s, schedule, func(s Slot, name string) int { return strings.Compare(s.Schedule, name) })
}

// arm awaits the next slot of a schedule, in place of the one that it had. It returns false
// if no slot is left.
func (s *slots) arm(e fsm.ArmSchedule, wall fsm.Millis) bool {
	s.disarm(e.Schedule)
	slot, ok := Awaited(e, wall)
	if ok {
		i, _ := s.find(e.Schedule)
		*s = slices.Insert(*s, i, slot)
	}
	return ok
}

func (s *slots) disarm(schedule string) {
	if i, ok := s.find(schedule); ok {
		*s = slices.Delete(*s, i, i+1)
	}
}

// take returns the fact that a slot becomes once the wall clock has reached it. If the
// clock has passed several slots, it is the latest.
func (s *slots) take(schedule string, wall fsm.Millis) (fact fsm.ScheduleDue, due bool) {
	i, ok := s.find(schedule)
	if !ok {
		return fsm.ScheduleDue{}, false
	}
	slot, _ := (*s)[i].Look(wall)
	(*s)[i] = slot
	if slot.At > wall {
		return fsm.ScheduleDue{}, false
	}
	*s = slices.Delete(*s, i, i+1)
	if at, ok := cron.Next(slot.counted(), wall); ok {
		slot.At = at
	}
	return fsm.ScheduleDue{Schedule: schedule, Slot: slot.At, Back: slot.from < slot.From}, true
}

// wait returns how long the wall clock need not be read, or false if no slot is awaited.
func (s slots) wait(wall fsm.Millis) (wait fsm.Millis, ok bool) {
	wait = WallCheck
	for i := range s {
		wait = min(wait, max(s[i].At-wall, 0))
	}
	return wait, len(s) > 0
}

// Slot returns the awaited slot of a schedule, or false if there is none.
func (d *Driver) Slot(schedule string) (Slot, bool) {
	i, ok := d.slots.find(schedule)
	if !ok {
		return Slot{}, false
	}
	return d.slots[i], true
}

// NextSlot returns in how many milliseconds to call [Driver.TellSlots], or false if no slot
// is awaited.
func (d *Driver) NextSlot(now Now) (wait fsm.Millis, ok bool) { return d.slots.wait(now.Wall) }

// TellSlots tells the machine of the slots that the wall clock has reached.
func (d *Driver) TellSlots(now Now) error {
	var due []fsm.Fact
	for _, s := range slices.Clone(d.slots) {
		if fact, ok := d.slots.take(s.Schedule, now.Wall); ok {
			due = append(due, fact)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return d.Tell(now, due...)
}

// TellSlot is TellSlots for one schedule.
func (d *Driver) TellSlot(now Now, schedule string) error {
	if fact, ok := d.slots.take(schedule, now.Wall); ok {
		return d.Tell(now, fact)
	}
	return nil
}
