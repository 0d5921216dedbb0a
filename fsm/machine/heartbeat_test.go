package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

const halfHour = 1800 * fsm.Second

// beating returns a driver of a machine with a heartbeat whose first slot is taken.
func beating(t *testing.T, change func(*fsm.Heartbeat)) (d *driver, slot fsm.Millis) {
	t.Helper()
	d = places(t, 4, func(c *fsm.Config) {
		c.Heartbeat = fsm.Heartbeat{Every: halfHour, Do: "Look at the build.", To: fsm.Origin{Channel: "cli", Chat: "direct"}}
		if change != nil {
			change(&c.Heartbeat)
		}
	})
	if a := one[fsm.ArmSchedule](d); a.Schedule != fsm.HeartbeatSchedule || a.Every != halfHour {
		t.Fatalf("armed %+v", a)
	}
	slot = d.now()/halfHour*halfHour + halfHour
	d.due(fsm.HeartbeatSchedule, slot)
	d.inStates()
	return d, slot
}

func TestEVT20ABeatIsTakenOnceAndTheNextOneAskedFor(t *testing.T) {
	d, slot := beating(t, nil)
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	if a := one[fsm.ArmSchedule](d); a.From != slot+halfHour {
		t.Errorf("armed %+v", a)
	}
	h := d.active()
	if h.Kind != fsm.KindSchedule || h.Session != "heartbeat" || !strings.Contains(h.Input, "Look at the build.") {
		t.Errorf("it is %+v", h.Accepted)
	}
	ignored := d.m.View().Ignored.Slots
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.inStates(state.Loading)
	if n := d.m.View().Ignored.Slots - ignored; n != 1 {
		t.Errorf("%d slots are counted", n)
	}
	no[fsm.ArmSchedule](d)
}

func TestEVT20ABeatThatHasNotBegunIsEnoughForTheNext(t *testing.T) {
	d, slot := beating(t, nil)
	d.due(fsm.HeartbeatSchedule, slot+halfHour) // works
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	d.due(fsm.HeartbeatSchedule, slot+3*halfHour)
	d.inStates(state.Loading, state.Queued)
	if v := d.m.View(); v.Ignored.Joined != 1 || v.Ignored.Slots != 0 {
		t.Errorf("%d beats have joined, %d are ignored", v.Ignored.Joined, v.Ignored.Slots)
	}
}

// An event that waits in the session of the chat is not a heartbeat.
func TestEVT22WhatElseWaitsInTheChatKeepsNoGreetingBack(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) {
		h.Do, h.To, h.Greet = "", fsm.Origin{Channel: "event", Chat: "disk"}, fsm.Greeting{Idle: halfHour, PerDay: 9, Chance: 100}
	})
	for _, event := range []string{"low", "full"} {
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: event, To: fsm.Origin{Channel: "cli", Chat: "direct"}}})
	}
	d.inStates(state.Loading, state.Queued)
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.inStates(state.Loading, state.Queued, state.Queued)
}

func TestEVT20ABootAsksForTheSlotAfterTheLast(t *testing.T) {
	d, slot := beating(t, nil)
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.boot()
	if a := one[fsm.ArmSchedule](d); a.From != slot+halfHour {
		t.Errorf("armed %+v", a)
	}
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.inStates(state.Loading) // the one from before the boot
}

func TestEVT20AReloadArmsAndDisarms(t *testing.T) {
	d, _ := beating(t, nil)
	c := d.config
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	no[fsm.ArmSchedule](d)
	c.Heartbeat.Every *= 2
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	if a := one[fsm.ArmSchedule](d); a.Every != 2*halfHour {
		t.Errorf("armed %+v", a)
	}
	c.Heartbeat = fsm.Heartbeat{}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	if e := one[fsm.DisarmSchedule](d); e.Schedule != fsm.HeartbeatSchedule {
		t.Errorf("disarmed %+v", e)
	}
	d.due(fsm.HeartbeatSchedule, d.now())
	d.inStates()
}

func TestEVT21ABeatInQuietHoursDoesNothing(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) {
		h.Quiet = fsm.Quiet{Until: 24*60 - 1}
		h.Greet = fsm.Greeting{Idle: 1, PerDay: 9, Chance: 100}
	})
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.inStates()
	one[fsm.ArmSchedule](d)
}

// A slot that is taken late counts as both: its own time and the present (EVT-21).
func TestEVT21ABeatThatIsTakenInQuietHoursDoesNothing(t *testing.T) {
	for name, quiet := range map[string]fsm.Quiet{ // order-free
		"its slot is": {From: 60, Until: 61}, "the present is": {From: 16, Until: 30}, "neither is": {From: 90, Until: 120},
	} {
		d, slot := beating(t, func(h *fsm.Heartbeat) { h.Quiet = quiet })
		if slot != halfHour || d.at >= halfHour {
			t.Fatalf("the first slot is at %d, the present is %d", slot, d.at)
		}
		d.due(fsm.HeartbeatSchedule, 2*halfHour)
		if n := len(d.m.View().Handles); n > 0 != (name == "neither is") {
			t.Errorf("%s in the quiet hours: %d handles", name, n)
		}
	}
}

