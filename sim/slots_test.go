package sim

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
)

// A schedule has always another slot, yet a run ends.
func TestSchedulesKeepNoRunFromItsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		until fsm.Millis
		slots int
	}{{"none wanted", 0, 0}, {"three wanted", 3 * 60_000, 3}} {
		t.Run(test.name, func(t *testing.T) {
			p := Plan{Config: profile.Shelly(), Until: test.until}
			p.Config.Init = fsm.InitOff
			r := newRun(&p, Options{})
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			due := 0
			for ; ; due++ {
				r.world.arm(next(fsm.ArmSchedule{Schedule: "s", Every: 60_000, From: r.world.wall()}, r.world.wall()))
				if r.over() {
					break
				}
				r.world.agenda.pop(r.choose)
			}
			if due != test.slots {
				t.Errorf("%d slots, want %d", due, test.slots)
			}
		})
	}
}

// next is a schedule's next slot.
func next(e fsm.ArmSchedule, now fsm.Millis) engine.Slot {
	slot, _ := engine.Awaited(e, now)
	return slot
}

func TestAScheduleHasOneSlotOnTheAgenda(t *testing.T) {
	w := &world{result: &Result{}}
	for _, every := range []fsm.Millis{1000, 2000} {
		w.arm(next(fsm.ArmSchedule{Schedule: "a", Every: every}, 0))
	}
	w.arm(next(fsm.ArmSchedule{Schedule: "b", Once: 500}, 0))
	if n := len(w.agenda.items); n != 2 {
		t.Fatalf("%d slots on the agenda, want one for each schedule", n)
	}
	w.disarm("b")
	if d, _ := w.agenda.pop(First{}); d.slot.Schedule != "a" || d.at != 2000 || len(w.agenda.items) != 0 {
		t.Errorf("left: %+v", d)
	}
}

// SCN-25: a slot is due at the first look at the wall clock that finds its time come;
// the clock is looked at each 30s, and when the slot is due if nothing jumps.
func TestSCN25ASlotAfterTheClockHasJumped(t *testing.T) {
	const minute = 60 * fsm.Second
	for _, test := range []struct {
		name string
		at   fsm.Millis // of the jump
		by   fsm.Millis
		due  fsm.Millis // on the agenda's clock
	}{
		{"no jump", 0, 0, 10 * minute},
		{"forward, not so far", minute, 5 * minute, 5 * minute},
		{"forward, beyond it", 95 * fsm.Second, 11 * minute, 120 * fsm.Second},
		{"forward, beyond it, at a look", 2 * minute, 11 * minute, 2 * minute},
		{"forward, to just before the next look", 95 * fsm.Second, 10*minute - 100*fsm.Second, 120 * fsm.Second},
		{"forward, beyond several", 95 * fsm.Second, 25 * minute, 120 * fsm.Second},
		{"forward, just before it is due", 595 * fsm.Second, minute, 10 * minute},
		{"back", 9 * minute, -5 * minute, 15 * minute},
		{"back, to before it was armed", 9 * minute, -60 * minute, 10 * minute}, // HND-65
		{"back, to just before the slot that it had taken", 9 * minute, -10 * minute, 20 * minute},
		{"back over a slot, between two looks", 95 * fsm.Second, -15 * minute, 5 * minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{result: &Result{}}
			s := next(fsm.ArmSchedule{Schedule: "a", Every: 10 * minute}, 0)
			w.slot = func(string) (engine.Slot, bool) { return s, true }
			w.arm(s)
			w.agenda.now = test.at
			w.jump(test.by)
			for {
				w.agenda.pop(First{})
				if s, _ = s.Look(w.wall()); s.At <= w.wall() {
					break
				}
				w.looked("a")
			}
			if w.agenda.now != test.due || w.wall() != test.due+test.by {
				t.Errorf("due at %s, the wall clock at %s; want %s", w.agenda.now, w.wall(), test.due)
			}
		})
	}
}

// SCN-25: a clock that goes back and comes forward again is where it was.
func TestSCN25AClockThatGoesBackAndForthIsWhereItWas(t *testing.T) {
	w := &world{result: &Result{}}
	w.arm(next(fsm.ArmSchedule{Schedule: "a", Every: 10 * 60 * fsm.Second}, 0))
	w.agenda.now = 65 * fsm.Second
	w.jump(-30 * 60 * fsm.Second)
	w.agenda.now = 70 * fsm.Second
	w.jump(30 * 60 * fsm.Second)
	if d, _ := w.agenda.pop(First{}); d.at != 600*fsm.Second {
		t.Errorf("due at %s, want 600s", d.at)
	}
}
