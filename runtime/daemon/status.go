package daemon

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// textShown is the most bytes of a handle's input that a status shows.
const textShown = 200

// status is the machine's part of the status (COM-53). Only the loop calls it.
func (d *Daemon) status() comm.Status {
	view := d.driver.Machine().View()
	s := comm.Status{
		Lifecycle: view.Lifecycle, Epoch: view.Epoch, Ignored: view.Ignored, Waiting: view.Waiting(), Active: []comm.Active{},
		Schedules: comm.Schedules(view, d.now().Wall), Heartbeat: comm.HeartbeatOf(view, d.now().Wall),
	}
	if view.Reads > 0 {
		s.Pace = &fsm.Pace{Reads: view.Reads}
	}
	if u := view.Upkeep; u.Failed > 0 {
		s.Upkeep = &u
	}
	for i := range view.Config.Tools {
		t := &view.Config.Tools[i]
		s.Tools = append(s.Tools, t.Name)
		if t.Approve {
			s.Approve = append(s.Approve, t.Name)
		}
	}
	kept := d.kept()
	s.Journal = comm.Journal{First: kept.First, Last: kept.Last, Bytes: kept.Bytes}
	for i := range view.Handles {
		h := &view.Handles[i]
		asks := comm.AskOf(&view.Config, h)
		d.hub.preview(asks)
		if asks == nil && h.ParkedOrQueued() {
			if len(s.Queue) < comm.QueueMax {
				s.Queue = append(s.Queue, queued(view, i))
			}
			continue
		}
		began, note := d.hub.standing(h.ID)
		s.Active = append(s.Active, comm.Active{
			Handle: h.ID, Kind: h.Kind, Session: h.Session, State: h.State, Since: began, Waits: note, Text: wording.Clip(wording.Subject(h.Input, h.Compacts), textShown),
			Inference: h.Inf.State, Label: view.Config.Label(h.Inf.State), Request: h.Request.ID, Asks: asks,
		})
	}
	if err := d.driver.Short(d.now()); err != nil {
		s.NoSpace = err.Error()
	}
	if d.driver.Down() {
		s.Lifecycle = state.Down // not booted: the machine is as the last process left it
	}
	return s
}

// queued returns the handle at i, which is waiting.
func queued(s *state.Snapshot, i int) comm.Queued {
	h := &s.Handles[i]
	return comm.Queued{
		Handle: h.ID, Kind: h.Kind, Session: h.Session, State: h.State, Request: h.Request.ID, Text: wording.Clip(wording.Subject(h.Input, h.Compacts), textShown), Why: waitsFor(s, i),
	}
}

// questioned returns the index of the handle before the one at i, in its session, about which a person is
// asked; negative: there is none. A session answers in order.
func questioned(s *state.Snapshot, i int) int {
	return slices.IndexFunc(s.Handles[:i], func(o state.Handle) bool { return o.Session == s.Handles[i].Session && o.AsksPerson() })
}

// waitsFor returns in words what the handle at i waits for.
func waitsFor(s *state.Snapshot, i int) string {
	h := &s.Handles[i]
	busy := slices.IndexFunc(s.Handles, func(o state.Handle) bool { return o.ID != h.ID && o.Session == h.Session && !o.Waiting() })
	switch {
	case h.State == state.Parked:
		return "kept for the next start"
	case s.Lifecycle != state.Serving:
		return "until shelly serves"
	case h.State == state.Idling:
		return "until nobody has come for a while"
	case h.Kind == fsm.KindMemory:
		return "until nobody else waits"
	case busy >= 0:
		return fmt.Sprintf("its session is at work (%s)", s.Handles[busy].ID.Entry())
	}
	if asks := questioned(s, i); asks >= 0 {
		return fmt.Sprintf("until the question about %s in its session is answered", s.Handles[asks].ID.Entry())
	}
	ahead := 0
	for _, o := range s.Handles[:i] {
		if o.State == state.Queued {
			ahead++
		}
	}
	if ahead == 0 {
		return "next"
	}
	return wording.Count(ahead, "other") + " before it"
}
