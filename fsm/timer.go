package fsm

import (
	"strconv"
	"strings"
)

// SetTimer arms a timer; [TimerFired] answers unless it is cleared first.
type SetTimer struct {
	Timer   TimerID      `json:"timer"`
	Handle  HandleID     `json:"handle,omitempty"`
	Purpose TimerPurpose `json:"purpose"`
	After   Millis       `json:"after"`
}

func (e SetTimer) hash(x *Hasher) {
	x.Word(uint64(e.Timer))
	x.Word(uint64(e.Handle))
	x.Str(string(e.Purpose))
	x.Word(uint64(e.After))
}

// TimerFired says that an armed timer has run out.
type TimerFired struct {
	Timer TimerID `json:"timer"`
}

// TimerPurpose says what a timer bounds.
type TimerPurpose string

// The purposes of a timer.
const (
	TimerHandle   TimerPurpose = "handle"   // a handle's whole time
	TimerAbort    TimerPurpose = "abort"    // an aborted tool's time to stop
	TimerGrace    TimerPurpose = "grace"    // active handles' time at shutdown
	TimerBackoff  TimerPurpose = "backoff"  // the wait before the model is asked again
	TimerRetry    TimerPurpose = "retry"    // the wait before a tool is started again
	TimerCompact  TimerPurpose = "compact"  // a compaction or consolidation
	TimerApproval TimerPurpose = "approval" // a person's time to decide
	TimerHold     TimerPurpose = "hold"     // a person's time to say what a tool did
	TimerProbe    TimerPurpose = "probe"    // a probe's time to say what became of a call
	TimerAnswer   TimerPurpose = "answer"   // a model call, to its next stage or its end
	TimerIdle     TimerPurpose = "idle"     // the time in which no other handle may arrive
	TimerPostpone TimerPurpose = "postpone" // the wait before a postponed handle goes on
)

// ClearTimer disarms a timer that has not fired.
type ClearTimer struct {
	Timer TimerID `json:"timer"`
}

func (e ClearTimer) hash(x *Hasher) { x.Word(uint64(e.Timer)) }

// Schedule is what the tool cron has armed.
type Schedule struct {
	ID     string `json:"id"`
	Home   string `json:"home"` // the session that asked for it
	Origin Origin `json:"origin,omitzero"`
	Text   string `json:"text"` // the input of each slot's handle
	Every  Millis `json:"every,omitempty"`
	Cron   string `json:"cron,omitempty"`
	Once   Millis `json:"once,omitempty"`
	Last   Millis `json:"last"`           // the slot taken last, or when it was made
	Zone   string `json:"zone,omitempty"` // of the expression's times; empty: UTC
	Source Source `json:"source,omitzero"`
	Paused bool   `json:"paused,omitempty"` // by a person: it is not armed (HND-62)
}

// ScheduleChange is what a person does with a schedule.
type ScheduleChange string

// The changes.
const (
	ScheduleAdd    ScheduleChange = "add"
	ScheduleRemove ScheduleChange = "remove"
	SchedulePause  ScheduleChange = "pause"
	ScheduleResume ScheduleChange = "resume"
	ScheduleRun    ScheduleChange = "run" // now, in addition to its slots
)

// ScheduleChanged is a person's change to a schedule (HND-62). A schedule to add is given
// as to the tool cron: exactly one of Every, Cron and Once, with times in Zone.
type ScheduleChanged struct {
	Change   ScheduleChange `json:"change"`
	Schedule string         `json:"schedule,omitempty"` // its id; empty for one to add
	Text     string         `json:"text,omitempty"`     // the input of each slot's handle
	Every    Millis         `json:"every,omitempty"`
	Cron     string         `json:"cron,omitempty"`
	Once     string         `json:"once,omitempty"` // as 2026-01-31T09:00
	Zone     string         `json:"zone,omitempty"` // empty: the person's
	Session  string         `json:"session,omitempty"`
	Origin   Origin         `json:"origin,omitzero"` // where its answers go
	By       string         `json:"by,omitempty"`
}

