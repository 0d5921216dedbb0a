package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/inbox"
)

var _ comm.Front = (*Daemon)(nil)

// Accept implements [comm.Front].
func (d *Daemon) Accept(ctx context.Context, r comm.Request) (engine.Acceptance, error) {
	asked := &asking{met: make(chan engine.Met, 1), Requested: fsm.Requested{
		Request: r.Key, Session: r.Session, Origin: r.Origin, Text: r.Text, Images: r.Images, Context: r.Context,
	}}
	met, err := await(ctx, d, message{asked: asked}, asked.met)
	if err != nil {
		return engine.Acceptance{}, stopping(err)
	}
	return met.Acceptance, met.Err
}

// Raise implements [comm.Front].
func (d *Daemon) Raise(ctx context.Context, e fsm.EventRaised) error {
	raised, err := ask(ctx, d, func() error { return d.driver.Raise(d.now(), e) })
	return cmp.Or(stopping(err), raised)
}

// Request implements [comm.Front].
func (d *Daemon) Request(ctx context.Context, key fsm.RequestKey) (r engine.Request, ok bool, err error) {
	return d.o.Journal.Request(key)
}

// outcome is what a function that can fail has returned.
type outcome[T any] struct {
	of  T
	err error
}

// tried is ask for a function that can fail. In the loop it sees nothing that is not yet durable.
func tried[T any](ctx context.Context, d *Daemon, f func() (T, error)) (T, error) {
	o, err := ask(ctx, d, func() (o outcome[T]) {
		o.of, o.err = f()
		return o
	})
	return o.of, cmp.Or(stopping(err), o.err)
}

// Cancel implements [comm.Front].
func (d *Daemon) Cancel(ctx context.Context, key fsm.RequestKey) (bool, error) {
	return tried(ctx, d, func() (bool, error) {
		return d.driver.Cancel(d.now(), fsm.CancelRequested{Request: key})
	})
}

// CancelHandle implements [comm.Front].
func (d *Daemon) CancelHandle(ctx context.Context, id fsm.HandleID) (bool, error) {
	return tried(ctx, d, func() (bool, error) {
		return d.driver.Cancel(d.now(), fsm.CancelRequested{Handle: id})
	})
}

// Typing implements [comm.Front]. The model's server is asked whether it has the model loaded only if
// something may be read.
func (d *Daemon) Typing(ctx context.Context, session string, from fsm.Origin) (bool, error) {
	session, _ = fsm.Belongs(session, from)
	in := fsm.Typing{Session: session, Unloaded: true}
	if may, err := ask(ctx, d, func() bool { return d.driver.Machine().ReadsFor(in) }); err != nil || !may {
		return false, stopping(err)
	}
	in.Unloaded = false
	if d.o.Loaded != nil {
		loaded, err := d.o.Loaded(ctx)
		in.Unloaded = err == nil && !loaded
	}
	return tried(ctx, d, func() (bool, error) { return d.driver.Typing(d.now(), in) })
}

// Schedules implements [comm.Scheduler].
func (d *Daemon) Schedules(ctx context.Context) ([]comm.Schedule, error) {
	list, err := ask(ctx, d, func() []comm.Schedule { return comm.Schedules(d.driver.Machine().View(), d.now().Wall) })
	return list, stopping(err)
}

// Schedule implements [comm.Scheduler].
func (d *Daemon) Schedule(ctx context.Context, in fsm.ScheduleChanged) (string, bool, error) {
	type scheduled struct {
		id    string
		taken bool
	}
	s, err := tried(ctx, d, func() (s scheduled, err error) {
		s.id, s.taken, err = d.driver.Schedule(d.now(), in)
		return s, err
	})
	return s.id, s.taken, err
}

// Decide implements [comm.Front].
func (d *Daemon) Decide(ctx context.Context, in fsm.Decided) (bool, error) {
	return tried(ctx, d, func() (bool, error) {
		now := d.now()
		if err := d.keep(now, in); err != nil {
			return false, err
		}
		return d.driver.Decide(now, in)
	})
}

