package daemon

import (
	"context"
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

var _ comm.Front = (*Daemon)(nil)

// accepted is the outcome of an Accept.
type accepted struct {
	engine.Acceptance
	err error
}

// Accept implements [comm.Front].
func (d *Daemon) Accept(ctx context.Context, r comm.Request) (engine.Acceptance, error) {
	a, err := ask(ctx, d, func() accepted {
		a, err := d.engine.Accept(fsm.Requested{At: d.now(), Request: r.Key, Session: r.Session, Text: r.Text})
		return accepted{a, err}
	})
	if err != nil {
		return engine.Acceptance{}, stopping(err)
	}
	return a.Acceptance, a.err
}

// Raise implements [comm.Front].
func (d *Daemon) Raise(ctx context.Context, e fsm.EventRaised) error {
	raised, err := ask(ctx, d, func() error {
		if err := d.engine.Ready(); err != nil {
			return err
		}
		e.At = d.now()
		return d.turn(e)
	})
	if err != nil {
		return stopping(err)
	}
	return raised
}

// Request implements [comm.Front].
func (d *Daemon) Request(ctx context.Context, key fsm.RequestKey) (r engine.Request, ok bool, err error) {
	return d.o.Journal.Request(key)
}

// watched is the outcome of a Watch.
type watched struct {
	events <-chan comm.Event
	err    error
}

// Watch implements [comm.Front].
func (d *Daemon) Watch(ctx context.Context, key fsm.RequestKey) (<-chan comm.Event, error) {
	w, err := ask(ctx, d, func() watched {
		now, err := d.standing(key)
		if err != nil {
			return watched{err: err}
		}
		w := d.hub.watch(key, now)
		context.AfterFunc(ctx, func() { d.hub.leave(key, w) })
		return watched{events: w.events}
	})
	if err != nil {
		return nil, stopping(err)
	}
	return w.events, w.err
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
func (d *Daemon) Status(ctx context.Context) comm.Status {
	s, err := ask(ctx, d, d.status)
	if err != nil {
		s = comm.Status{Lifecycle: fsm.Stopped, Active: []comm.Active{}}
	}
	s.Version, s.Brain, s.Data = d.o.About.Version, d.o.About.Brain, d.o.About.Data
	s.UptimeMS = d.o.Now().Sub(d.started).Milliseconds()
	return s
}

// status is the machine's part of the status. Only the loop calls it.
func (d *Daemon) status() comm.Status {
	m := d.engine.Machine()
	view := m.View()
	s := comm.Status{
		Lifecycle: view.Lifecycle, Epoch: view.Epoch, Ignored: view.Ignored, Waiting: m.Waiting(), Active: []comm.Active{},
	}
	for _, h := range view.Handles {
		if h.State != fsm.Queued && h.State != fsm.Parked {
			s.Active = append(s.Active, comm.Active{Kind: h.Kind, State: h.State, Inference: h.Inf.State, Request: h.Request.ID})
		}
	}
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
	if errors.Is(err, errStopped) {
		return engine.ErrStopping
	}
	return err
}
