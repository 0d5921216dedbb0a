package machine_test

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// clerk is a machine whose schedules a person changes.
type clerk struct {
	*testing.T
	m   *machine.Machine
	now fsm.Millis
}

const noon fsm.Millis = 1767614400000 // 2026-01-05 12:00:00 UTC

func newClerk(t *testing.T) *clerk {
	c := profile.Default()
	c.Init = fsm.InitOff
	k := &clerk{t, machine.New(), noon}
	k.m.Step(fsm.Input{At: k.now, Fact: fsm.Boot{Config: c}})
	return k
}

// says gives the machine a change that it must make or refuse, and returns the effects.
func (k *clerk) says(in fsm.ScheduleChanged, taken bool) []fsm.Effect {
	k.Helper()
	before := k.m.View().Ignored.Decisions
	why := k.m.Unfit(in, k.now)
	effects := k.m.Step(fsm.Input{At: k.now, Fact: in})
	ignored := k.m.View().Ignored.Decisions - before
	if want := map[bool]int{false: 1}[taken]; ignored != want || (why == "") != taken {
		k.Errorf("%+v: %d are ignored, %q", in, ignored, why)
	}
	return effects
}

// slot returns the time from which effects arm the one schedule, or 0 if they arm none.
func slot(effects []fsm.Effect) (from fsm.Millis) {
	for _, e := range effects {
		if e, ok := e.(fsm.ArmSchedule); ok {
			from = e.From
		}
	}
	return from
}

func (k *clerk) due(at fsm.Millis) int {
	before := len(k.m.View().Handles)
	k.now = max(k.now, at)
	k.m.Step(fsm.Input{At: k.now, Fact: fsm.ScheduleDue{Schedule: "s1", Slot: at}})
	return len(k.m.View().Handles) - before
}

var water = fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Text: "water the plants", Every: 60 * fsm.Second}

func TestHND62APersonAddsAndRemovesASchedule(t *testing.T) {
	k := newClerk(t)
	if slot(k.says(water, true)) != noon {
		t.Error("it is not armed")
	}
	made := k.m.View().Schedules[0]
	if made.ID != "s1" || made.Home != "cli:direct" || made.Origin != (fsm.Origin{Channel: "cli", Chat: "direct"}) || made.Source != fsm.FromPerson {
		t.Errorf("got %+v; want ID %q, Home %q, Origin %+v, Source 2", made, "s1", "cli:direct", (fsm.Origin{Channel: "cli", Chat: "direct"}))
	}
	if k.due(noon+60*fsm.Second) != 1 {
		t.Error("its slot admits nothing")
	}
	for _, bad := range []fsm.ScheduleChanged{
		{Change: fsm.ScheduleAdd, Text: " ", Every: fsm.Second}, {Change: fsm.ScheduleAdd, Text: "m"}, {Change: fsm.ScheduleAdd, Text: "m", Every: fsm.Second, Cron: "@daily"},
		{Change: fsm.ScheduleAdd, Text: "m", Cron: "never"}, {Change: fsm.ScheduleAdd, Text: "m", Once: "2026-01-05T11:00"}, {Change: fsm.ScheduleAdd, Text: "m", Once: "soon"},
		{Change: fsm.ScheduleAdd, Text: "m", Cron: "@daily", Zone: "Nowhere/Land"}, {Change: fsm.ScheduleRemove, Schedule: "s2"}, {Change: fsm.ScheduleRun},
		{Change: fsm.ScheduleResume, Schedule: "s1"},
	} {
		k.says(bad, false)
	}
	effects := k.says(fsm.ScheduleChanged{Change: fsm.ScheduleRemove, Schedule: "s1"}, true)
	if len(k.m.View().Schedules) != 0 || !slices.Contains(effects, fsm.Effect(fsm.DisarmSchedule{Schedule: "s1"})) {
		t.Errorf("got %+v, %+v; want no schedule, and s1 disarmed", k.m.View().Schedules, effects)
	}
}

func TestHND62APausedScheduleTakesNoSlot(t *testing.T) {
	k := newClerk(t)
	k.says(water, true)
	pause, resume := fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1"}, fsm.ScheduleChanged{Change: fsm.ScheduleResume, Schedule: "s1"}
	if effects := k.says(pause, true); !slices.Contains(effects, fsm.Effect(fsm.DisarmSchedule{Schedule: "s1"})) {
		t.Errorf("got %+v; want s1 disarmed", effects)
	}
	k.says(pause, false)
	if k.due(noon+60*fsm.Second) != 0 {
		t.Error("a paused schedule takes a slot")
	}
	c := k.m.View().Config
	if slot(k.m.Step(fsm.Input{At: k.now, Fact: fsm.Boot{Config: c}})) != 0 {
		t.Error("a boot arms a paused schedule")
	}
	k.now = noon + 150*fsm.Second
	if from := slot(k.says(resume, true)); from != noon+120*fsm.Second {
		t.Errorf("it continues from %d", from-noon)
	}
	if k.due(noon+180*fsm.Second) != 1 {
		t.Error("it does not continue")
	}
	if text := k.m.View().Schedules[0]; text.Paused {
		t.Errorf("got %+v; want not Paused", text)
	}
}

