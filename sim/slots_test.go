package sim

import (
	"testing"

	"shelly/fsm"
)

// A schedule has always another slot, yet a run ends.
func TestSchedulesKeepNoRunFromItsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		until fsm.Millis
		slots int
	}{{"none wanted", 0, 0}, {"three wanted", 3 * 60_000, 3}} {
		t.Run(test.name, func(t *testing.T) {
			p := Plan{Config: fsm.ShellyProfile(), Until: test.until}
			p.Config.Init = fsm.InitOff
			r := newRun(&p, Options{})
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			due := 0
			for from := fsm.Millis(0); ; due++ {
				r.world.arm(fsm.ArmSchedule{Schedule: "s", Every: 60_000, From: from})
				if r.over() {
					break
				}
				next, _ := r.world.agenda.pop(r.choose)
				from = next.fact.(fsm.ScheduleDue).Slot
			}
			if due != test.slots {
				t.Errorf("%d slots, want %d", due, test.slots)
			}
		})
	}
}

func TestArmingAgainAndDisarming(t *testing.T) {
	w := &world{result: &Result{}}
	for _, every := range []fsm.Millis{1000, 2000} {
		w.arm(fsm.ArmSchedule{Schedule: "a", Every: every})
	}
	w.arm(fsm.ArmSchedule{Schedule: "b", Once: 500})
	if n := len(w.agenda.items); n != 2 {
		t.Fatalf("%d slots on the agenda, want one for each schedule", n)
	}
	w.disarm("b")
	if d, _ := w.agenda.pop(First{}); d.schedule != "a" || d.at != 2000 || len(w.agenda.items) != 0 {
		t.Errorf("left: %+v", d)
	}
	w.arm(fsm.ArmSchedule{Schedule: "c", Cron: "0 0 31 2 *"})
	if len(w.agenda.items) != 0 {
		t.Errorf("a schedule without slots: %v", w.agenda.items)
	}
}
