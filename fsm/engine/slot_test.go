package engine

import (
	"slices"
	"testing"
	"time"

	"shelly/fsm"
)

func at(h, m int) fsm.Millis {
	return fsm.Millis(time.Date(2026, 1, 31, h, m, 0, 0, time.UTC).UnixMilli())
}

// If the wall clock jumps forward, the latest slot that it has passed is due, once. If it jumps
// back, no slot is due early or again (HND-43).
func TestHND43ASlotIsDueOnceWhenTheClockJumps(t *testing.T) {
	var s slots
	arm := fsm.ArmSchedule{Schedule: "s", Every: 3600 * fsm.Second, From: at(9, 0)}
	s.arm(arm, at(9, 0))
	for _, jump := range []struct{ to, slot fsm.Millis }{ // a slot of 0: none
		{at(9, 59), 0},
		{at(13, 30), at(13, 0)},
		{at(12, 10), 0}, // back
		{at(13, 0), 0},  // the slot that was taken
		{at(13, 59), 0},
		{at(14, 0), at(14, 0)},
	} {
		due, ok := s.take("s", jump.to)
		if ok != (jump.slot != 0) || due.Slot != jump.slot {
			t.Fatalf("at %d: %+v, %t; want the slot %d", jump.to, due, ok, jump.slot)
		}
		if ok {
			arm.From = due.Slot // as the machine asks for the next
			s.arm(arm, jump.to)
		}
	}
}

// HND-65: over slots that the clock was set back over it goes on from the present, unless the
// clock comes forward again first.
func TestHND65SlotsWhenTheWallClockIsSetBackOverSome(t *testing.T) {
	arm := fsm.ArmSchedule{Schedule: "s", Every: 3600 * fsm.Second, From: at(15, 0)}
	type look struct{ to, slot fsm.Millis }     // a slot of 0: none
	for name, looks := range map[string][]look{ // order-free
		"its slots come again":          {{at(11, 30), 0}, {at(11, 59), 0}, {at(12, 1), at(12, 0)}},
		"the latest that has passed":    {{at(11, 30), 0}, {at(13, 30), at(13, 0)}},
		"set back twice":                {{at(12, 30), 0}, {at(10, 30), 0}, {at(11, 0), at(11, 0)}},
		"forward again":                 {{at(11, 30), 0}, {at(15, 30), 0}, {at(16, 0), at(16, 0)}},
		"forward to the slot it took":   {{at(11, 30), 0}, {at(15, 0), 0}, {at(14, 50), 0}, {at(15, 10), 0}},
		"by less than an interval":      {{at(14, 10), 0}, {at(15, 0), 0}, {at(16, 0), at(16, 0)}},
		"forward beyond the next, once": {{at(11, 30), 0}, {at(17, 30), at(17, 0)}},
	} {
		var s slots
		s.arm(arm, at(15, 1))
		for _, l := range looks {
			due, ok := s.take("s", l.to)
			if ok != (l.slot != 0) || due.Slot != l.slot || due.Back != (ok && l.slot < arm.From) {
				t.Errorf("%s: at %d: %+v, %t; want the slot %d", name, l.to, due, ok, l.slot)
			}
		}
	}
	var s slots
	if s.arm(arm, at(9, 30)); s[0].At != at(10, 0) { // a boot with the clock set back
		t.Errorf("it awaits %d", s[0].At)
	}
}

func TestHND43TheWallClockIsLookedAtEachHalfMinute(t *testing.T) {
	var s slots
	if wait, ok := s.wait(at(9, 0)); ok {
		t.Errorf("without a slot it waits %d", wait)
	}
	s.arm(fsm.ArmSchedule{Schedule: "b", Once: at(10, 0)}, at(9, 0))
	s.arm(fsm.ArmSchedule{Schedule: "a", Once: at(9, 10)}, at(9, 0))
	if wait, ok := s.wait(at(9, 0)); !ok || wait != WallCheck {
		t.Errorf("it waits %d; want %d", wait, WallCheck)
	}
	if wait, _ := s.wait(at(9, 10) - 500); wait != 500 {
		t.Errorf("half a second before the slot it waits %d", wait)
	}
	if wait, _ := s.wait(at(9, 11)); wait != 0 {
		t.Errorf("after the slot it waits %d", wait)
	}
}

// A schedule has one slot; arming it for a time that never comes leaves it without one.
func TestHND42AScheduleHasOneSlot(t *testing.T) {
	var s slots
	names := func() (list []string) {
		for _, one := range s {
			list = append(list, one.Schedule)
		}
		return list
	}
	for _, every := range []fsm.Millis{2000, 1000} {
		s.arm(fsm.ArmSchedule{Schedule: "b", Every: every}, 0)
		s.arm(fsm.ArmSchedule{Schedule: "a", Every: every}, 0)
	}
	if got := names(); !slices.Equal(got, []string{"a", "b"}) || s[0].At != 1000 {
		t.Errorf("the armed schedules are %v, at %d", got, s[0].At)
	}
	s.disarm("a")
	s.disarm("c")
	if s.arm(fsm.ArmSchedule{Schedule: "b", Cron: "0 0 31 2 *"}, 0) || len(names()) != 0 {
		t.Errorf("still armed are %v", names())
	}
}
