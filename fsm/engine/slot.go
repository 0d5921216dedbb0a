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
	told bool // it has come; it is kept until the machine asks for the next one
}

// Awaited returns the slot that a schedule awaits, or false if there is none.
func Awaited(e fsm.ArmSchedule, wall fsm.Millis) (Slot, bool) {
	at, ok := cron.Next(e, wall)
	slot, _ := Slot{ArmSchedule: e, At: at, from: e.From}.Look(wall)
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
	if !ok || (*s)[i].told {
		return fsm.ScheduleDue{}, false
	}
	slot, _ := (*s)[i].Look(wall)
	slot.told = slot.At <= wall
	(*s)[i] = slot
	if !slot.told {
		return fsm.ScheduleDue{}, false
	}
	return slot.due(wall), true
}

// due returns the fact that the slot becomes, whose time has come: that of the latest slot.
func (s Slot) due(wall fsm.Millis) fsm.ScheduleDue {
	if at, ok := cron.Next(s.counted(), wall); ok {
		s.At = at
	}
	return fsm.ScheduleDue{Schedule: s.Schedule, Slot: s.At, Back: s.from < s.From}
}

// latest makes each fact of a slot that has waited for space that of the latest slot: those
// that have passed since are one run with it (HND-43).
func (s slots) latest(facts []fsm.Fact, wall fsm.Millis) {
	for n, f := range facts {
		due, is := f.(fsm.ScheduleDue)
		if !is {
			continue
		}
		if i, ok := s.find(due.Schedule); ok && s[i].told {
			s[i], _ = s[i].Look(wall)
			facts[n] = s[i].due(wall)
		}
	}
}

// wait returns how long the wall clock need not be read, or false if no slot is awaited.
func (s slots) wait(wall fsm.Millis) (wait fsm.Millis, ok bool) {
	wait = WallCheck
	for i := range s {
		if !s[i].told {
			wait, ok = min(wait, max(s[i].At-wall, 0)), true
		}
	}
	return wait, ok
}

// Slot returns the awaited slot of a schedule, or false if there is none.
func (d *Driver) Slot(schedule string) (Slot, bool) {
	i, ok := d.slots.find(schedule)
	if !ok || d.slots[i].told {
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
