package cron_test

import (
	"math"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/cron"
)

func instant(t *testing.T, text string) fsm.Millis {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return fsm.Millis(at.UnixMilli())
}

// HND-42, HND-43: the first slot after From or, if slots have passed, the latest of them.
func TestHND43TheLatestSlotThatHasPassedIsDue(t *testing.T) {
	const from = "2026-01-05 09:00:00" // a Monday
	tests := []struct {
		name      string
		arm       fsm.ArmSchedule
		now, want string // empty: there is none
	}{
		{"interval ahead", fsm.ArmSchedule{Every: 60_000}, from, "2026-01-05 09:01:00"},
		{"interval that has just come", fsm.ArmSchedule{Every: 60_000}, "2026-01-05 09:01:00", "2026-01-05 09:01:00"},
		{"intervals that were missed", fsm.ArmSchedule{Every: 60_000}, "2026-01-05 09:10:30", "2026-01-05 09:10:00"},
		{"a clock that was put back", fsm.ArmSchedule{Every: 60_000}, "2020-01-01 00:00:00", "2026-01-05 09:01:00"},
		{"an interval beyond all dates", fsm.ArmSchedule{Every: math.MaxInt64}, from, ""},
		{"once that is not after From", fsm.ArmSchedule{Once: 1}, from, ""},
		{"every minute", fsm.ArmSchedule{Cron: "* * * * *"}, from, "2026-01-05 09:01:00"},
		{"a minute of each hour", fsm.ArmSchedule{Cron: "30 * * * *"}, from, "2026-01-05 09:30:00"},
		{"steps", fsm.ArmSchedule{Cron: "*/20 * * * *"}, from, "2026-01-05 09:20:00"},
		{"steps from a number", fsm.ArmSchedule{Cron: "50/5 * * * *"}, from, "2026-01-05 09:50:00"},
		{"list", fsm.ArmSchedule{Cron: "5,50 7,23 * * *"}, from, "2026-01-05 23:05:00"},
		{"range", fsm.ArmSchedule{Cron: "0 6-8 * * *"}, from, "2026-01-06 06:00:00"},
		{"range with steps", fsm.ArmSchedule{Cron: "0 10-20/5 * * *"}, from, "2026-01-05 10:00:00"},
		{"the minute itself is not after it", fsm.ArmSchedule{Cron: "0 9 * * *"}, from, "2026-01-06 09:00:00"},
		{"day of the month", fsm.ArmSchedule{Cron: "0 0 1 * *"}, from, "2026-02-01 00:00:00"},
		{"a day that not each month has", fsm.ArmSchedule{Cron: "0 0 31 2-5 *"}, from, "2026-03-31 00:00:00"},
		{"month", fsm.ArmSchedule{Cron: "0 0 1 6 *"}, from, "2026-06-01 00:00:00"},
		{"weekday", fsm.ArmSchedule{Cron: "0 9 * * 5"}, from, "2026-01-09 09:00:00"},
		{"Sunday is 0", fsm.ArmSchedule{Cron: "0 9 * * 0"}, from, "2026-01-11 09:00:00"},
		{"and 7", fsm.ArmSchedule{Cron: "0 9 * * 7"}, from, "2026-01-11 09:00:00"},
		{"either day", fsm.ArmSchedule{Cron: "0 0 13 * 5"}, from, "2026-01-09 00:00:00"},
		{"leap day", fsm.ArmSchedule{Cron: "0 0 29 2 *"}, from, "2028-02-29 00:00:00"},
		{"a leap day that is a Sunday", fsm.ArmSchedule{Cron: "0 0 29 2 */7"}, from, "2032-02-29 00:00:00"},
		{"no such day", fsm.ArmSchedule{Cron: "0 0 31 2 *"}, from, ""},
		{"missed cron slots", fsm.ArmSchedule{Cron: "0 9 * * *"}, "2026-01-20 08:59:00", "2026-01-19 09:00:00"},
		{"missed cron slots of years", fsm.ArmSchedule{Cron: "0 0 29 2 *"}, "2035-01-01 00:00:00", "2032-02-29 00:00:00"},
		{"a minute of the past", fsm.ArmSchedule{Cron: "* * * * *"}, "2026-01-05 09:02:59", "2026-01-05 09:02:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.arm.From = instant(t, from)
			got, ok := cron.Next(test.arm, instant(t, test.now))
			if test.want == "" {
				if ok {
					t.Errorf("slot %s, want none", time.UnixMilli(int64(got)).UTC())
				}
				return
			}
			if want := instant(t, test.want); !ok || got != want {
				t.Errorf("slot %s (%t), want %s", time.UnixMilli(int64(got)).UTC(), ok, test.want)
			}
		})
	}
	once := fsm.ArmSchedule{Once: 5000, From: 1000}
	if got, ok := cron.Next(once, 9000); !ok || got != 5000 {
		t.Errorf("once: %d, %t", got, ok)
	}
}

