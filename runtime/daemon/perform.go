package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/reading"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
)

// Perform implements engine.World: it starts what takes time, and returns.
func (d *Daemon) Perform(e fsm.Effect) error {
	if failpoint.On() {
		failpoint.HitKind(failpoint.PerformBefore, fsm.EffectKind(e))
		defer failpoint.HitKind(failpoint.PerformAfter, fsm.EffectKind(e))
	}
	performing.Do(d, e)
	return nil
}

// performing has a row for each kind of effect.
var performing = fsm.NewEffectTable(
	fsm.OnEffect(func(d *Daemon, e fsm.AskBrain) struct{} {
		config := *d.config()
		tools, veil := config.Shown(&e), reading.NewVeil(&config, e.Tools)
		return d.start(e, e.Call, func(ctx context.Context) fsm.Fact { return d.chat(ctx, e, tools, veil) })
	}),
	starting((*Daemon).runTool),
	starting((*Daemon).runProbe),
	starting((*Daemon).recall),
	starting((*Daemon).embed),
	starting((*Daemon).store),
	starting((*Daemon).loadSession),
	starting((*Daemon).saveSession),
	starting((*Daemon).loadSkill),
	starting((*Daemon).readText),
	effecting(func(*Daemon, fsm.SendMessage) {}), // written with its step; observe notifies the listeners
	effecting(func(*Daemon, fsm.Audit) {}),       // likewise
	effecting(func(*Daemon, fsm.ArmSchedule) {}), // the driver has noted it
	effecting(func(*Daemon, fsm.DisarmSchedule) {}),
	effecting(func(*Daemon, fsm.Exit) {}),
	effecting((*Daemon).askPerson),
	effecting(func(d *Daemon, e fsm.AbortCall) {
		if cancel, ok := d.running[e.Call]; ok {
			cancel(nil)
		}
	}),
	effecting((*Daemon).arm),
	effecting(func(d *Daemon, e fsm.ClearTimer) { d.disarm(e.Timer) }),
	effecting(func(d *Daemon, e fsm.Reply) { d.hub.reply(e) }),
	effecting(func(d *Daemon, e fsm.Notify) {
		d.o.Log.Debug("notice to a client", "handle", e.Handle, "notice", e.Notice, "ahead", e.Ahead)
		d.hub.notify(e)
	}),
	effecting(func(d *Daemon, e fsm.Report) {
		d.o.Log.Warn("background work failed", "handle", e.Handle, "kind", e.Kind, "report", e.Text)
	}),
)

// starting returns the row of a call, effecting the row of any other effect.
func starting[E fsm.Call](perform func(*Daemon, context.Context, E) fsm.Fact) fsm.EffectRow[*Daemon, struct{}] {
	return fsm.OnEffect(func(d *Daemon, e E) struct{} {
		return d.start(e, fsm.CallOf(e), func(ctx context.Context) fsm.Fact { return perform(d, ctx, e) })
	})
}

func effecting[E fsm.Effect](perform func(*Daemon, E)) fsm.EffectRow[*Daemon, struct{}] {
	return fsm.OnEffect(func(d *Daemon, e E) struct{} {
		perform(d, e)
		return struct{}{}
	})
}

// start performs a call in its own goroutine and sends its outcome back to
// the loop.
func (d *Daemon) start(e fsm.Effect, id fsm.CallID, perform func(context.Context) fsm.Fact) struct{} {
	ctx, cancel := context.WithCancelCause(context.Background())
	d.running[id] = cancel
	d.begun++
	if d.readsAhead(id) {
		d.ahead++
	}
	d.calls.performs(func() {
		outcome := perform(ctx)
		cancel(nil)
		if failpoint.On() {
			failpoint.HitKind(failpoint.CallEnded, fsm.EffectKind(e))
		}
		_ = d.send(context.Background(), message{fact: func() fsm.Fact {
			delete(d.running, id)
			return d.driver.Outcome(id, outcome)
		}})
	}, d.stopped)
	return struct{}{}
}

func (d *Daemon) arm(e fsm.SetTimer) {
	d.timers[e.Timer] = time.AfterFunc(time.Duration(e.After)*time.Millisecond, func() {
		_ = d.send(context.Background(), message{fact: func() fsm.Fact {
			d.disarm(e.Timer)
			return fsm.TimerFired{Timer: e.Timer}
		}})
	})
}

