package sim

import (
	"testing"
	"time"

	"shelly/fsm"
)

func instant(t *testing.T, text string) fsm.Millis {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return fsm.Millis(at.UnixMilli())
}

// HND-42, HND-43: the first slot behind From or, where it has passed, the latest that
// has.
func TestSlotsOfASchedule(t *testing.T) {
	const from = "2026-01-05 09:00:00" // a Monday
	tests := []struct {
		name      string
		arm       fsm.ArmSchedule
		now, want string // empty: there is none
	}{
		{"interval ahead", fsm.ArmSchedule{Every: 60_000}, from, "2026-01-05 09:01:00"},
		{"interval that has just come", fsm.ArmSchedule{Every: 60_000}, "2026-01-05 09:01:00", "2026-01-05 09:01:00"},
		{"intervals that were missed", fsm.ArmSchedule{Every: 60_000}, "2026-01-05 09:10:30", "2026-01-05 09:10:00"},
		{"once ahead", fsm.ArmSchedule{Once: 1}, from, ""},
		{"every minute", fsm.ArmSchedule{Cron: "* * * * *"}, from, "2026-01-05 09:01:00"},
		{"a minute of each hour", fsm.ArmSchedule{Cron: "30 * * * *"}, from, "2026-01-05 09:30:00"},
		{"steps", fsm.ArmSchedule{Cron: "*/20 * * * *"}, from, "2026-01-05 09:20:00"},
		{"list", fsm.ArmSchedule{Cron: "5,50 7,23 * * *"}, from, "2026-01-05 23:05:00"},
		{"range", fsm.ArmSchedule{Cron: "0 6-8 * * *"}, from, "2026-01-06 06:00:00"},
		{"range with steps", fsm.ArmSchedule{Cron: "0 10-20/5 * * *"}, from, "2026-01-05 10:00:00"},
		{"the minute itself is not behind it", fsm.ArmSchedule{Cron: "0 9 * * *"}, from, "2026-01-06 09:00:00"},
		{"day of the month", fsm.ArmSchedule{Cron: "0 0 1 * *"}, from, "2026-02-01 00:00:00"},
		{"month", fsm.ArmSchedule{Cron: "0 0 1 6 *"}, from, "2026-06-01 00:00:00"},
		{"weekday", fsm.ArmSchedule{Cron: "0 9 * * 5"}, from, "2026-01-09 09:00:00"},
		{"Sunday is 0", fsm.ArmSchedule{Cron: "0 9 * * 0"}, from, "2026-01-11 09:00:00"},
		{"and 7", fsm.ArmSchedule{Cron: "0 9 * * 7"}, from, "2026-01-11 09:00:00"},
		{"either day", fsm.ArmSchedule{Cron: "0 0 13 * 5"}, from, "2026-01-09 00:00:00"},
		{"leap day", fsm.ArmSchedule{Cron: "0 0 29 2 *"}, from, "2028-02-29 00:00:00"},
		{"no such day", fsm.ArmSchedule{Cron: "0 0 31 2 *"}, from, ""},
		{"missed cron slots", fsm.ArmSchedule{Cron: "0 9 * * *"}, "2026-01-20 08:59:00", "2026-01-19 09:00:00"},
		{"missed cron slots of years", fsm.ArmSchedule{Cron: "0 0 29 2 *"}, "2035-01-01 00:00:00", "2032-02-29 00:00:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.arm.From = instant(t, from)
			got, ok, err := slotOf(test.arm, instant(t, test.now))
			if err != nil {
				t.Fatal(err)
			}
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
	if got, ok, _ := slotOf(once, 9000); !ok || got != 5000 {
		t.Errorf("once: %d, %t", got, ok)
	}
}

func TestCronThatIsNone(t *testing.T) {
	for _, text := range []string{
		"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
		"x * * * *", "*/0 * * * *", "5-1 * * * *", "1- * * * *", ", * * * *", "*/x * * * *", "-1 * * * *",
	} {
		if c, err := parseCron(text); err == nil {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
}

// A schedule has always another slot, yet a run ends.
func TestSchedulesKeepNoRunFromItsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		until fsm.Millis
		slots int
	}{{"none wanted", 0, 0}, {"three wanted", 3 * 60_000, 3}} {
		t.Run(test.name, func(t *testing.T) {
			p := Plan{Config: fsm.ShellyProfile(), Until: test.until}
			p.Config.Init = fsm.InitOff
			r := newRun(&p, Options{})
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			due := 0
			for from := fsm.Millis(0); ; due++ {
				r.world.arm(fsm.ArmSchedule{Schedule: "s", Every: 60_000, From: from})
				if r.over() {
					break
				}
				next, _ := r.world.agenda.pop(r.choose)
				from = next.fact.(fsm.ScheduleDue).Slot
			}
			if due != test.slots {
				t.Errorf("%d slots, want %d", due, test.slots)
			}
		})
	}
}

func TestArmingAgainAndDisarming(t *testing.T) {
	w := &world{result: &Result{}}
	for _, every := range []fsm.Millis{1000, 2000} {
		w.arm(fsm.ArmSchedule{Schedule: "a", Every: every})
	}
	w.arm(fsm.ArmSchedule{Schedule: "b", Once: 500})
	if n := len(w.agenda.items); n != 2 {
		t.Fatalf("%d slots on the agenda, want one for each schedule", n)
	}
	w.disarm("b")
	if d, _ := w.agenda.pop(First{}); d.schedule != "a" || d.at != 2000 || len(w.agenda.items) != 0 {
		t.Errorf("left: %+v", d)
	}
	w.arm(fsm.ArmSchedule{Schedule: "c", Cron: "nonsense"})
	if len(w.result.Unexpected) != 1 || len(w.agenda.items) != 0 {
		t.Errorf("a schedule that cannot be read: %v", w.result.Unexpected)
	}
}