// keep stores a grant for every session before the decision that gives it is recorded
// (APR-14).
func (d *Daemon) keep(now engine.Now, in fsm.Decided) error {
	g, given := d.driver.Grant(now.Wall, in)
	if !given || d.o.Grants == nil {
		return nil
	}
	if err := d.driver.Short(now); err != nil {
		return err
	}
	if _, err := d.o.Grants.Add(g); err != nil {
		d.o.Log.Error("cannot store an approval for always, so nothing is decided", "error", err)
		return comm.Unsaved(err, "the question stays open, and this call or its session can still be approved")
	}
	return nil
}

// Approvals implements [comm.Approver].
func (d *Daemon) Approvals(ctx context.Context) ([]comm.Approval, error) {
	list, err := ask(ctx, d, func() []comm.Approval { return comm.Approvals(d.driver.Machine().View()) })
	return list, stopping(err)
}

// Revoke implements [comm.Approver].
func (d *Daemon) Revoke(ctx context.Context, in fsm.Revoked) (bool, error) {
	return tried(ctx, d, func() (bool, error) {
		now, removed := d.now(), false
		if err := d.driver.Short(now); err != nil {
			return false, err
		}
		if d.o.Grants != nil {
			var err error
			if removed, err = d.o.Grants.Remove(in.Grant); err != nil {
				return false, comm.Unsaved(err, "the approval still holds")
			}
		}
		taken, err := d.driver.Revoke(now, in)
		return taken || removed, err
	})
}

// Resolve implements [comm.Front].
func (d *Daemon) Resolve(ctx context.Context, in fsm.Resolved) (bool, error) {
	return tried(ctx, d, func() (bool, error) {
		return d.driver.Resolve(d.now(), in)
	})
}

// Configure replaces the configuration of the running epoch, and returns once that
// is durable (CFG-10). An engine.ErrNoSpace means that nothing has happened.
func (d *Daemon) Configure(ctx context.Context, c fsm.Config) error {
	failed, err := ask(ctx, d, func() (err error) {
		if c.Grants, err = d.granted(c); err != nil { // here in the loop, where nobody else can change them
			return err
		}
		return d.driver.Configure(d.now(), c)
	})
	return cmp.Or(stopping(err), failed)
}

// Messages implements [comm.Front].
func (d *Daemon) Messages(ctx context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	return tried(ctx, d, func() ([]engine.Message, error) { return d.o.Journal.Messages(to, after, limit) })
}

// Audit implements [comm.Front].
func (d *Daemon) Audit(ctx context.Context, session string, after uint64, limit int) ([]engine.Audit, error) {
	return tried(ctx, d, func() ([]engine.Audit, error) { return d.o.Journal.Audit(session, after, limit) })
}

// Listen implements [comm.Mailbox]. A listener that keeps the position of the last message that
// it delivered misses none and delivers none twice.
func (d *Daemon) Listen(ctx context.Context, to fsm.Origin) <-chan struct{} {
	l := d.hub.listen(to)
	context.AfterFunc(ctx, func() { d.hub.deafen(l) })
	return l.news
}

// Inbox implements [comm.Mailbox].
func (d *Daemon) Inbox() *inbox.Inbox { return d.o.Inbox }

// Read implements [comm.Mailbox].
func (d *Daemon) Read(ctx context.Context, marks []inbox.Mark) error {
	last, err := tried(ctx, d, func() (uint64, error) { return d.driver.Durable(), d.driver.Short(d.now()) })
	if err != nil {
		return err
	}
	return d.o.Inbox.Read(engine.LastOf(last), marks...)
}

// Unread implements [comm.Mailbox].
func (d *Daemon) Unread(ctx context.Context) (comm.Unread, error) {
	return comm.Count(d.o.Inbox, func(after uint64) ([]engine.Message, error) {
		return d.Messages(ctx, fsm.Origin{}, after, engine.ReadMax)
	})
}

