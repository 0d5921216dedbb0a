package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

const everyMinute = `{"action":"add","message":"tick","every_seconds":60}`

// scheduled returns a driver of an idle machine with one schedule, made in a chat, that is due
// every minute.
func scheduled(t testing.TB, change func(*fsm.Config)) *driver {
	t.Helper()
	d := inChat(t, change, "tick each minute")
	d.asksFor(fsm.ToolCron, everyMinute)
	d.answer("as you wish")
	d.saves()
	d.inStates()
	return d
}

// due reports a slot, some time after the schedule was made.
func (d *driver) due(schedule string, slot fsm.Millis) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: schedule, Slot: slot}})
}

// cron makes the model call the tool cron, and returns the result.
func (d *driver) cron(args string) string {
	d.t.Helper()
	d.asksFor(fsm.ToolCron, args)
	return one[fsm.Audit](d).Result
}

func TestHND42TheModelSeesWhatIsPaused(t *testing.T) {
	d := scheduled(t, nil)
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1"}})
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Text: "tock", Cron: "@daily"}})
	d.ask("which are there?")
	d.loads(fsm.Session{})
	if got := d.cron(`{"action":"list"}`); !strings.HasPrefix(got, "s1: every 60s, paused: tick\ns2: cron @daily, next at ") {
		t.Errorf("got %q; want one beginning with %q", got, "s1: every 60s, paused: tick\ns2: cron @daily, next at ")
	}
}

func TestHND42AScheduleIsArmedWhenItIsMade(t *testing.T) {
	at := func(d *driver) fsm.Millis { return d.m.View().Now }
	tests := []struct {
		args string
		want func(*driver) fsm.ArmSchedule
	}{
		{everyMinute, func(d *driver) fsm.ArmSchedule {
			return fsm.ArmSchedule{Schedule: "s1", Every: 60 * fsm.Second, From: at(d)}
		}},
		{`{"action":"add","message":"tick","cron_expr":" 0 9 * * 1 "}`, func(d *driver) fsm.ArmSchedule {
			return fsm.ArmSchedule{Schedule: "s1", Cron: "0 9 * * 1", From: at(d)}
		}},
		{`{"action":"add","message":"tick","at":"1970-01-02T00:00:00Z"}`, func(d *driver) fsm.ArmSchedule {
			return fsm.ArmSchedule{Schedule: "s1", Once: 86400 * fsm.Second, From: at(d)}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			d, _ := inTurn(t, "nanobot", nil)
			if got := d.cron(tt.args); !strings.HasPrefix(got, "schedule s1 added; it runs next at 1970-01-0") {
				t.Errorf("the result is %q", got)
			}
			same(t, tt.want(d), one[fsm.ArmSchedule](d))
		})
	}
}

func TestHND42SchedulesAreListedAndRemoved(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil)
	if got := d.cron(`{"action":"list"}`); got != "There are no schedules." {
		t.Errorf("the list is %q", got)
	}
	d.cron(everyMinute)
	d.cron(`{"action":"add","message":"on Mondays","cron_expr":"0 9 * * 1"}`)
	d.cron(`{"action":"add","message":"once","at":"1970-01-02T03:04:05Z"}`)
	want := "s1: every 60s, next at 1970-01-01 00:17 UTC, Thursday: tick\ns2: cron 0 9 * * 1, next at 1970-01-05 09:00 UTC, Monday: on Mondays\n" +
		"s3: once, next at 1970-01-02 03:04 UTC, Friday: once"
	same(t, want, d.cron(`{"action":"list"}`))
	if got := d.cron(`{"action":"remove","job_id":"s2"}`); got != "schedule s2 removed" {
		t.Errorf("the result is %q", got)
	}
	if dis := one[fsm.DisarmSchedule](d); dis.Schedule != "s2" {
		t.Errorf("disarmed %+v", dis)
	}
	want = "s1: every 60s, next at 1970-01-01 00:17 UTC, Thursday: tick\ns3: once, next at 1970-01-02 03:04 UTC, Friday: once"
	same(t, want, d.cron(`{"action":"list"}`))
	if got := d.cron(everyMinute); !strings.HasPrefix(got, "schedule s4 added") { // an id is not reused
		t.Errorf("the result is %q", got)
	}
}

