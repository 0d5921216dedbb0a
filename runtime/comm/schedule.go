package comm

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/cron"
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
		if i := slices.IndexFunc(s.Handles, func(h state.Handle) bool { return h.Kind == fsm.KindSchedule && h.Session == "schedule:"+c.ID }); i >= 0 {
			one.Running, one.State = s.Handles[i].ID, s.Handles[i].State
		}
		all = append(all, one)
	}
	return all
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
