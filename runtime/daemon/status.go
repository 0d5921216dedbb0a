package daemon

import (
	"cmp"

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
	s.Decided = d.hub.concluded()
	s.Journal = comm.Journal{First: kept.First, Last: kept.Last, Bytes: kept.Bytes}
	line := newQueue(view)
	for i := range view.Handles {
		h := &view.Handles[i]
		asks := comm.AskOf(&view.Config, h)
		d.hub.preview(asks)
		began, note := d.hub.waiting(h.ID, d.now().Wall)
		if asks == nil && h.Waiting() {
			if len(s.Queue) < comm.QueueMax {
				s.Queue = append(s.Queue, queued(h, cmp.Or(note, line.why(i)))) // only one that is postponed has a note
			}
			continue
		}
		s.Active = append(s.Active, comm.Active{
			Handle: h.ID, Kind: h.Kind, Session: h.Session, State: h.State, Since: began, Waits: note, Text: wording.Clip(wording.Subject(h.Input, h.Compacts, h.Ahead), textShown),
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

// queued returns a handle that waits, and why.
func queued(h *state.Handle, why string) comm.Queued {
	return comm.Queued{
		Handle: h.ID, Kind: h.Kind, Session: h.Session, State: h.State, Request: h.Request.ID, Text: wording.Clip(wording.Subject(h.Input, h.Compacts, h.Ahead), textShown), Why: why,
	}
}