// ArmSchedule asks for the slot of a schedule that [ArmSchedule.Next] names; [ScheduleDue]
// answers when it comes, or at once if it has passed. Exactly one of Every, Cron and Once
// is set.
type ArmSchedule struct {
	Schedule string `json:"schedule"`
	Every    Millis `json:"every,omitempty"` // slots at From + n × Every
	Cron     string `json:"cron,omitempty"`  // as [fsm/cron] reads it
	Once     Millis `json:"once,omitempty"`  // the one slot
	From     Millis `json:"from"`
	Zone     Zone   `json:"zone,omitzero"` // of the times of Cron
}

func (e ArmSchedule) hash(x *Hasher) {
	x.Str(e.Schedule)
	x.Word(uint64(e.Every))
	x.Str(e.Cron)
	x.Word(uint64(e.Once))
	x.Word(uint64(e.From))
	if e.Zone.Name != "" { // an older build's had none
		e.Zone.hash(x)
	}
}

// ScheduleDue says that a schedule's slot has come. Slot is the wall time that the
// schedule names, which may have passed while no process ran. Back: the clock was set back,
// and the slot is earlier than the last one that was taken (HND-65).
type ScheduleDue struct {
	Schedule string `json:"schedule"`
	Slot     Millis `json:"slot"`
	Back     bool   `json:"back,omitempty"`
}

// Topic is what distinguishes a slot from those of other schedules.
func (d ScheduleDue) Topic() string { return d.Schedule }

// DisarmSchedule ends a schedule.
type DisarmSchedule struct {
	Schedule string `json:"schedule"`
}

func (e DisarmSchedule) hash(x *Hasher) { x.Str(e.Schedule) }

// HeartbeatSchedule is the id of the schedule under which the heartbeat's slots are armed
// (EVT-20).
const HeartbeatSchedule = "heartbeat"

// BeatKey ends the key of a message that a beat sends, after the key of its handle: a
// greeting is in the session of its chat, where other handles answer, too.
const BeatKey = "-beat"

// LaterKey ends the key of the message that a postponed handle sends, after the key of its
// handle: its answer follows (HND-69).
const LaterKey = "-later"

// Heartbeat is what is done at intervals without being asked (EVT-20). The zero value is
// none.
type Heartbeat struct {
	Every Millis   `json:"every,omitempty"` // between two beats; 0: there are none
	Quiet Quiet    `json:"quiet,omitzero"`
	Zone  string   `json:"zone,omitempty"` // of the hours and days, one of Config.Zones; empty: the first
	To    Origin   `json:"to,omitzero"`    // the chat that the answers go to
	Do    string   `json:"do,omitempty"`   // what is done at each beat; empty: nothing
	Greet Greeting `json:"greet,omitzero"` // when a person is greeted
}

// Quiet is the hours of the day, as a zone's clocks show them, in which there is no beat
// (EVT-21): from From on and before Until, in minutes since midnight, 0 to 1439. If both
// are the same there are none; if Until is before From they span midnight.
type Quiet struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// ParseQuiet reads hours such as 22:00-08:00.
func ParseQuiet(text string) (q Quiet, ok bool) {
	from, until, cut := strings.Cut(text, "-")
	var first, second bool
	q.From, first = parseClock(strings.TrimSpace(from))
	q.Until, second = parseClock(strings.TrimSpace(until))
	return q, cut && first && second
}

// parseClock reads a time of day such as 08:00, in minutes since midnight.
func parseClock(text string) (minutes int, ok bool) {
	hours, rest, cut := strings.Cut(text, ":")
	h, bad := strconv.ParseUint(hours, 10, 8)
	m, wrong := strconv.ParseUint(rest, 10, 8)
	return int(h*60 + m), cut && bad == nil && wrong == nil && len(hours) <= 2 && len(rest) == 2 && h < 24 && m < 60
}

// String formats the hours as ParseQuiet reads them.
func (q Quiet) String() string { return clockOf(q.From) + "-" + clockOf(q.Until) }

func clockOf(minutes int) string { return two(int64(minutes/60)) + ":" + two(int64(minutes%60)) }

// Greeting says when to greet a person who has not written for a while (EVT-22).
type Greeting struct {
	Idle   Millis `json:"idle,omitempty"`    // since the last request and the last greeting; 0: no greetings
	PerDay int    `json:"per_day,omitempty"` // at most
	Chance Share  `json:"chance,omitempty"`  // of each beat that could be a greeting; 100: each is
}