// Watch implements [comm.Front].
func (d *Daemon) Watch(ctx context.Context, key fsm.RequestKey) (<-chan comm.Event, error) {
	return tried(ctx, d, func() (<-chan comm.Event, error) {
		now, err := d.standing(key)
		if err != nil {
			return nil, err
		}
		w := d.hub.watch(key, now, d.driver.Last())
		d.hub.until(ctx, key, w)
		return w.events, nil
	})
}

// WatchFrom implements [comm.Front].
func (d *Daemon) WatchFrom(ctx context.Context, key fsm.RequestKey, after position.Position) (<-chan comm.Event, error) {
	type from struct {
		events <-chan comm.Event
		missed bool
		last   uint64
	}
	f, err := tried(ctx, d, func() (f from, err error) {
		now, err := d.standing(key)
		if err != nil {
			return f, err
		}
		var w *watcher
		f.last = d.driver.Last() // other watchers were sent it too, although a kill may lose it
		w, f.missed = d.hub.watchFrom(key, now, after, f.last)
		d.hub.until(ctx, key, w)
		f.events = w.events
		return f, nil
	})
	if err != nil || !f.missed {
		return f.events, err
	}
	return d.resumed(ctx, key, after, f.last, f.events), nil
}

// Replied implements [comm.Front].
func (d *Daemon) Replied(ctx context.Context, r engine.Request) (engine.Request, error) {
	if r.Done {
		return r, nil
	}
	if over := d.hub.awaits(r.Handle, r.Key); over != nil {
		defer d.hub.forsakes(r.Key, over)
		select {
		case <-over:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	now, ok, err := d.o.Journal.Request(r.Key)
	if err != nil || !ok {
		return r, err
	}
	return now, nil
}

// standing returns a request's state as an event. Only the loop calls it.
func (d *Daemon) standing(key fsm.RequestKey) (comm.Event, error) {
	r, ok, err := d.o.Journal.Request(key)
	switch {
	case err != nil:
		return comm.Event{}, fmt.Errorf("look up request %q: %w", key.ID, err)
	case !ok:
		return comm.Event{}, fmt.Errorf("there is no request %q", key.ID)
	case r.Done:
		return comm.Event{Type: comm.EventReply, ID: key.ID, Text: r.Reply, IsError: r.IsError, Outcome: r.Outcome}, nil
	}
	view := d.driver.Machine().View()
	i := view.IndexOf(r.Handle)
	if i < 0 {
		return comm.Event{}, fmt.Errorf("request %q has neither a reply nor a handle", key.ID)
	}
	h := &view.Handles[i]
	e := comm.Event{Type: comm.EventState, ID: key.ID, State: h.State, Inference: h.Inf.State, Label: d.config().Label(h.Inf.State)}
	if h.State == state.Queued {
		var line state.Line
		for n := range view.Handles[:i+1] {
			e.Ahead, _ = line.Join(&view.Config, &view.Handles[n])
		}
	}
	return e, nil
}

// Status implements [comm.Front].
func (d *Daemon) Status(ctx context.Context) comm.Status {
	s, err := ask(ctx, d, d.status)
	if err != nil {
		s = comm.Status{Lifecycle: state.Stopped, Active: []comm.Active{}}
	}
	s.Version, s.Brain, s.Data, s.Workspace = d.o.About.Version, d.o.About.Brain(), d.o.About.Data, d.o.About.Workspace
	if d.o.About.Asks != nil {
		s.Model, s.Server = d.o.About.Asks()
	}
	if d.o.About.Contained != nil {
		s.Contained = d.o.About.Contained()
	}
	if d.o.Counts != nil {
		counts := d.o.Counts()
		s.Memory = &counts
	}
	if d.o.Texts != nil {
		if texts := d.o.Texts(); texts.Count > 0 {
			s.Texts = &texts
		}
	}
	if d.o.Damage != nil {
		s.Damage = d.o.Damage()
	}
	s.UptimeMS = d.o.Now().Sub(d.started).Milliseconds()
	return s
}

// Standings implements [comm.Front].
func (d *Daemon) Standings(ctx context.Context) ([]comm.Standing, error) {
	all, err := ask(ctx, d, func() []comm.Standing { return comm.Standings(d.driver.Machine().View()) })
	for _, s := range all {
		d.hub.preview(s.Asks)
		if s.Subagent != nil {
			s.Subagent.Since, _ = d.hub.standing(s.Handle)
		}
	}
	return all, stopping(err)
}

// Space returns engine.ErrNoSpace if the daemon accepts nothing because the disk is too full.
func (d *Daemon) Space(ctx context.Context) error {
	lacking, err := ask(ctx, d, func() error { return d.driver.Short(d.now()) })
	return cmp.Or(stopping(err), lacking)
}

// observe logs what a durable step did, and passes it on.
func (d *Daemon) observe(s engine.Step) {
	view := d.driver.Machine().View()
	d.stillReads() // no record can repeat what it tells
	d.hub.telling(s.Index, view.Epoch)
	defer d.hub.telling(0, view.Epoch)
	if in, is := s.Input.Fact.(fsm.Requested); is {
		d.admitted(in.Request)
	}
	for _, key := range d.questions.step(s) {
		if tools, ok := d.o.Tools.(Refuser); ok {
			tools.Refused(key)
		}
	}
	debug := d.o.Log.Enabled(context.Background(), slog.LevelDebug)
	for _, m := range s.Moves {
		switch m.Table {
		case state.Lifecycle.Name:
			d.lived(m)
			if m.To == state.Serving {
				d.tidySoon()
			}
		default:
			if debug {
				d.o.Log.Debug(m.Table, "handle", m.Handle, "state", m.To, "because", m.On)
			}
			if m.Table == state.HandleTable.Name {
				d.hub.begun(m, s.Input.At)
			}
		}
	}
	d.hub.step(s, view)
	d.retried(s)
	d.tellsQuestions(view)
	for _, m := range s.Messages() {
		d.o.Log.Info("message sent", "handle", m.Handle, "channel", m.To.Channel, "chat", m.To.Chat, "key", m.Key)
		d.hub.sent(m.To)
	}
	for _, e := range s.Effects {
		e, is := e.(fsm.RunTool)
		if level := startLevel(e.Effects); is && (debug || level > slog.LevelDebug) {
			d.o.Log.Log(context.Background(), level, "tool started", "tool", e.Name, "handle", e.Handle, "effects", e.Effects)
		}
	}
	d.watch.Step(s, view)
}

// startLevel is the level at which the start of a tool is logged: what only reads starts several
// times a turn (OBS-4).
func startLevel(effects fsm.ToolEffects) slog.Level {
	if effects == fsm.EffectsNone {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// lived logs a transition of the lifecycle. The end of the last run is logged only if that run
// did not shut down properly.
func (d *Daemon) lived(m state.Move) {
	switch {
	case m.On != state.OnLost:
		d.o.Log.Info("lifecycle", "state", m.To, "because", m.On)
	case m.From != state.Stopped:
		d.o.Log.Warn("the journal ends without a shutdown, as after a crash or in a restored backup; what was unfinished continues", "state", m.From)
	}
}

// admitted makes a new request's handle known before the first event about
// it.
func (d *Daemon) admitted(key fsm.RequestKey) {
	for _, h := range d.driver.Machine().View().Handles {
		if h.Kind == fsm.KindUser && h.Request == key {
			d.hub.begins(h.ID, key)
		}
	}
}

// stopping returns the listeners' error for a daemon that accepts nothing any more.
func stopping(err error) error {
	if errors.Is(err, errStopped) {
		return engine.ErrStopping
	}
	return err
}
