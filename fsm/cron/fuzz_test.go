package cron_test

import (
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/cron"
)

// However a time is written, it is at most a day ago and ten years ahead, unless it has a date.
func FuzzWhen(f *testing.F) {
	for _, text := range []string{"20m", "in 2 days", "1h30m", "17:30", "9 pm", "tomorrow 9:00", "friday at 8:05", "2026-01-31T09:00:00.000Z", "in an hour, 5 secs", "12:00:00am", "tonight 1 am", "half an hour from now, pt"} {
		f.Add(text, int64(1767603600000))
		f.Add(text, int64(-1))
	}
	f.Fuzz(func(t *testing.T, text string, now int64) {
		if now < -1<<50 || now > 1<<50 {
			return
		}
		if plain, ok := cron.Plain(text); ok {
			text = plain
		}
		at, ok := cron.When(text, &fsm.Zone{Offset: 3600}, fsm.Millis(now))
		if again, same := cron.When(text, &fsm.Zone{Offset: 3600}, fsm.Millis(now)); again != at || same != ok {
			t.Fatalf("%q: %d, then %d", text, at, again)
		}
		const day = 86400_000
		if dated := strings.Contains(text, "-"); ok && !dated && (at < fsm.Millis(now)-day || at > fsm.Millis(now)+10*366*day+day) {
			t.Fatalf("%q at %d: %d", text, now, at)
		}
	})
}

// Whatever a schedule says, its slot is after From and a whole minute of the expression:
// the first one if that is still to come, else the latest that has passed (HND-43).
func FuzzCron(f *testing.F) {
	const monday = 1767603600000 // 2026-01-05 09:00 UTC
	for _, expr := range []string{
		"* * * * *", "*/20 7,23 * * *", "50/5 10-20/5 * * 7", "0 0 29 2 *", "0 0 29 2 */7", "0 0 31 2 *", "0 0 13 * 5", "0 9 * * 1-5", "59 23 31 12 *",
		"", "* * * *", "60 * * * *", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *", "０ * * * *", "0 0 * * 0ſ", "* * * ſı *",
	} {
		f.Add(expr, int64(monday), int64(monday+200*86400_000))
		f.Add(expr, int64(-1), int64(0))
		f.Add(expr, int64(253402300799999), int64(-1<<63))
	}
	f.Fuzz(func(t *testing.T, expr string, from, now int64) {
		arm := fsm.ArmSchedule{Schedule: "s", Cron: expr, From: fsm.Millis(from)}
		slot, ok := cron.Next(arm, fsm.Millis(now))
		if again, same := cron.Next(arm, fsm.Millis(now)); again != slot || same != ok {
			t.Fatalf("%q: the slot is %d, then %d", expr, slot, again)
		}
		if !ok {
			return
		}
		if slot <= arm.From || slot%(60*fsm.Second) != 0 || time.UnixMilli(int64(slot)).UTC().Year() > 9999 {
			t.Fatalf("%q from %d: the slot is %d", expr, from, slot)
		}
		// From the minute before a slot the slot is found, and nothing in between.
		before := fsm.ArmSchedule{Cron: expr, From: slot - 1}
		if first, ok := cron.Next(before, slot-1); !ok || first != slot {
			t.Fatalf("%q: %d is a slot, but from right before it the first slot is %d", expr, slot, first)
		}
		if slot <= fsm.Millis(now) {
			behind := fsm.ArmSchedule{Cron: expr, From: slot}
			if later, ok := cron.Next(behind, slot); ok && later <= fsm.Millis(now) {
				t.Errorf("%q at %d: the slot is %d, but %d has passed too", expr, now, slot, later)
			}
			return
		}
		for at := slot - 60*fsm.Second; at > arm.From && at > slot-3*86400*fsm.Second; at -= 60 * fsm.Second {
			if s, ok := cron.Next(fsm.ArmSchedule{Cron: expr, From: at - 1}, at-1); ok && s == at {
				t.Fatalf("%q from %d: the slot is %d, but %d comes first", expr, from, slot, at)
			}
		}
	})
}
