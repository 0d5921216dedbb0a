package fsm_test

import (
	"math"
	"strconv"
	"strings"
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

// HND-42, HND-43: the first slot behind From or, where slots have passed, the latest
// that has.
func TestHND43TheSlotOfASchedule(t *testing.T) {
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
		{"once that is not behind From", fsm.ArmSchedule{Once: 1}, from, ""},
		{"every minute", fsm.ArmSchedule{Cron: "* * * * *"}, from, "2026-01-05 09:01:00"},
		{"a minute of each hour", fsm.ArmSchedule{Cron: "30 * * * *"}, from, "2026-01-05 09:30:00"},
		{"steps", fsm.ArmSchedule{Cron: "*/20 * * * *"}, from, "2026-01-05 09:20:00"},
		{"steps from a number", fsm.ArmSchedule{Cron: "50/5 * * * *"}, from, "2026-01-05 09:50:00"},
		{"list", fsm.ArmSchedule{Cron: "5,50 7,23 * * *"}, from, "2026-01-05 23:05:00"},
		{"range", fsm.ArmSchedule{Cron: "0 6-8 * * *"}, from, "2026-01-06 06:00:00"},
		{"range with steps", fsm.ArmSchedule{Cron: "0 10-20/5 * * *"}, from, "2026-01-05 10:00:00"},
		{"the minute itself is not behind it", fsm.ArmSchedule{Cron: "0 9 * * *"}, from, "2026-01-06 09:00:00"},
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
			got, ok := test.arm.Next(instant(t, test.now))
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
	if got, ok := once.Next(9000); !ok || got != 5000 {
		t.Errorf("once: %d, %t", got, ok)
	}
}

// The calendar is computed and must be that of package time.
func TestTheCalendarOfSlots(t *testing.T) {
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
			slot, ok := e.Next(e.From)
			if want := fsm.Millis(at.UnixMilli()); !ok || slot != want {
				t.Fatalf("%s behind %d: slot %d, want %d", text, e.From, slot, want)
			}
			e.From = slot
		}
	}
}

// Next is total: no time makes it panic or go on without end.
func TestSlotsOfOddTimes(t *testing.T) {
	odd := []fsm.Millis{math.MinInt64, -1, 0, 1, 253402300799999, 253402300800000, math.MaxInt64}
	for _, from := range odd {
		for _, now := range odd {
			for _, e := range []fsm.ArmSchedule{{}, {Every: 1}, {Every: math.MaxInt64}, {Once: -1}, {Cron: "* * * * *"}, {Cron: "0 0 31 2 *"}, {Cron: "nonsense"}} {
				e.From = from
				if slot, ok := e.Next(now); ok && slot <= from {
					t.Errorf("%+v at %d: slot %d", e, now, slot)
				}
			}
		}
	}
}

// addCron lets the model call cron at a time, and returns the result that it sees.
func addCron(t *testing.T, now fsm.Millis, args string) (result string, armed []fsm.ArmSchedule) {
	t.Helper()
	c := fsm.DefaultProfile()
	c.Init = fsm.InitOff
	m := fsm.New()
	m.Step(fsm.Input{At: now, Fact: fsm.Boot{Config: c}})
	key := fsm.RequestKey{Principal: "local", Channel: "cli", ID: "a"}
	effects := m.Step(fsm.Input{At: now, Fact: fsm.Requested{Request: key, Text: "remind me"}})
	for range 10 {
		var next fsm.Input
		for _, e := range effects {
			switch e := e.(type) {
			case fsm.LoadSession:
				next = fsm.Input{At: now, Fact: fsm.SessionLoaded{Answered: fsm.To(e.Call)}}
			case fsm.ArmSchedule:
				armed = append(armed, e)
			case fsm.AskBrain:
				if last := e.Conversation.Messages[len(e.Conversation.Messages)-1]; last.Role == fsm.RoleTool {
					result = last.Text
					continue
				}
				next = fsm.Input{At: now, Fact: fsm.BrainAnswered{Answered: fsm.To(e.Call), Calls: []fsm.ToolCall{{ID: "1", Name: fsm.ToolCron, Args: args}}}}
			}
		}
		if next.Fact == nil {
			return result, armed
		}
		effects = m.Step(next)
	}
	t.Fatal("the request does not come to its end")
	return "", nil
}