// HND-65: slots come again only where one lies between the present and the last that was
// taken; those of an interval stay as far apart as they were.
func TestHND65TheSlotAfterTheClockWasSetBack(t *testing.T) {
	const from = "2026-01-05 09:10:00"
	for _, tt := range []struct {
		name      string
		arm       fsm.ArmSchedule
		now, want string // empty: it is as it was
	}{
		{"an interval, by less", fsm.ArmSchedule{Every: 600_000}, "2026-01-05 09:09:50", ""},
		{"an interval, to the slot before", fsm.ArmSchedule{Every: 600_000}, "2026-01-05 09:00:00", ""},
		{"an interval, over the slot before", fsm.ArmSchedule{Every: 600_000}, "2026-01-05 08:59:59", "2026-01-05 09:00:00"},
		{"an interval, over many", fsm.ArmSchedule{Every: 600_000}, "2020-01-01 00:03:00", "2020-01-01 00:10:00"},
		{"an interval, to a slot", fsm.ArmSchedule{Every: 600_000}, "2020-01-01 00:10:00", "2020-01-01 00:20:00"},
		{"an interval, to before 1970", fsm.ArmSchedule{Every: 600_000}, "1969-12-31 23:55:00", "1970-01-01 00:00:00"},
		{"an interval beyond all dates", fsm.ArmSchedule{Every: math.MaxInt64}, "2020-01-01 00:00:00", ""},
		{"daily, by an hour", fsm.ArmSchedule{Cron: "10 9 * * *"}, "2026-01-05 08:10:00", ""},
		{"daily, by a day", fsm.ArmSchedule{Cron: "10 9 * * *"}, "2026-01-04 09:10:00", ""},
		{"daily, by more than a day", fsm.ArmSchedule{Cron: "10 9 * * *"}, "2026-01-04 09:09:00", "2026-01-04 09:10:00"},
		{"each minute, by years", fsm.ArmSchedule{Cron: "* * * * *"}, "2020-01-01 00:00:30", "2020-01-01 00:01:00"},
		{"one time", fsm.ArmSchedule{Once: 1}, "2020-01-01 00:00:00", ""},
		{"one time that was taken", fsm.ArmSchedule{Once: 1_767_571_200_000}, "2020-01-01 00:00:00", ""},
		{"not set back", fsm.ArmSchedule{Every: 600_000}, from, ""},
		{"an interval, from 1970 to long before", fsm.ArmSchedule{Every: 600_000, From: 86_400_000}, "1969-12-01 00:03:00", "1969-12-01 00:10:00"},
		{"daily, from 1970 to long before", fsm.ArmSchedule{Cron: "10 9 * * *", From: 86_400_000}, "1969-12-01 00:03:00", "1970-01-01 09:10:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.arm.From == 0 {
				tt.arm.From = instant(t, from)
			}
			now := instant(t, tt.now)
			back, ok := cron.Back(tt.arm, now)
			if ok != (tt.want != "") {
				t.Fatalf("set back: %t; its slots are counted from %s", ok, time.UnixMilli(int64(back.From)).UTC())
			}
			if !ok {
				if back.From != tt.arm.From {
					t.Errorf("it is counted from %s", time.UnixMilli(int64(back.From)).UTC())
				}
				return
			}
			slot, _ := cron.Next(back, now)
			if awaited, _ := cron.Awaited(tt.arm, now); slot != instant(t, tt.want) || awaited != slot {
				t.Errorf("slot %s, awaited is %s, want %s", time.UnixMilli(int64(slot)).UTC(), time.UnixMilli(int64(awaited)).UTC(), tt.want)
			}
		})
	}
}

