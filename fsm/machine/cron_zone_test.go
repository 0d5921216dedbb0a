package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
)

// berlin is Europe/Berlin in 2026.
func berlin() fsm.Zone {
	return fsm.Zone{Name: "Europe/Berlin", Offset: 3600, Changes: []fsm.Change{
		{At: 1774746000000, Offset: 7200}, {At: 1792890000000, Offset: 3600},
	}}
}

// HND-48: times are in the person's zone, and the result says when the schedule runs next.
func TestHND48TimesAreInThePersonsZone(t *testing.T) {
	const now fsm.Millis = 1774692000000 // 2026-03-28 10:00 UTC, the day before the clocks go forward
	c := profile.Default()
	c.Words = fsm.PresentWords()
	c.Zones = []fsm.Zone{berlin(), {Name: "Asia/Tokyo", Offset: 9 * 3600}}
	for _, test := range []struct{ args, want string }{
		{`"cron_expr":"30 2 * * *"`, "schedule s1 added; it runs next at 2026-03-29 03:00 Europe/Berlin (UTC+02:00), Sunday"},
		{`"cron_expr":"@daily"`, "next at 2026-03-29 00:00 Europe/Berlin (UTC+01:00), Sunday"},
		{`"cron_expr":"0 9 * * Mon","zone":"asia/tokyo"`, "next at 2026-03-30 09:00 Asia/Tokyo (UTC+09:00), Monday"},
		{`"cron_expr":"0 9 * * *","zone":"-03:30"`, "next at 2026-03-28 09:00 UTC-03:30, Saturday"},
		{`"cron_expr":"0 9 * * *","zone":"UTC"`, "next at 2026-03-29 09:00 UTC, Sunday"},
		{`"at":"2026-03-29T02:30"`, "next at 2026-03-29 03:00 Europe/Berlin"},
		{`"at":"2026-03-29T02:30Z"`, "next at 2026-03-29 04:30 Europe/Berlin"},
		{`"at":"2026-03-29 02:30","zone":"Asia/Tokyo"`, "next at 2026-03-29 02:30 Asia/Tokyo (UTC+09:00), Sunday"},
		{`"every_seconds":3600`, "next at 2026-03-28 12:00 Europe/Berlin (UTC+01:00), Saturday"},
		{`"at":"2026-03-28T10:59"`, "not added: at is in the past; it is 2026-03-28 11:00 Europe/Berlin (UTC+01:00), Saturday"},
		{`"cron_expr":"0 9 * * *","zone":"Mars/Base"`, `zone "Mars/Base" is not known here; use one of UTC, Europe/Berlin, Asia/Tokyo, or an offset such as +02:00; about.zones adds others`},
	} {
		result, armed := addCronWith(t, c, now, `{"action":"add","message":"m",`+test.args+`}`)
		if !strings.Contains(result, test.want) {
			t.Errorf("%s: the result is %q, want %q", test.args, result, test.want)
		}
		if added := strings.HasPrefix(result, "schedule "); added != (len(armed) == 1) {
			t.Errorf("%s: %q, and %d are armed", test.args, result, len(armed))
		}
	}
}

// HND-48: a schedule keeps its zone across a boot that brings the zone with other changes,
// and takes the first zone if a boot does not bring its own.
func TestHND48AScheduleKeepsItsZone(t *testing.T) {
	const now fsm.Millis = 1774692000000
	c := profile.Default()
	c.Zones = []fsm.Zone{berlin(), {Name: "Asia/Tokyo", Offset: 9 * 3600}}
	_, armed := addCronWith(t, c, now, `{"action":"add","message":"m","cron_expr":"0 9 * * *","zone":"Asia/Tokyo"}`)
	if len(armed) != 1 || armed[0].Zone.Name != "Asia/Tokyo" {
		t.Fatalf("the armed schedules are %+v", armed)
	}
	for _, test := range []struct {
		zones []fsm.Zone
		want  string
	}{
		{c.Zones, "Asia/Tokyo"}, {c.Zones[:1], "Europe/Berlin"}, {nil, "UTC"},
	} {
		m := machine.New()
		c.Init = fsm.InitOff
		m.Step(fsm.Input{At: now, Fact: fsm.Boot{Config: c}})
		view := m.Snapshot()
		view.Schedules = []fsm.Schedule{{ID: "s1", Home: "cli:direct", Text: "m", Cron: "0 9 * * *", Zone: "Asia/Tokyo", Last: now}}
		again := machine.Restore(view)
		boot := c
		boot.Zones = test.zones
		for _, e := range again.Step(fsm.Input{At: now + 1, Fact: fsm.Boot{Config: boot}}) {
			if e, ok := e.(fsm.ArmSchedule); ok && e.Zone.Name != test.want {
				t.Errorf("with %d zones it is armed in %q, want %q", len(test.zones), e.Zone.Name, test.want)
			}
		}
	}
}

// SES-22, HND-48: the model is told the time in the person's zone.
func TestHND48TheModelIsToldThePersonsTime(t *testing.T) {
	c := profile.Default()
	c.Zones = []fsm.Zone{berlin()}
	m := machine.New()
	c.Init = fsm.InitOff
	const now fsm.Millis = 1783324800000 // 2026-07-06 08:00 UTC
	m.Step(fsm.Input{At: now, Fact: fsm.Boot{Config: c}})
	asked := fsm.Requested{Request: fsm.RequestKey{Principal: "local", Channel: "cli", ID: "a"}, Text: "what time is it"}
	var load fsm.CallID
	for _, e := range m.Step(fsm.Input{At: now, Fact: asked}) {
		if e, ok := e.(fsm.LoadSession); ok {
			load = e.Call
		}
	}
	for _, e := range m.Step(fsm.Input{At: now, Fact: fsm.SessionLoaded{Answered: fsm.To(load)}}) {
		if e, ok := e.(fsm.AskBrain); ok {
			last := e.Conversation.Messages[len(e.Conversation.Messages)-1].Text
			if want := "2026-07-06 10:00 Europe/Berlin (UTC+02:00), Monday"; !strings.Contains(last, want) {
				t.Errorf("the model gets %q, want %q in it", last, want)
			}
			return
		}
	}
	t.Error("the model is not asked")
}