func TestHND42AtMostMaxSchedulesAreArmed(t *testing.T) {
	d, _ := inTurn(t, "nanobot", func(c *fsm.Config) { c.Limits.MaxSchedules = 2 })
	d.cron(everyMinute)
	d.cron(everyMinute)
	if got := d.cron(everyMinute); got != "error: not added: there are already 2 schedules (max_schedules)" {
		t.Errorf("the result is %q", got)
	}
	no[fsm.ArmSchedule](d)
	d.cron(`{"action":"remove","job_id":"s1"}`)
	if got := d.cron(everyMinute); !strings.HasPrefix(got, "schedule s3 added") {
		t.Errorf("the result is %q", got)
	}
}

func TestHND42ASlotIsAHandleAndItsAnswerAMessage(t *testing.T) {
	d := scheduled(t, nil)
	made := d.m.View().Schedules[0].Last
	d.due("s1", made+60*fsm.Second)
	h := d.active()
	if h.Kind != fsm.KindSchedule || h.Session != "schedule:s1" || h.Input != "tick" {
		t.Errorf("a %s handle of session %q with input %q", h.Kind, h.Session, h.Input)
	}
	if arm := one[fsm.ArmSchedule](d); arm.From != made+60*fsm.Second || arm.Every != 60*fsm.Second {
		t.Errorf("armed again as %+v", arm)
	}
	d.loads(fsm.Session{})
	d.answer("tock")
	want := fsm.SendMessage{Handle: h.ID, Key: "h2", Session: "schedule:s1", To: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "tock"}
	same(t, want, one[fsm.SendMessage](d))
	d.saves()
	d.inStates()
}

func TestHND42ASlotThatFailsIsSaidToo(t *testing.T) {
	d := scheduled(t, nil)
	d.due("s1", d.at+60*fsm.Second)
	d.loads(fsm.Session{})
	d.brainFails(fsm.BrainMissingModel, "gone")
	if m := one[fsm.SendMessage](d); !m.IsError || m.Text != "error: missing_model: gone" || m.To.Chat != "42" {
		t.Errorf("sends %+v", m)
	}
}

func TestHND42EachSlotIsTakenAtMostOnce(t *testing.T) {
	d := scheduled(t, nil)
	made := d.m.View().Schedules[0].Last
	slots := []struct {
		schedule string
		slot     fsm.Millis
		taken    bool
	}{
		{"s1", made + 60*fsm.Second, true},
		{"s1", made + 60*fsm.Second, false}, // reported twice
		{"s1", made, false},                 // an old one
		{"s1", -1, false},
		{"s2", made + 120*fsm.Second, false}, // there is no such schedule
		{"", made + 120*fsm.Second, false},
		{"s1", made + 600*fsm.Second, true}, // those between are skipped
		{"s1", made + 120*fsm.Second, false},
	}
	ignored := 0
	for i, tt := range slots {
		before := len(d.m.View().Handles)
		d.due(tt.schedule, tt.slot)
		if taken := len(d.m.View().Handles) > before; taken != tt.taken {
			t.Errorf("slot %d of %q is taken: %t", i, tt.schedule, taken)
		}
		if !tt.taken {
			ignored++
		}
		if n := d.m.View().Ignored.Slots; n != ignored {
			t.Errorf("slot %d: %d are counted, want %d", i, n, ignored)
		}
	}
}

// HND-65: a slot before the last one is taken if the clock was set back, but not the last
// one itself.
func TestHND65ASlotAfterTheClockWasSetBack(t *testing.T) {
	d := scheduled(t, nil)
	made := d.m.View().Schedules[0].Last
	back := func(slot fsm.Millis) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: "s1", Slot: slot, Back: true}})
	}
	d.due("s1", made+3600*fsm.Second)
	for i, tt := range []struct {
		slot fsm.Millis
		last fsm.Millis
	}{{3600, 3600}, {120, 120}, {120, 120}, {180, 180}, {60, 60}} {
		if back(made + tt.slot*fsm.Second); d.m.View().Schedules[0].Last != made+tt.last*fsm.Second {
			t.Errorf("slot %d: the last one is %d", i, d.m.View().Schedules[0].Last-made)
		}
	}
	if d.due("s1", made+120*fsm.Second); one[fsm.ArmSchedule](d).From != made+120*fsm.Second {
		t.Errorf("the next slot is not asked for: %+v", d.effects)
	}
}