func TestACopyOfTheStateKeepsItsSchedules(t *testing.T) {
	k := newClerk(t)
	k.says(water, true)
	before, other := k.m.Snapshot(), k.m.Clone()
	k.due(noon + 60*fsm.Second)
	k.says(fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1"}, true)
	for _, kept := range []fsm.Schedule{before.Schedules[0], other.View().Schedules[0]} {
		if kept.Paused || kept.Last != noon {
			t.Errorf("the copy has %+v", kept)
		}
	}
	if now := k.m.View().Schedules[0]; !now.Paused || now.Last == noon {
		t.Errorf("the schedule is %+v", now)
	}
}

// A run that a person asks for takes no slot, and happens even if the schedule is paused.
func TestHND62APersonRunsASchedule(t *testing.T) {
	k := newClerk(t)
	k.says(water, true)
	k.says(fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1"}, true)
	k.now += 10 * fsm.Second
	k.says(fsm.ScheduleChanged{Change: fsm.ScheduleRun, Schedule: "s1"}, true)
	v := k.m.View()
	if len(v.Handles) != 1 || v.Handles[0].Kind != fsm.KindSchedule || v.Handles[0].Session != "schedule:s1" || v.Schedules[0].Last != noon {
		t.Errorf("got %+v, %+v; want 1 handle, Kind %v, Session %q, and Last %d", v.Handles, v.Schedules, fsm.KindSchedule, "schedule:s1", noon)
	}
}

// SES-15, HND-31: a stop in the chat ends the runs of its schedules, and a person may end any
// of them by its number.
func TestSES15AStopEndsTheRunsOfTheSessionsSchedules(t *testing.T) {
	k := newClerk(t)
	k.says(water, true)
	other := water
	other.Session = "elsewhere"
	k.says(other, true)
	run := func(id string) fsm.HandleID {
		k.says(fsm.ScheduleChanged{Change: fsm.ScheduleRun, Schedule: id}, true)
		return k.m.View().LastHandle
	}
	first, second := run("s1"), run("s2")
	effects := k.m.Step(fsm.Input{At: k.now, Fact: fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "/stop"}})
	said := ""
	for _, e := range effects {
		switch e := e.(type) {
		case fsm.Reply:
			said += e.Text
		case fsm.SendMessage:
			said += " " + e.Text + " " + e.Session
		}
	}
	if !strings.Contains(said, "Stopped: 1.") || !strings.Contains(said, "cancelled schedule:s1") || strings.Contains(said, "schedule:s2") {
		t.Errorf("got %q; want with %q and %q, without %q", said, "Stopped: 1.", "cancelled schedule:s1", "schedule:s2")
	}
	if k.m.View().IndexOf(second) < 0 {
		t.Error("the run of another session's schedule is stopped")
	}
	k.m.Step(fsm.Input{At: k.now, Fact: fsm.CancelRequested{Handle: second}})
	for _, id := range []fsm.HandleID{first, second} {
		if i := k.m.View().IndexOf(id); i >= 0 && k.m.View().Handles[i].Outcome != fsm.OutcomeCancelled {
			t.Errorf("handle %d is %s", id, k.m.View().Handles[i].State)
		}
	}
	ignored := k.m.View().Ignored.Cancels
	for _, id := range []fsm.HandleID{second + 99, first} { // one that does not exist, one that is done or decided
		k.m.Step(fsm.Input{At: k.now, Fact: fsm.CancelRequested{Handle: id}})
	}
	if got := k.m.View().Ignored.Cancels - ignored; got != 2 {
		t.Errorf("%d cancels are ignored", got)
	}
}

// Work that shelly gives itself cannot be cancelled by its number.
func TestHND31AnInitialInferenceIsNotCancelled(t *testing.T) {
	c := profile.Shelly()
	c.Switches.Cancel = fsm.CancelImmediate
	m := machine.New()
	m.Step(fsm.Input{At: noon, Fact: fsm.Boot{Config: c}})
	m.Step(fsm.Input{At: noon, Fact: fsm.CancelRequested{Handle: 1}})
	if h := m.View().Handles; len(h) != 1 || h[0].Kind != fsm.KindInit || h[0].State == state.Cancelled || m.View().Ignored.Cancels != 1 {
		t.Errorf("got %+v, %d cancels ignored; want 1 handle, Kind %v, State not %v, and 1", h, m.View().Ignored.Cancels, fsm.KindInit, state.Cancelled)
	}
}

// INV-8: a machine that is stopping arms nothing, and accepts no change from a person.
func TestHND62WhoStopsTakesNoWordOnASchedule(t *testing.T) {
	k := newClerk(t)
	for range 2 {
		k.m.Step(fsm.Input{At: k.now, Fact: fsm.Signalled{Name: "SIGTERM"}})
		if effects := k.says(water, false); len(effects) != 0 {
			t.Errorf("%s: got %+v; want none", k.m.View().Lifecycle, effects)
		}
	}
}

func TestHND62AnUnknownChangeIsIgnored(t *testing.T) {
	k := newClerk(t)
	k.says(water, true)
	before := k.m.View().Ignored.Decisions
	effects := k.m.Step(fsm.Input{At: k.now, Fact: fsm.ScheduleChanged{Change: "water", Schedule: "s1"}})
	if now := k.m.View(); len(effects) > 0 || now.Ignored.Decisions != before+1 || len(now.Schedules) != 1 {
		t.Errorf("%d ignored before, %d now; effects %+v", before, now.Ignored.Decisions, effects)
	}
}
