package comm

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/fsm/heartbeat"
	"shelly/fsm/state"
)

// Schedule is a schedule as a client sees it. Exactly one of EverySeconds, Cron and Once is set.
type Schedule struct {
	ID           string       `json:"id"`
	Text         string       `json:"text"` // what to do
	EverySeconds int64        `json:"every_seconds,omitempty"`
	Cron         string       `json:"cron,omitempty"`
	Once         fsm.Millis   `json:"once,omitempty"`
	Zone         string       `json:"zone,omitempty"` // of the expression's times; absent: UTC
	Next         fsm.Millis   `json:"next,omitempty"` // its next slot; absent: it is paused, or has none
	Last         fsm.Millis   `json:"last"`           // the last slot taken, or when it was made
	Paused       bool         `json:"paused,omitempty"`
	Running      fsm.HandleID `json:"running,omitempty"` // the handle of a slot that waits or runs
	State        fsm.State    `json:"state,omitempty"`   // of that handle
	Session      string       `json:"session,omitempty"` // in which it was made
	Channel      string       `json:"channel,omitempty"` // where its answers go
	Chat         string       `json:"chat,omitempty"`
}

// SchedulesBody is the answer to GET /v1/schedules, in the order in which they were made.
type SchedulesBody struct {
	Schedules []Schedule `json:"schedules"`
}

// Schedules returns the schedules of a state as of now.
func Schedules(s *state.Snapshot, now fsm.Millis) []Schedule {
	all := make([]Schedule, 0, len(s.Schedules))
	for _, c := range s.Schedules {
		one := Schedule{
			ID: c.ID, Text: c.Text, EverySeconds: int64(c.Every / fsm.Second), Cron: c.Cron, Once: c.Once, Zone: c.Zone, Last: c.Last,
			Paused: c.Paused, Session: c.Home, Channel: c.Origin.Channel, Chat: c.Origin.Chat,
		}
		if !c.Paused {
			one.Next, _ = cron.Awaited(cron.Arming(s.Config.Zones, c), now)
		}
		if i := slices.IndexFunc(s.Handles, func(h state.Handle) bool { return h.RunOf(c.ID) }); i >= 0 {
			one.Running, one.State = s.Handles[i].ID, s.Handles[i].State
		}
		all = append(all, one)
	}
	return all
}

// Heartbeat is the heartbeat as a client sees it.
type Heartbeat struct {
	EveryMS int64      `json:"every_ms"`
	Next    fsm.Millis `json:"next"`             // its next beat
	Quiet   string     `json:"quiet,omitempty"`  // the quiet hours, such as 22:00-08:00; absent: there are none
	Zone    string     `json:"zone,omitempty"`   // the zone of the quiet hours
	Silent  bool       `json:"silent,omitempty"` // the next beat does nothing, because it is in the quiet hours (EVT-21)
}

// HeartbeatOf returns the heartbeat of a state as of now, or nil if there is none.
func HeartbeatOf(s *state.Snapshot, now fsm.Millis) *Heartbeat {
	hb := &s.Config.Heartbeat
	if hb.Every == 0 {
		return nil
	}
	h := Heartbeat{EveryMS: int64(hb.Every)}
	h.Next, _ = cron.Awaited(fsm.ArmSchedule{Schedule: fsm.HeartbeatSchedule, Every: hb.Every, From: s.Beat.Last}, now)
	if hb.Quiet.From != hb.Quiet.Until {
		zone, _ := cron.ZoneNamed(s.Config.Zones, hb.Zone)
		h.Quiet, h.Zone, h.Silent = hb.Quiet.String(), zone.Name, heartbeat.Quiet(hb.Quiet, &zone, h.Next)
	}
	return &h
}

// Scheduler is a [Front] that has schedules.
type Scheduler interface {
	// Schedules returns the schedules, in the order in which they were made.
	Schedules(ctx context.Context) ([]Schedule, error)
	// Schedule makes a person's change to a schedule, and returns the schedule's id. Taken is
	// false if nothing changed: a run was wanted, and one waits already. An
	// *engine.UnfitError says why the change is not possible.
	Schedule(ctx context.Context, in fsm.ScheduleChanged) (id string, taken bool, err error)
}

// Scheduled is the answer to a change of a schedule.
type Scheduled struct {
	ID    string `json:"id"`
	Taken bool   `json:"taken"`
}
