package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// A barrier in between begins a new tail.
func TestJRN4ARecordIsSyncedWithinASecond(t *testing.T) {
	e, _ := start(t, newJournal())
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	due := func(now fsm.Millis) fsm.Millis {
		at, _ := e.Unsettled(now)
		return at
	}
	got := []fsm.Millis{due(0)}
	turn(t, e, idle(1)...)
	got = append(got, due(100))
	turn(t, e, idle(1)...)
	got = append(got, due(900))
	turn(t, e, fsm.Input{At: 2, Fact: fsm.Signalled{Name: "TERM"}})
	got = append(got, due(950))
	turn(t, e, idle(1)...)
	got = append(got, due(990))
	want := []fsm.Millis{0, 100 + engine.SettleAfter, 100 + engine.SettleAfter, 0, 990 + engine.SettleAfter}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
}

func TestJRN4WhatComesAfterTheLastBarrierCanBeSettled(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	turn(t, e, idle(1)...)
	if e.Durable() != 1 || e.Last() != 2 {
		t.Fatalf("durable up to %d of %d: there is nothing to settle", e.Durable(), e.Last())
	}
	j.protocol.lines = nil
	for range 2 { // the second has nothing to do
		if err := e.Settle(); err != nil || e.Durable() != 2 {
			t.Errorf("Settle: %v, durable up to %d", err, e.Durable())
		}
	}
	if diff := cmp.Diff([]string{"append sync"}, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
	turn(t, e, idle(1)...)
	j.broken = errors.New("the disk is gone")
	if err := e.Settle(); !errors.Is(err, engine.ErrDead) || !errors.Is(e.Turn(idle(1)...), engine.ErrDead) {
		t.Errorf("Settle: %v; want the failed sync to end the engine", err)
	}
}