// disarm forgets a timer.
func (d *Daemon) disarm(id fsm.TimerID) {
	if t, ok := d.timers[id]; ok {
		t.Stop()
		delete(d.timers, id)
	}
	d.away.forget(id)
}

// awaits makes a wait for a server that could not be reached end as soon as the server answers,
// and reports whether the brain can tell. To the machine it is a timer that fires, as any of its
// timers may at any moment (LIM-3).
func (d *Daemon) awaits(wait fsm.SetTimer) bool {
	brain, ok := d.o.Brain.(Awaiter)
	if !ok {
		return false
	}
	d.away.waits[wait.Timer] = wait.Handle
	if d.away.stop != nil {
		return true
	}
	ctx, stop := context.WithCancel(context.Background())
	d.away.stop = stop
	d.calls.performs(func() {
		err := d.guarded("the model client", func() error { return brain.Await(ctx) })
		switch {
		case ctx.Err() != nil:
		case err != nil:
			_ = d.send(context.Background(), message{do: d.away.leave})
		default:
			_ = d.send(context.Background(), message{do: d.back})
		}
	}, d.stopped)
	return true
}

// back ends the waits, as the server answers.
func (d *Daemon) back() {
	for timer, handle := range d.away.waits { // order-free: the timers fire at once, in whatever order they come
		if t, armed := d.timers[timer]; armed && t.Stop() {
			d.o.Log.Info("the server answers again; the wait for it ends", "handle", handle)
			t.Reset(0)
		}
	}
	clear(d.away.waits)
	d.away.leave()
}

// guarded calls an adapter. A panic in it becomes a failure of this one call; otherwise
// a request that causes one would end the daemon again after each start.
func (d *Daemon) guarded(adapter string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.o.Log.Error("a defect of shelly; please report this", "in", adapter, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a defect of shelly, in %s: %v", adapter, p)
		}
	}()
	return f()
}

// chat asks the model. Veil filters what is shown of the answer while it streams (BRN-40).
func (d *Daemon) chat(ctx context.Context, e fsm.AskBrain, tools []fsm.ToolDecl, veil *reading.Veil) fsm.Fact {
	var answer fsm.BrainAnswered
	p := d.progress(e.Call)
	defer p.stop()
	v := voice{
		calls: e.Tools != fsm.NoTools,
		tell:  func(text string) { d.hub.waits(e.Handle, text) },
		log: func(text string) {
			d.o.Log.Info("a model call waits", "handle", e.Handle, "session", e.Session, "for", text)
		},
	}
	defer v.stop()
	err := d.guarded("the model client", func() (err error) {
		answer, err = d.o.Brain.Chat(ctx, e, tools, func(piece Piece) {
			p.comes(piece.Stage)
			if piece.Text != "" || piece.Thinking != "" || piece.Stage == fsm.StageWriting {
				v.hears(piece.Thinking != "", piece.Text != "", p.late())
			}
			piece.Text = veil.Put(piece.Text)
			d.hub.piece(e, piece)
		})
		return err
	})
	if err == nil {
		d.hub.piece(e, Piece{Text: veil.End(answer.AsText)})
	}
	return engine.Outcome(e.Call).Brain(answer, err)
}

func (d *Daemon) runTool(ctx context.Context, e fsm.RunTool) fsm.Fact {
	var result fsm.ToolAnswered
	err := d.guarded("tool "+e.Name, func() error {
		if f, ok := d.o.Tools.(Follower); ok {
			ctx = f.Follow(ctx, func(part string) { d.hub.output(e.Call, part) })
		}
		result = d.o.Tools.Run(ctx, e)
		return nil
	})
	if result.Asks != "" {
		d.questions.put(e.Call, e.Key)
	}
	return engine.Outcome(e.Call).Tool(result, err)
}

// runProbe asks a tool what came of a call. The call's processes are dead: they were killed
// with the previous daemon, or when this one started (TOL-11).
func (d *Daemon) runProbe(ctx context.Context, e fsm.RunProbe) fsm.Fact {
	var said fsm.Probed
	err := d.guarded("the probe of "+e.Name, func() error {
		p, ok := d.o.Tools.(Prober)
		if !ok {
			return errNoProbes
		}
		said = p.Probe(ctx, e)
		return nil
	})
	return engine.Outcome(e.Call).Probe(said, err)
}

