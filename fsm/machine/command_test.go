package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestSES15CommandsAreAnsweredAtOnce(t *testing.T) {
	tests := []struct {
		text string
		want string // part of the reply
	}{
		{"/help", "/new: "},
		{" /status \n", "serving, profile nanobot; 1 active, 1 waiting; session s: execution"},
		{"/stop", "Stopped: 2."},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			d, _ := inTurn(t, "nanobot", nil)
			d.ask("waits")
			key := d.ask(tt.text)
			r := only(d, func(r fsm.Reply) bool { return r.Request == key })
			if !strings.Contains(r.Text, tt.want) || r.IsError || r.Outcome != fsm.OutcomeAnswered {
				t.Errorf("reply %+v", r)
			}
			no[fsm.AskBrain](d)
		})
	}
}

func TestSES15WhatIsNotACommand(t *testing.T) {
	tests := []struct {
		profile string
		text    string
	}{
		{"shelly", "/help"},
		{"shelly", "/new"},
		{"nanobot", "/helper"},
		{"nanobot", "/help me"},
		{"nanobot", "help"},
		{"nanobot", "/etc/passwd"},
		{"nanobot", "/"},
		{"nanobot", ""},
	}
	for _, tt := range tests {
		t.Run(tt.profile+" "+tt.text, func(t *testing.T) {
			d := driverOf(t, tt.profile)
			d.boot()
			d.ask(tt.text)
			no[fsm.Reply](d)
			if h := d.active(); h.Command != "" {
				t.Errorf("it is taken as %q", h.Command)
			}
		})
	}
}

func TestSES15AStatusDescribesItsSession(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
		want string
	}{
		{"idle", func(d *driver) { d.boot() }, "serving, profile nanobot; 0 active, 0 waiting; session s: idle"},
		{"busy", func(d *driver) { d.boot(); d.ask("hello"); d.ask("waits") }, "serving, profile nanobot; 1 active, 1 waiting; session s: loading"},
		{"another is busy", func(d *driver) { d.boot(); d.in("t", "hello") }, "serving, profile nanobot; 1 active, 0 waiting; session s: idle"},
		{"waiting", func(d *driver) { d.boot(); d.in("t", "hello"); d.ask("hello") }, "serving, profile nanobot; 1 active, 1 waiting; session s: queued"},
		{"initializing", func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot() }, "initializing, profile nanobot; 1 active, 0 waiting; session s: idle"},
		{"parked", func(d *driver) { d.boot(); d.ask("hello"); d.signal(); d.signal() }, "stopped, profile nanobot; 0 active, 1 waiting; session s: parked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "nanobot")
			tt.to(d)
			d.ask("/status")
			if r := one[fsm.Reply](d); r.Text != tt.want {
				t.Errorf("the status is %q, want %q", r.Text, tt.want)
			}
		})
	}
}

func TestSES15StopEndsWhatIsUnfinishedInTheSession(t *testing.T) {
	d, first := inTurn(t, "nanobot", nil)
	d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
	second := d.ask("waits")
	other := d.in("t", "another session")
	d.ask("/stop")
	for _, r := range of[fsm.Reply](d.effects) {
		if r.Request == other {
			t.Errorf("another session is stopped: %+v", r)
		}
	}
	d.wasCancelled(first)
	d.wasCancelled(second)
	// A subagent is counted with the turn that started it.
	if r := of[fsm.Reply](d.effects); r[len(r)-1].Text != "Stopped: 2." {
		t.Errorf("replies %+v", r)
	}
	d.inStates(state.Saving, state.Queued)
}

// So it is where a cancel waits for a checkpoint, which the subagent has not reached either.
func TestSES15AStopAtACheckpointCountsNoSubagent(t *testing.T) {
	d, _ := inTurn(t, "countbot", nil)
	d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
	d.inStates(state.Execution, state.Execution)
	key := d.ask("/stop")
	d.replied(key, "Stopped: 1.")
	for _, h := range d.m.View().Handles {
		if !h.Stop {
			t.Errorf("handle %d is not to stop", h.ID)
		}
	}
}

func TestSES15ThereMayBeNothingToStop(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
		want string
	}{
		{"idle", func(d *driver) { d.boot() }, "There is nothing to stop."},
		{"another session", func(d *driver) { d.boot(); d.in("t", "hello") }, "There is nothing to stop."},
		{"answered already", func(d *driver) { d.boot(); d.ask("hello"); d.loads(fsm.Session{}); d.answer("good day") }, "There is nothing to stop."},
		{"a profile that refuses", func(d *driver) { d.config.Switches.Cancel = fsm.CancelRefused; d.boot(); d.ask("hello") },
			"Nothing was stopped: this profile does not cancel."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "nanobot")
			tt.to(d)
			key := d.ask("/stop")
			d.replied(key, tt.want)
		})
	}
}

func TestSES14NewWaitsItsTurn(t *testing.T) {
	d, _ := inTurn(t, "omniemployee", nil)
	key := d.ask("/new")
	no[fsm.Reply](d)
	d.inStates(state.Execution, state.Queued)
	d.answer("good day")
	d.saves()
	d.loads(fsm.Session{Version: 8, History: talk(4)})
	if save := one[fsm.SaveSession](d); save.State.Version != 8 || len(save.State.History) > 0 {
		t.Errorf("saves %+v", save)
	}
	d.saves()
	d.replied(key, "New session started.")
}

func TestSES14NewWithoutHistoriesHasNothingToDo(t *testing.T) {
	d := newDriver(t)
	d.config.Switches.Commands = true
	d.boot()
	key := d.ask("/new")
	d.replied(key, "New session started.")
	d.inStates()
	no[fsm.LoadSession](d)
	no[fsm.AskBrain](d)
}