// HND-42: what is wrong with a schedule is a result that the model sees, and nothing
// is armed.
func TestHND42AScheduleThatCannotBeIsAResult(t *testing.T) {
	now := instant(t, "2026-01-05 09:00:00")
	for args, want := range map[string]string{
		`{"action":"add","message":"m","cron_expr":"0 9 * * 1-5"}`:                  "",
		`{"action":"add","message":"m","at":"2026-01-05T09:00:01Z"}`:                "",
		`{"action":"add","message":"m","every_seconds":1}`:                          "",
		`{"action":"add","message":"m","at":"2026-01-05T09:00:00Z"}`:                "at is in the past; it is 2026-01-05 09:00 in UTC",
		`{"action":"add","message":"m","at":"2026-02-30T09:00:00Z"}`:                "at is not a time such as",
		`{"action":"add","message":"m","cron_expr":"0 0 31 2 *"}`:                   "cron_expr never comes due",
		`{"action":"add","message":"m","cron_expr":"@daily"}`:                       "five fields",
		`{"action":"add","message":"m","cron_expr":"0 9 * * MON"}`:                  `the weekday of cron_expr takes numbers from 0 to 7`,
		`{"action":"add","message":"m","cron_expr":"0 9 * * *","every_seconds":60}`: "give exactly one of",
	} { // order-free
		result, armed := addCron(t, now, args)
		if want == "" {
			if len(armed) != 1 || result != "schedule s1 added" {
				t.Errorf("%s: %q, armed %+v", args, result, armed)
			} else if slot, ok := armed[0].Next(now); !ok || slot <= now {
				t.Errorf("%s: %+v has no slot to come", args, armed[0])
			}
			continue
		}
		if len(armed) != 0 || !strings.Contains(result, want) || !strings.HasPrefix(result, "error: ") {
			t.Errorf("%s: %q, want %q and nothing armed (%+v)", args, result, want, armed)
		}
	}
	for _, cron := range []string{
		"* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "x * * * *", "*/0 * * * *",
		"5-1 * * * *", "1- * * * *", ", * * * *", "*/x * * * *", "-1 * * * *", "+1 * * * *", "*/ * * * *", "1-2-3 * * * *", "001 * * * *",
	} {
		if result, armed := addCron(t, now, `{"action":"add","message":"m","cron_expr":"`+cron+`"}`); len(armed) != 0 {
			t.Errorf("%q is taken: %s", cron, result)
		}
		if slot, ok := (fsm.ArmSchedule{Cron: cron}).Next(now); ok {
			t.Errorf("%q has the slot %d", cron, slot)
		}
	}
}

// ticking returns a driver whose model has armed a schedule, and works on.
func ticking(t *testing.T, seconds int) (*driver, fsm.Schedule) {
	d := newDriver(t)
	d.config = fsm.NanobotProfile()
	d.boot()
	d.ask("tick")
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad))}})
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{
		{Name: fsm.ToolCron, Args: `{"action":"add","message":"tick","every_seconds":` + strconv.Itoa(seconds) + `}`},
	}}})
	return d, d.m.View().Schedules[0]
}

// HND-47: a slot that is told again, or late, is not taken again.
func TestHND42ASlotIsTakenOnce(t *testing.T) {
	d, arm := ticking(t, 60)
	slot := arm.Last + 60*fsm.Second
	before := d.m.View().LastHandle
	for range 3 {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: arm.ID, Slot: slot}})
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: arm.ID, Slot: slot - 1}})
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: "s9", Slot: slot + 60*fsm.Second}})
	if n := d.m.View().LastHandle - before; n != 1 {
		t.Errorf("%d handles for one slot", n)
	}
	if n := d.m.View().Ignored.Slots; n != 4 {
		t.Errorf("%d slots ignored, want 4", n)
	}
}

// HND-47: slots that come faster than they are worked off do not pile up.
func TestHND42SlotsThatComeTooFastJoin(t *testing.T) {
	d, arm := ticking(t, 1)
	for n := range 5 {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: arm.ID, Slot: arm.Last + fsm.Millis(n+1)*fsm.Second}})
	}
	d.inStates(fsm.Execution, fsm.Queued)
	if last := d.m.View().Schedules[0].Last; last != arm.Last+5*fsm.Second {
		t.Errorf("the slot taken last is %d behind the schedule's making", last-arm.Last)
	}
}
