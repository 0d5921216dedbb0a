package daemon_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/comm"
)

// What is written to memory once nobody waits is not ahead of a waiting request, neither for a
// watcher after a restart nor in the status (HND-37).
func TestHND37WhatYieldsIsNotAhead(t *testing.T) {
	journal := engine.NewMemoryJournal()
	f := start(t, journal, tools{}, remembers)
	f.ask("a", "one")
	f.next().says("done")
	f.replied("a")
	f.ask("b", "two")
	f.next()
	if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: "c"}, Session: "other", Text: "three"}); err != nil {
		t.Fatal(err)
	}
	if e := <-f.watch("c"); e.Type != comm.EventQueued || e.Ahead != 1 {
		t.Fatalf("the request got %+v; want one ahead of it", e)
	}
	f.kill()
	f = start(t, journal, tools{}, remembers)
	f.next()
	if e := <-f.watch("c"); e.Ahead != 1 {
		t.Errorf("after a restart %d are ahead of it; want one", e.Ahead)
	}
	queue := f.Status(f.ctx).Queue
	if len(queue) != 2 || queue[0].Kind != fsm.KindMemory || queue[1].Why != "next" {
		t.Errorf("%+v waits; want what is written to memory, and the request as the next", queue)
	}
}

// remembers makes a turn's memory be written when nobody waits.
func remembers(c *fsm.Config) {
	*c = profile.Default()
	c.Init, c.Switches.NoCognition, c.Switches.History, c.Switches.SideCalls = fsm.InitOff, true, fsm.HistoryNone, fsm.SideAlone
}