func (d *Daemon) recall(ctx context.Context, e fsm.Recall) fsm.Fact {
	var entries []fsm.Memory
	err := d.guarded("memory", func() (err error) {
		entries, err = d.o.Memory.Recall(ctx, e)
		return err
	})
	return engine.Outcome(e.Call).Recall(entries, err)
}

func (d *Daemon) embed(ctx context.Context, e fsm.Embed) fsm.Fact {
	var vector []byte
	var model string
	err := d.guarded("the embedding client", func() (err error) {
		if d.o.Embedder == nil {
			return engine.ErrNoEmbedder
		}
		if e.Spare && d.o.Apart != nil && d.o.Apart() {
			return engine.ErrSpared
		}
		vector, model, err = d.o.Embedder.Embed(ctx, e.Text)
		return err
	})
	return engine.Outcome(e.Call).Embed(vector, model, err)
}

func (d *Daemon) store(ctx context.Context, e fsm.Store) fsm.Fact {
	err := d.guarded("memory", func() error { return d.o.Memory.Store(ctx, e.Entry) })
	return engine.Outcome(e.Call).Store(err)
}

var (
	errNoSessions = errors.New("this daemon keeps no sessions")
	errNoSkills   = errors.New("this daemon has no skills")
	errNoProbes   = errors.New("this daemon's tools have no probes")
)

func (d *Daemon) loadSession(ctx context.Context, e fsm.LoadSession) fsm.Fact {
	var loaded fsm.Session
	err := d.guarded("the sessions", func() (err error) {
		if d.o.Sessions == nil {
			return errNoSessions
		}
		loaded, err = d.o.Sessions.Load(ctx, e.Session)
		return err
	})
	return engine.Outcome(e.Call).Load(loaded, err)
}

func (d *Daemon) saveSession(ctx context.Context, e fsm.SaveSession) fsm.Fact {
	var now fsm.Session
	var conflict bool
	err := d.guarded("the sessions", func() (err error) {
		if d.o.Sessions == nil {
			return errNoSessions
		}
		now, conflict, err = d.o.Sessions.Save(ctx, e)
		return err
	})
	return engine.Outcome(e.Call).Save(now, conflict, err)
}

func (d *Daemon) loadSkill(ctx context.Context, e fsm.LoadSkill) fsm.Fact {
	var loaded string
	err := d.guarded("the skills", func() (err error) {
		if d.o.Skills == nil {
			return errNoSkills
		}
		loaded, err = d.o.Skills.Load(ctx, e.Skill, e.Reference)
		return err
	})
	return engine.Outcome(e.Call).Skill(loaded, err)
}

func (d *Daemon) readText(_ context.Context, e fsm.ReadText) (read fsm.Fact) {
	err := d.guarded("the kept results", func() error {
		read = engine.Read(d.o.Journal, e)
		return nil
	})
	if err != nil {
		return fsm.FailedAnswer(e.Call, fsm.CallText, err.Error())
	}
	return read
}

// askPerson passes on that a request waits for a person.
func (d *Daemon) askPerson(e fsm.AskPerson) {
	asked := comm.Event{
		Type: comm.EventQuestion, Question: e.Question, Handle: e.Handle, Key: e.Key, Tool: e.Tool, Args: e.Args, Text: e.Text,
	}
	shows, ok := d.o.Tools.(Previewer)
	if e.Question != fsm.QuestionApprove || !ok {
		d.hub.question(asked)
		return
	}
	if decl, known := d.config().Tool(e.Tool); known {
		asked.Subject = decl.Subject
	}
	d.hub.asked(e.Handle, e.Key)
	d.calls.Go(func() { // the preview reads files, which may take long
		ctx, cancel := context.WithTimeout(context.Background(), previewTimeout)
		defer cancel()
		_ = d.guarded("the preview of "+e.Tool, func() error {
			asked.Preview = shows.Preview(ctx, e.Tool, e.Args)
			return nil
		})
		d.hub.previewed(asked)
	})
}

// previewTimeout is how long a question waits for its preview.
const previewTimeout = 2 * time.Second
