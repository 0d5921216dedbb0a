package daemon_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/daemon"
)

// leaps is a clock that advances each time it is read.
func leaps(by time.Duration) func() time.Time {
	begin, looks := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), &atomic.Int64{}
	return func() time.Time { return begin.Add(by * time.Duration(looks.Add(1))) }
}

// scheduler starts a daemon with a clock and a request that has called cron.
func scheduler(t *testing.T, journal engine.Journal, now func() time.Time, args string) *fixture {
	t.Helper()
	f := startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Switches.History = fsm.HistoryNone
		o.Journal, o.Now = journal, now
	})
	if args != "" {
		f.ask("a", "remind me")
		f.next().use(fsm.ToolCron, args)
	}
	return f
}

// A schedule's slot becomes a handle, whose answer is a message to the chat in which the
// schedule was made; each slot is taken once (HND-47).
func TestHND42ASlotBecomesAMessage(t *testing.T) {
	journal := engine.NewMemoryJournal()
	f := scheduler(t, journal, leaps(time.Minute), `{"action":"add","message":"look at the disk","every_seconds":30}`)
	news := f.Listen(f.ctx, here)
	<-news
	for n := 0; n < 3; {
		call := f.next()
		if told := said(call); strings.Contains(told[len(told)-1], "look at the disk") {
			call.says("it is full")
			<-news
			n++
		} else {
			call.says("I will")
		}
	}
	messages, err := f.Messages(f.ctx, here, 0, 10)
	if err != nil || len(messages) < 3 || messages[0].Text != "it is full" {
		t.Errorf("messages %+v, %v", messages, err)
	}
	f.end()
	last := fsm.Millis(0)
	for _, r := range journal.Records() {
		if due, ok := r.Input.Fact.(fsm.ScheduleDue); ok {
			if due.Slot <= last || due.Slot > r.Input.At || (due.Slot-last)%30_000 != 0 && last != 0 {
				t.Errorf("slot %d at %d after slot %d", due.Slot, r.Input.At, last)
			}
			last = due.Slot
		}
	}
}

// A schedule for one time has one slot. If it passed while no daemon was
// running, it is taken at once (HND-43).
func TestHND43AMissedSlotIsTakenAfterTheStart(t *testing.T) {
	journal := engine.NewMemoryJournal()
	f := scheduler(t, journal, leaps(time.Millisecond), `{"action":"add","message":"wake","at":"2026-01-31T12:00:00Z"}`)
	f.next().says("I will")
	f.replied("a")
	f.end()
	f = scheduler(t, journal, leaps(10*time.Hour), "")
	call := f.next()
	if told := said(call); told[len(told)-1] != "user: wake" {
		t.Errorf("the model gets %v", told)
	}
	call.says("good morning")
	f.end()
	for _, r := range journal.Records() {
		if due, ok := r.Input.Fact.(fsm.ScheduleDue); ok && due.Slot != fsm.Millis(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).UnixMilli()) {
			t.Errorf("the slot is %+v", due)
		}
	}
}

// A cron expression has its slots in UTC, in the daemon as in the simulator. A
// schedule that is removed has none.
func TestHND42CronSlotsAndASchedulesEnd(t *testing.T) {
	journal := engine.NewMemoryJournal()
	f := scheduler(t, journal, leaps(time.Millisecond), `{"action":"add","message":"never","every_seconds":3600}`)
	f.next().use(fsm.ToolCron, `{"action":"remove","job_id":"s1"}`)
	f.next().use(fsm.ToolCron, `{"action":"add","message":"wake","cron_expr":"30 7 * * 1"}`)
	f.next().says("done")
	f.replied("a")
	f.end()
	f = scheduler(t, journal, leaps(5*24*time.Hour), "")
	call := f.next()
	if told := said(call); told[len(told)-1] != "user: wake" {
		t.Errorf("the model gets %v", told)
	}
	call.says("good morning")
	f.end()
	slots := 0
	for _, r := range journal.Records() {
		due, ok := r.Input.Fact.(fsm.ScheduleDue)
		if !ok {
			continue
		}
		slots++
		if at := time.UnixMilli(int64(due.Slot)).UTC(); due.Schedule != "s2" || due.Slot > r.Input.At || at.Format("Mon 15:04:05") != "Mon 07:30:00" {
			t.Errorf("schedule %s has the slot %s", due.Schedule, at)
		}
	}
	if slots == 0 {
		t.Error("no slot was taken")
	}
}