// HND-65: the next run that the model is told of is still true after the clock was set back.
func TestHND65TheListAfterTheClockWasSetBack(t *testing.T) {
	for edition, want := range map[int]string{fsm.PresentEdition: ", next at 1970-01-01 00:1", fsm.ThirdEdition: ", next at 1970-01-01 00:1", fsm.SecondEdition: ", next at 1970-01-02 00:1"} { // order-free
		d := scheduled(t, func(c *fsm.Config) { c.Edition = edition })
		d.due("s1", d.m.View().Schedules[0].Last+86400*fsm.Second)
		d.ask("which are there?")
		d.loads(fsm.Session{})
		if got := d.cron(`{"action":"list"}`); !strings.Contains(got, want) {
			t.Errorf("edition %d: %q", edition, got)
		}
	}
}

func TestHND42AScheduleOfOneTimeIsGoneWhenItIsTaken(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil)
	d.cron(`{"action":"add","message":"once","at":"1970-01-02T00:00:00Z"}`)
	d.due("s1", 86400*fsm.Second)
	no[fsm.ArmSchedule](d)
	if n := len(d.m.View().Schedules); n != 0 {
		t.Errorf("%d schedules are left", n)
	}
	d.due("s1", 86400*fsm.Second)
	d.inStates(state.Execution, state.Queued)
}

func TestHND42ASlotWhileTheMachineDoesNotServeWaits(t *testing.T) {
	tests := []struct {
		name  string
		to    func(*driver)
		armed bool
	}{
		{"draining", func(d *driver) { d.ask("hello"); d.signal() }, true},
		{"farewell", func(d *driver) { d.signal() }, true},
		{"stopped", func(d *driver) { d.signal(); d.signal() }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := scheduled(t, nil)
			tt.to(d)
			slot := d.m.View().Schedules[0].Last + 60*fsm.Second
			d.due("s1", slot)
			if got := len(of[fsm.ArmSchedule](d.effects)) == 1; got != tt.armed {
				t.Errorf("it is armed again: %t", got)
			}
			d.boot()
			if arm := one[fsm.ArmSchedule](d); arm.From != slot {
				t.Errorf("armed as %+v", arm)
			}
			var kinds []fsm.Kind
			for _, h := range d.m.View().Handles {
				kinds = append(kinds, h.Kind)
			}
			if len(kinds) == 0 || kinds[len(kinds)-1] != fsm.KindSchedule {
				t.Errorf("the handles are %s", kinds)
			}
		})
	}
}

func TestHND43SchedulesAreArmedByEachBootAfterTheirLastSlot(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil)
	for range 3 {
		d.cron(everyMinute)
	}
	d.cron(`{"action":"remove","job_id":"s2"}`)
	last := d.m.View().Schedules[1].Last + 60*fsm.Second
	d.due("s3", last)
	made := d.m.View().Schedules[0].Last
	d.at += 3600 * fsm.Second
	d.boot()
	want := []fsm.ArmSchedule{{Schedule: "s1", Every: 60 * fsm.Second, From: made}, {Schedule: "s3", Every: 60 * fsm.Second, From: last}}
	same(t, want, of[fsm.ArmSchedule](d.effects))
	d.due("s1", made+60*60*fsm.Second) // the last of sixty that have passed
	if n := strconv.Itoa(len(d.m.View().Handles)); n != "3" {
		t.Errorf("there are %s handles", n)
	}
}

func TestHND42ASlotThatComesBeforeAnEarlierOneHasBegunJoinsIt(t *testing.T) {
	d := scheduled(t, nil)
	made := d.m.View().Schedules[0].Last
	for i := range 4 { // the first runs, the second waits
		d.due("s1", made+fsm.Millis(i+1)*60*fsm.Second)
	}
	if v := d.m.View(); len(v.Handles) != 2 || v.Ignored.Joined != 2 || v.Ignored.Slots != 0 {
		t.Errorf("%d handles, %d slots have joined, %d are ignored", len(v.Handles), v.Ignored.Joined, v.Ignored.Slots)
	}
}