// While nobody is to be greeted, requests are not noted, so silence counts from when that changes.
func TestEVT22SilenceCountsFromWhenPersonsAreGreeted(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do = "" })
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.config.Heartbeat.Greet = fsm.Greeting{Idle: 2 * halfHour, PerDay: 2, Chance: 100}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
	d.due(fsm.HeartbeatSchedule, slot+10*halfHour)
	d.inStates()
	d.due(fsm.HeartbeatSchedule, slot+11*halfHour)
	d.inStates()
	d.due(fsm.HeartbeatSchedule, slot+12*halfHour)
	d.inStates(state.Loading)
}

func TestEVT22APersonWhoIsSilentIsGreeted(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do, h.Greet = "", fsm.Greeting{Idle: 2 * halfHour, PerDay: 2, Chance: 100} })
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.inStates()
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	h := d.active()
	if h.Session != "cli:direct" || !strings.Contains(h.Input, "has not written for 60 minutes") {
		t.Errorf("it is %+v", h.Accepted)
	}
	d.loads(fsm.Session{})
	d.answer("Good morning!")
	if m := one[fsm.SendMessage](d); m.To != (fsm.Origin{Channel: "cli", Chat: "direct"}) || m.Text != "Good morning!" || m.Key != h.ID.Entry()+fsm.BeatKey {
		t.Errorf("sent %+v", m)
	}
	d.saves()
	d.due(fsm.HeartbeatSchedule, slot+3*halfHour)
	d.inStates() // the greeting was more recent than that
}

func TestEVT22AGreetingSaysHowLongThePersonWasSilent(t *testing.T) {
	for halves, want := range map[int]string{3: "has not written for 90 minutes", 4: "has not written for 2 hours", 7: "has not written for 3 hours"} {
		idle := fsm.Millis(halves) * halfHour
		d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do, h.Greet = "", fsm.Greeting{Idle: idle, PerDay: 2, Chance: 100} })
		d.due(fsm.HeartbeatSchedule, slot+idle)
		if h := d.active(); !strings.Contains(h.Input, want) {
			t.Errorf("after %d half hours: %q", halves, h.Input)
		}
	}
}

func TestEVT22ARequestEndsTheSilence(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do, h.Greet = "", fsm.Greeting{Idle: 2 * halfHour, PerDay: 2, Chance: 100} })
	d.at = slot + 2*halfHour - 1
	d.in("a", "hello")
	d.finishes("a")
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	d.inStates()
}

// HND-65: beats go on from the present after the clock was set back, and so do greetings.
func TestEVT20ABeatAfterTheClockWasSetBack(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do, h.Greet = "", fsm.Greeting{Idle: 2 * halfHour, PerDay: 9, Chance: 100} })
	back := func(slot fsm.Millis) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: fsm.HeartbeatSchedule, Slot: slot, Back: true}})
	}
	ahead := slot + 1000*halfHour
	d.due(fsm.HeartbeatSchedule, ahead)
	d.active()
	d.loads(fsm.Session{})
	d.answer("Good morning!")
	d.saves()
	if back(ahead); len(of[fsm.ArmSchedule](d.effects)) != 0 {
		t.Error("the last beat is taken again")
	}
	back(slot + halfHour)
	if a := one[fsm.ArmSchedule](d); a.From != slot+halfHour {
		t.Errorf("armed %+v", a)
	}
	d.inStates() // nobody has been silent for long since then
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	d.inStates()
	d.due(fsm.HeartbeatSchedule, slot+3*halfHour)
	d.inStates(state.Loading)
}

// A greeting is sent only once, even if the process is killed in between (EVT-22).
func TestEVT22AGreetingIsNotSentTwiceOverAKill(t *testing.T) {
	d, slot := beating(t, func(h *fsm.Heartbeat) { h.Do, h.Greet = "", fsm.Greeting{Idle: halfHour, PerDay: 1, Chance: 100} })
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.boot()
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	d.inStates(state.Loading)
}

func TestEVT23WhereThereIsNothingToTellNothingIsSent(t *testing.T) {
	d, slot := beating(t, nil)
	d.due(fsm.HeartbeatSchedule, slot+halfHour)
	d.loads(fsm.Session{})
	d.answer("NOTHING.")
	no[fsm.SendMessage](d)
	d.saves()
	d.due(fsm.HeartbeatSchedule, slot+2*halfHour)
	d.loads(fsm.Session{})
	d.brainFails(fsm.BrainMissingModel, "gone")
	no[fsm.SendMessage](d)
	one[fsm.Report](d)
}