// Times beyond all dates set nothing back, however far they are from each other.
func TestHND65TimesBeyondAllDatesSetNothingBack(t *testing.T) {
	present := instant(t, "2026-01-05 09:10:00")
	for _, tt := range []struct{ from, now fsm.Millis }{
		{present, math.MinInt64}, {present, math.MinInt64 + 600_000}, {math.MaxInt64, present}, {math.MaxInt64, math.MinInt64}, {present, -300_000_000_000_000},
		{300_000_000_000_000, present},
	} {
		for _, arm := range []fsm.ArmSchedule{{Every: 600_000}, {Cron: "* * * * *"}, {Once: 1}} {
			arm.From = tt.from
			if back, ok := cron.Back(arm, tt.now); ok || back.From != tt.from {
				t.Errorf("%+v, now %d: it is counted from %d", arm, tt.now, back.From)
			}
		}
	}
}

func TestHND43AFieldIsWithinItsBounds(t *testing.T) {
	for expr, bad := range map[string]bool{ // order-free: each alone
		"0 0 1 1 0": false, "59 23 31 12 7": false, "0 0 1-31 * SAT-SUN": false,
		"0 0 * jan-Sept monday": false, "0 0 * janx *": true, "0 0 * ju *": true, "0 0 * anf *": true, "0 0 * * may": true,
		"60 * * * *": true, "5-60 * * * *": true, "* 24 * * *": true, "* * 0 * *": true, "* * 0-5 * *": true, "* * 32 * *": true, "* * * 0 *": true,
		"* * * 13 *": true, "* * * * 8": true, "10-5 * * * *": true, "*/0 * * * *": true,
	} {
		if _, _, got := cron.Problem(expr, &fsm.Zone{}, 0); got != bad {
			t.Errorf("%s is refused: %t", expr, got)
		}
	}
}

// The calendar is computed, and must agree with package time.
func TestSlotsAgreeWithTheCalendar(t *testing.T) {
	slots := map[string]func(time.Time) bool{
		"0 0 * * 1":  func(at time.Time) bool { return at.Weekday() == time.Monday },
		"0 0 28 2 *": func(at time.Time) bool { return at.Month() == time.February && at.Day() == 28 },
		"0 0 1 * *":  func(at time.Time) bool { return at.Day() == 1 },
	}
	for text, is := range slots { // order-free
		e := fsm.ArmSchedule{Cron: text, From: instant(t, "1970-01-01 12:00:00")}
		for at := time.UnixMilli(int64(e.From)).UTC().Truncate(24*time.Hour).AddDate(0, 0, 1); at.Year() < 2110; at = at.AddDate(0, 0, 1) {
			if !is(at) {
				continue
			}
			slot, ok := cron.Next(e, e.From)
			if want := fsm.Millis(at.UnixMilli()); !ok || slot != want {
				t.Fatalf("%s after %d: slot %d, want %d", text, e.From, slot, want)
			}
			e.From = slot
		}
	}
}

// Next is total: no time makes it panic or loop forever.
// There is no slot after the last minute of the year 9999.
func TestHND43NoSlotIsAfterTheYear9999(t *testing.T) {
	const last = 253402300799999
	for _, tt := range []struct {
		arm       fsm.ArmSchedule
		now, want fsm.Millis
		ok        bool
	}{
		{fsm.ArmSchedule{Every: 10, From: last - 10}, last - 10, last, true},
		{fsm.ArmSchedule{Every: 11, From: last - 10}, last - 10, 0, false},
		{fsm.ArmSchedule{Every: 10, From: last - 10}, last, last, true},
		{fsm.ArmSchedule{Every: 10, From: last - 10}, last + 1, 0, false},
		{fsm.ArmSchedule{Every: 10, From: -last}, -last, -last + 10, true},
		{fsm.ArmSchedule{Every: 10, From: -last - 1}, 0, 0, false},
		{fsm.ArmSchedule{Cron: "59 23 31 12 *", From: last - 60_000}, last - 60_000, last - 59_999, true},
		{fsm.ArmSchedule{Cron: "0 0 1 1 *", From: last - 60_000}, last - 60_000, 0, false},
	} {
		got, ok := cron.Next(tt.arm, tt.now)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%+v at %d: %d (%t), want %d (%t)", tt.arm, tt.now, got, ok, tt.want, tt.ok)
		}
	}
}

