package daemon

import (
	"context"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

var _ comm.Front = (*Daemon)(nil)

// Accept implements [comm.Front].
func (d *Daemon) Accept(ctx context.Context, r comm.Request) (a engine.Acceptance, err error) {
	asked := d.ask(ctx, func() {
		a, err = d.engine.Accept(fsm.Requested{At: d.now(), Request: r.Key, Session: r.Session, Text: r.Text})
	})
	if asked != nil {
		return engine.Acceptance{}, stopping(asked)
	}
	return a, err
}

// Raise implements [comm.Front].
func (d *Daemon) Raise(ctx context.Context, e fsm.EventRaised) (err error) {
	asked := d.ask(ctx, func() {
		if err = d.engine.Ready(); err == nil {
			e.At = d.now()
			err = d.turn(e)
		}
	})
	if asked != nil {
		return stopping(asked)
	}
	return err
}

// Request implements [comm.Front].
func (d *Daemon) Request(ctx context.Context, key fsm.RequestKey) (r engine.Request, ok bool, err error) {
	return d.o.Journal.Request(key)
}

// Watch implements [comm.Front].
func (d *Daemon) Watch(ctx context.Context, key fsm.RequestKey) (<-chan comm.Event, error) {
	var w *watcher
	var err error
	asked := d.ask(ctx, func() {
		var now comm.Event
		if now, err = d.standing(key); err == nil {
			w = d.hub.watch(key, now)
		}
	})
	if asked != nil {
		return nil, stopping(asked)
	}
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { d.hub.leave(key, w) })
	return w.events, nil
}

// standing is where a request stands, as an event. Only the loop calls it.
func (d *Daemon) standing(key fsm.RequestKey) (comm.Event, error) {
	r, ok, err := d.o.Journal.Request(key)
	switch {
	case err != nil:
		return comm.Event{}, fmt.Errorf("look up request %q: %w", key.ID, err)
	case !ok:
		return comm.Event{}, fmt.Errorf("there is no request %q", key.ID)
	case r.Done:
		return comm.Event{Type: comm.EventReply, ID: key.ID, Text: r.Reply, IsError: r.IsError}, nil
	}
	ahead := 0
	for _, h := range d.engine.Machine().View().Handles {
		if h.ID == r.Handle {
			e := comm.Event{Type: comm.EventState, ID: key.ID, State: h.State, Inference: h.Inf.State}
			if h.State == fsm.Queued {
				e.Ahead = ahead
			}
			return e, nil
		}
		ahead++
	}
	return comm.Event{}, fmt.Errorf("request %q has neither a reply nor a handle", key.ID)
}

// Status implements [comm.Front].
func (d *Daemon) Status(ctx context.Context) (s comm.Status) {
	s = comm.Status{
		Version: d.o.About.Version, Brain: d.o.About.Brain, Data: d.o.About.Data,
		Lifecycle: fsm.Stopped, UptimeMS: d.o.Now().Sub(d.started).Milliseconds(), Active: []comm.Active{},
	}
	_ = d.ask(ctx, func() {
		view := d.engine.Machine().View()
		s.Lifecycle, s.Epoch, s.Ignored = view.Lifecycle, view.Epoch, view.Ignored
		s.Waiting = d.engine.Machine().Waiting()
		for _, h := range view.Handles {
			if h.State != fsm.Queued && h.State != fsm.Parked {
				s.Active = append(s.Active, comm.Active{Kind: h.Kind, State: h.State, Inference: h.Inf.State, Request: h.Request.ID})
			}
		}
	})
	return s
}

// observe passes on what a durable step did, and logs it.
func (d *Daemon) observe(s engine.Step) {
	switch in := s.Input.(type) {
	case fsm.Requested:
		d.admitted(in.Request)
	case fsm.ToolAnswered:
		d.hub.toolEnded(in.Call, in.Text, in.Failed)
	case fsm.ToolStopped:
		d.hub.toolEnded(in.Call, "stopped", true)
	}
	for _, m := range s.Moves {
		switch m.Table {
		case fsm.Lifecycle.Name:
			d.o.Log.Info("lifecycle", "state", m.To, "because", m.On)
		default:
			d.o.Log.Debug(m.Table, "handle", m.Handle, "state", m.To, "because", m.On)
			d.hub.moved(m)
		}
	}
	for _, e := range s.Effects {
		if run, ok := e.(fsm.RunTool); ok {
			d.hub.toolStarted(run)
			d.o.Log.Info("a tool starts", "tool", run.Name, "handle", run.Handle, "effects", run.Effects)
		}
	}
}

// admitted makes a new request's handle known before the first thing is told of
// it.
func (d *Daemon) admitted(key fsm.RequestKey) {
	for _, h := range d.engine.Machine().View().Handles {
		if h.Kind == fsm.KindUser && h.Request == key {
			d.hub.know(h.ID, key)
		}
	}
}

// stopping is the listeners' word for a daemon that takes nothing any more.
func stopping(err error) error {
	if err == errStopped {
		return engine.ErrStopping
	}
	return err
}
