package machine_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// addCron makes the model call cron at a time, and returns the result that it sees.
func addCron(t *testing.T, now fsm.Millis, args string) (result string, armed []fsm.ArmSchedule) {
	t.Helper()
	return addCronWith(t, profile.Default(), now, args)
}

func addCronWith(t *testing.T, c fsm.Config, now fsm.Millis, args string) (result string, armed []fsm.ArmSchedule) {
	t.Helper()
	c.Init = fsm.InitOff
	m := machine.New()
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
	t.Fatal("the request does not end")
	return "", nil
}

// HND-42: the model sees as a result what is wrong with a schedule, and nothing is armed.
func TestHND42AScheduleThatCannotBeIsAResult(t *testing.T) {
	const now fsm.Millis = 1767603600000 // 2026-01-05 09:00:00
	for args, want := range map[string]string{
		`{"action":"add","message":"m","cron_expr":"0 9 * * 1-5"}`:                  "",
		`{"action":"add","message":"m","at":"2026-01-05T09:00:01Z"}`:                "",
		`{"action":"add","message":"m","every_seconds":1}`:                          "",
		`{"action":"add","message":"m","at":"2026-01-05T09:00:00Z"}`:                "at is in the past; it is 2026-01-05 09:00 UTC, Monday",
		`{"action":"add","message":"m","at":"2026-02-30T09:00:00Z"}`:                "at is not a time such as",
		`{"action":"add","message":"m","cron_expr":"0 0 31 2 *"}`:                   "cron_expr never comes due",
		`{"action":"add","message":"m","cron_expr":"@nightly"}`:                     "five fields",
		`{"action":"add","message":"m","cron_expr":"0 9 * * MOON"}`:                 `the weekday of cron_expr takes numbers from 0 to 7`,
		`{"action":"add","message":"m","cron_expr":"0 9 * * 0ſ"}`:                   `the weekday of cron_expr takes numbers from 0 to 7`,
		`{"action":"add","message":"m","cron_expr":"0 9 * * *","every_seconds":60}`: "give exactly one of",
	} { // order-free
		result, armed := addCron(t, now, args)
		if want == "" {
			if len(armed) != 1 || !strings.HasPrefix(result, "schedule s1 added; it runs next at 2026-01-0") {
				t.Errorf("%s: %q, armed %+v", args, result, armed)
			} else if slot, ok := cron.Next(armed[0], now); !ok || slot <= now {
				t.Errorf("%s: %+v has no future slot", args, armed[0])
			}
			continue
		}
		if len(armed) != 0 || !strings.Contains(result, want) || !strings.HasPrefix(result, "error: ") {
			t.Errorf("%s: %q, want %q and nothing armed (%+v)", args, result, want, armed)
		}
	}
	for _, expr := range []string{
		"* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "x * * * *", "*/0 * * * *",
		"5-1 * * * *", "1- * * * *", ", * * * *", "*/x * * * *", "-1 * * * *", "+1 * * * *", "*/ * * * *", "1-2-3 * * * *", "001 * * * *",
	} {
		if result, armed := addCron(t, now, `{"action":"add","message":"m","cron_expr":"`+expr+`"}`); len(armed) != 0 {
			t.Errorf("%q is accepted: %s", expr, result)
		}
		if slot, ok := cron.Next(fsm.ArmSchedule{Cron: expr}, now); ok {
			t.Errorf("%q has the slot %d", expr, slot)
		}
	}
}

// ticking returns a driver whose model has armed a schedule and is still working.
func ticking(t *testing.T, seconds int) (*driver, fsm.Schedule) {
	d := newDriver(t)
	d.config = profile.Nanobot()
	d.boot()
	d.ask("tick")
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad))}})
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{
		{Name: fsm.ToolCron, Args: `{"action":"add","message":"tick","every_seconds":` + strconv.Itoa(seconds) + `}`},
	}}})
	return d, d.m.View().Schedules[0]
}

// HND-47: a slot that is reported again, or late, is not taken again.
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

// HND-47: slots that come faster than they are handled do not pile up.
func TestHND42SlotsThatComeTooFastJoin(t *testing.T) {
	d, arm := ticking(t, 1)
	for n := range 5 {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: arm.ID, Slot: arm.Last + fsm.Millis(n+1)*fsm.Second}})
	}
	d.inStates(state.Execution, state.Queued)
	if last := d.m.View().Schedules[0].Last; last != arm.Last+5*fsm.Second {
		t.Errorf("the last slot taken is %d ms after the schedule was made", last-arm.Last)
	}
}

// HND-48: times as people say them are read since the twentieth edition.
func TestHND48EarlierEditionsReadDatesAlone(t *testing.T) {
	const now fsm.Millis = 1767603600000       // 2026-01-05 09:00:00
	for edition, want := range map[int]string{ // order-free
		fsm.TwentiethEdition: "schedule s1 added; it runs next at 2026-01-05 09:20", fsm.NineteenthEdition: "at is not a time such as",
	} {
		c := profile.Default()
		c.Edition = edition
		if result, armed := addCronWith(t, c, now, `{"action":"add","message":"m","at":"in 20 minutes"}`); !strings.Contains(result, want) || len(armed) != edition-fsm.NineteenthEdition {
			t.Errorf("edition %d: %q, armed %v", edition, result, armed)
		}
	}
}

// HND-48: what people say is put in plain words since the twenty-first edition, and 1 7:30 is not 17:30 any more.
func TestHND48TheTwentiethEditionReadsTheWordsAsTheyAre(t *testing.T) {
	const now fsm.Millis = 1767603600000       // 2026-01-05 09:00:00
	for edition, want := range map[int][]bool{ // order-free
		fsm.TwentyFirstEdition: {true, false}, fsm.TwentiethEdition: {false, true},
	} {
		c := profile.Default()
		c.Edition = edition
		for i, at := range []string{"in two hours", "1 7:30"} {
			result, _ := addCronWith(t, c, now, fmt.Sprintf(`{"action":"add","message":"m","at":%q}`, at))
			if got := strings.Contains(result, "schedule s1 added"); got != want[i] {
				t.Errorf("edition %d, %s: %q", edition, at, result)
			}
		}
	}
}

// HND-42: the longest interval is accepted, and a longer one is not.
func TestHND42AnIntervalIsBounded(t *testing.T) {
	const now fsm.Millis = 1767603600000                                            // 2026-01-05 09:00:00
	for seconds, refused := range map[int64]bool{1 << 40: false, 1<<40 + 1: true} { // order-free
		result, _ := addCron(t, now, fmt.Sprintf(`{"action":"add","message":"m","every_seconds":%d}`, seconds))
		if got := strings.Contains(result, "give exactly one of"); got != refused {
			t.Errorf("%d s: %q", seconds, result)
		}
	}
}