func TestNoSlotIsBeforeItsSchedule(t *testing.T) {
	odd := []fsm.Millis{math.MinInt64, -1, 0, 1, 253402300799999, 253402300800000, math.MaxInt64}
	for _, from := range odd {
		for _, now := range odd {
			for _, e := range []fsm.ArmSchedule{{}, {Every: 1}, {Every: math.MaxInt64}, {Once: -1}, {Cron: "* * * * *"}, {Cron: "0 0 31 2 *"}, {Cron: "nonsense"}} {
				e.From = from
				if slot, ok := cron.Next(e, now); ok && slot <= from {
					t.Errorf("%+v at %d: slot %d", e, now, slot)
				}
			}
		}
	}
}

// If the clocks change by half an hour, an hourly schedule follows the new local time (HND-48).
func TestHND48ClocksThatAreSetByHalfAnHour(t *testing.T) {
	zone := fsm.Zone{Name: "Australia/Lord_Howe", Offset: 37_800, Changes: []fsm.Change{{At: instant(t, "2026-10-03 15:30:00"), Offset: 39_600}}}
	for cronExpr, want := range map[string]string{"0 * * * *": "2026-10-03 16:00:00", "30 * * * *": "2026-10-03 15:30:00", "15 * * * *": "2026-10-03 16:15:00"} {
		from := instant(t, "2026-10-03 15:01:00") // 01:31 as the clocks show it; at 02:00 they show 02:30
		got, ok := cron.Next(fsm.ArmSchedule{Cron: cronExpr, Zone: zone, From: from}, from)
		if !ok || got != instant(t, want) {
			t.Errorf("%s: %v, %t, want %s", cronExpr, time.UnixMilli(int64(got)).UTC(), ok, want)
		}
	}
}

// A change of the clocks within a minute is not a slot of a schedule of every minute.
func TestHND48AChangeWithinAMinuteIsNotASlot(t *testing.T) {
	zone := fsm.Zone{Name: "Mean/Time", Offset: 90, Changes: []fsm.Change{{At: instant(t, "2026-10-03 15:30:30"), Offset: 60}}}
	from := instant(t, "2026-10-03 15:30:20")
	got, ok := cron.Next(fsm.ArmSchedule{Cron: "* * * * *", Zone: zone, From: from}, from)
	if want := instant(t, "2026-10-03 15:31:00"); !ok || got != want {
		t.Errorf("got %v, %t, %v; want ok true, got %v", time.UnixMilli(int64(got)).UTC(), ok, got, want)
	}
}

// An expression of every hour has each hour that the clocks show: those before a change, and
// twice an hour that comes twice, be it the first that has slots at all (HND-48).
func TestHND48EveryHourAroundAChange(t *testing.T) {
	berlin := fsm.Zone{Name: "Europe/Berlin", Offset: 3600, Changes: []fsm.Change{{At: instant(t, "2026-03-29 01:00:00"), Offset: 7200}, {At: instant(t, "2026-10-25 01:00:00"), Offset: 3600}}}
	lima := fsm.Zone{Name: "America/Lima", Offset: -4 * 3600, Changes: []fsm.Change{{At: instant(t, "1990-04-01 04:00:00"), Offset: -5 * 3600}}}
	for _, tt := range []struct {
		zone fsm.Zone
		from string
		want []string
	}{
		{berlin, "2026-03-28 22:30:00", []string{"2026-03-28 23:00:00", "2026-03-29 00:00:00", "2026-03-29 01:00:00", "2026-03-29 02:00:00"}},
		{berlin, "2026-10-24 22:30:00", []string{"2026-10-24 23:00:00", "2026-10-25 00:00:00", "2026-10-25 01:00:00", "2026-10-25 02:00:00"}},
		{lima, "1990-04-01 01:30:00", []string{"1990-04-01 02:00:00", "1990-04-01 03:00:00", "1990-04-01 04:00:00", "1990-04-01 05:00:00"}},
		{fsm.Zone{Offset: 3600, Changes: []fsm.Change{{At: 0}}}, "1969-12-31 22:30:00", []string{"1969-12-31 23:00:00", "1970-01-01 00:00:00", "1970-01-01 01:00:00"}},
	} {
		at := instant(t, tt.from)
		for _, want := range tt.want {
			got, ok := cron.Next(fsm.ArmSchedule{Cron: "0 * * * *", Zone: tt.zone, From: at}, at)
			if !ok || got != instant(t, want) {
				t.Fatalf("%s, from %s: %v, %t, want %s", tt.zone.Name, time.UnixMilli(int64(at)).UTC(), time.UnixMilli(int64(got)).UTC(), ok, want)
			}
			at = got
		}
	}
}
