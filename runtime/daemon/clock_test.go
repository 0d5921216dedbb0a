package daemon

import (
	"testing"
	"time"

	"shelly/fsm"
)

// A wall clock that jumps forward brings the latest slot that it has passed, once; one
// that jumps back brings none before its time, and none again (HND-43).
func TestHND43SlotsWhenTheWallClockJumps(t *testing.T) {
	hour := func(h int, m int) time.Time { return time.Date(2026, 1, 31, h, m, 0, 0, time.UTC) }
	now := hour(9, 0)
	d := &Daemon{o: Options{Now: func() time.Time { return now }}, schedules: map[string]*slot{}}
	arm := fsm.ArmSchedule{Schedule: "s", Every: 3600 * fsm.Second, From: fsm.Millis(now.UnixMilli())}
	looks := func() fsm.Input {
		s := d.schedules["s"]
		s.timer.Stop() // the look is ours
		return d.due(s)
	}
	d.armSchedule(arm)
	defer d.disarmSchedule("s")
	for _, jump := range []struct {
		to   time.Time
		slot time.Time // zero: none
	}{
		{hour(9, 59), time.Time{}},
		{hour(13, 30), hour(13, 0)},
		{hour(12, 10), time.Time{}}, // back
		{hour(13, 0), time.Time{}},  // the slot that was taken
		{hour(13, 59), time.Time{}},
		{hour(14, 0), hour(14, 0)},
	} {
		now = jump.to
		in := looks()
		if (in.Fact == nil) != jump.slot.IsZero() {
			t.Fatalf("at %s: %+v", now, in)
		}
		if in.Fact == nil {
			continue
		}
		due := in.Fact.(fsm.ScheduleDue)
		if due.Slot != fsm.Millis(jump.slot.UnixMilli()) || in.At != fsm.Millis(now.UnixMilli()) {
			t.Fatalf("at %s: %+v, want the slot of %s", now, due, jump.slot)
		}
		arm.From = due.Slot // as the machine asks for the next
		d.armSchedule(arm)
	}
}
