package daemon

import (
	"context"
	"time"

	"shelly/fsm"
)

// slot is a schedule's next slot, awaited.
type slot struct {
	fsm.ArmSchedule
	at    fsm.Millis
	timer *time.Timer
}

// WallCheck is how often the wall clock is looked at while a slot is awaited: it may
// be set, and it goes on while the machine sleeps, which a timer knows nothing of.
const WallCheck = 30 * time.Second

// armSchedule awaits the next slot of a schedule, in place of the one that it had.
func (d *Daemon) armSchedule(e fsm.ArmSchedule) {
	d.disarmSchedule(e.Schedule)
	at, ok := e.Next(d.now())
	if !ok {
		d.o.Log.Warn("a schedule has no slot left and will not run", "schedule", e.Schedule)
		return
	}
	s := &slot{ArmSchedule: e, at: at}
	d.schedules[e.Schedule] = s
	d.await(s)
}

func (d *Daemon) disarmSchedule(schedule string) {
	if s, ok := d.schedules[schedule]; ok {
		s.timer.Stop()
		delete(d.schedules, schedule)
	}
}

// await brings the slot to the loop once the wall clock has reached it.
func (d *Daemon) await(s *slot) {
	left := time.Duration(min(max(s.at-d.now(), 0), fsm.Millis(WallCheck/time.Millisecond))) * time.Millisecond
	s.timer = time.AfterFunc(left, func() {
		_ = d.send(context.Background(), message{fact: func() fsm.Input { return d.due(s) }})
	})
}

// due is the input that a slot becomes, or nothing where it was disarmed or is still
// to come. Where a sleep has passed several it is the latest.
func (d *Daemon) due(s *slot) fsm.Input {
	if d.schedules[s.Schedule] != s {
		return fsm.Input{}
	}
	now := d.now()
	if now < s.at {
		d.await(s)
		return fsm.Input{}
	}
	delete(d.schedules, s.Schedule)
	if at, ok := s.Next(now); ok {
		s.at = at
	}
	return fsm.Input{At: now, Fact: fsm.ScheduleDue{Schedule: s.Schedule, Slot: s.at}}
}
