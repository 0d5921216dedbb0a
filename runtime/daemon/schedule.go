package daemon

import (
	"context"
	"errors"
	"time"

	"shelly/fsm"
)

// slot is a schedule's next slot, awaited.
type slot struct {
	fsm.ArmSchedule
	at    fsm.Millis
	timer *time.Timer
}

// wallCheck is how often the wall clock is looked at while a slot is awaited: it may
// be set, and it goes on while the machine sleeps, which a timer knows nothing of.
const wallCheck = 30 * time.Second

var errCron = errors.New("this build has no cron expressions: use every_seconds or at")

// nextSlot returns the slot that a schedule asks for: the first behind From or, of
// several that have passed already, the latest (HND-43). It returns false where
// there is none.
func nextSlot(e fsm.ArmSchedule, now fsm.Millis) (fsm.Millis, bool, error) {
	switch {
	case e.Every > 0:
		return e.From + max(1, (now-e.From)/e.Every)*e.Every, true, nil
	case e.Once != 0:
		return e.Once, e.Once > e.From, nil
	default:
		return 0, false, errCron
	}
}

// armSchedule awaits the next slot of a schedule, in place of the one that it had.
func (d *Daemon) armSchedule(e fsm.ArmSchedule) {
	d.disarmSchedule(e.Schedule)
	at, ok, err := nextSlot(e, d.now())
	switch {
	case err != nil:
		d.o.Log.Error("a schedule cannot be armed and will not run", "schedule", e.Schedule, "cron", e.Cron, "error", err)
	case !ok:
		d.o.Log.Warn("a schedule has no slot left and will not run", "schedule", e.Schedule)
	default:
		s := &slot{ArmSchedule: e, at: at}
		d.schedules[e.Schedule] = s
		d.await(s)
	}
}

func (d *Daemon) disarmSchedule(schedule string) {
	if s, ok := d.schedules[schedule]; ok {
		s.timer.Stop()
		delete(d.schedules, schedule)
	}
}

// await brings the slot to the loop once the wall clock has reached it.
func (d *Daemon) await(s *slot) {
	left := time.Duration(min(max(s.at-d.now(), 0), fsm.Millis(wallCheck/time.Millisecond))) * time.Millisecond
	s.timer = time.AfterFunc(left, func() {
		_ = d.send(context.Background(), message{fact: func() fsm.Input { return d.due(s) }})
	})
}

// due is the input that a slot becomes, or nothing where it was disarmed or is still
// to come. Where a sleep has passed several it is the latest.
func (d *Daemon) due(s *slot) fsm.Input {
	if d.schedules[s.Schedule] != s {
		return nil
	}
	now := d.now()
	if now < s.at {
		d.await(s)
		return nil
	}
	delete(d.schedules, s.Schedule)
	if at, ok, err := nextSlot(s.ArmSchedule, now); ok && err == nil {
		s.at = at
	}
	return fsm.ScheduleDue{At: now, Schedule: s.Schedule, Slot: s.at}
}
