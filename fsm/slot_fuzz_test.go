package fsm_test

import (
	"testing"
	"time"

	"shelly/fsm"
)

// Whatever a schedule says, its slot is after From, a whole minute of the expression,
// the first where it is to come and the latest where slots have passed (HND-43).
func FuzzCron(f *testing.F) {
	const monday = 1767603600000 // 2026-01-05 09:00 UTC
	for _, cron := range []string{
		"* * * * *", "*/20 7,23 * * *", "50/5 10-20/5 * * 7", "0 0 29 2 *", "0 0 29 2 */7", "0 0 31 2 *", "0 0 13 * 5", "0 9 * * 1-5", "59 23 31 12 *",
		"", "* * * *", "60 * * * *", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *", "０ * * * *",
	} {
		f.Add(cron, int64(monday), int64(monday+200*86400_000))
		f.Add(cron, int64(-1), int64(0))
		f.Add(cron, int64(253402300799999), int64(-1<<63))
	}
	f.Fuzz(func(t *testing.T, cron string, from, now int64) {
		arm := fsm.ArmSchedule{Schedule: "s", Cron: cron, From: fsm.Millis(from)}
		slot, ok := arm.Next(fsm.Millis(now))
		if again, same := arm.Next(fsm.Millis(now)); again != slot || same != ok {
			t.Fatalf("%q: the slot is %d, then %d", cron, slot, again)
		}
		if !ok {
			return
		}
		if slot <= arm.From || slot%(60*fsm.Second) != 0 || time.UnixMilli(int64(slot)).UTC().Year() > 9999 {
			t.Fatalf("%q from %d: the slot is %d", cron, from, slot)
		}
		// The minute before a slot finds the slot, and nothing lies between.
		before := fsm.ArmSchedule{Cron: cron, From: slot - 1}
		if first, ok := before.Next(slot - 1); !ok || first != slot {
			t.Fatalf("%q: %d is a slot, and from right before it the first is %d", cron, slot, first)
		}
		if slot <= fsm.Millis(now) {
			behind := fsm.ArmSchedule{Cron: cron, From: slot}
			if later, ok := behind.Next(slot); ok && later <= fsm.Millis(now) {
				t.Errorf("%q at %d: the slot is %d, and %d has passed too", cron, now, slot, later)
			}
			return
		}
		for at := slot - 60*fsm.Second; at > arm.From && at > slot-3*86400*fsm.Second; at -= 60 * fsm.Second {
			if s, ok := (fsm.ArmSchedule{Cron: cron, From: at - 1}).Next(at - 1); ok && s == at {
				t.Fatalf("%q from %d: the slot is %d, and %d comes first", cron, from, slot, at)
			}
		}
	})
}
