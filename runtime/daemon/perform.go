package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"shelly/fsm"
	"shelly/runtime/failpoint"
)

// call is an effect that is being performed.
type call struct {
	cancel  context.CancelFunc
	aborted bool // the machine gave it up; read and written by the loop only
	tool    bool
}

// Perform implements engine.World: it starts what takes time and returns.
func (d *Daemon) Perform(e fsm.Effect) error {
	if failpoint.On {
		failpoint.HitKind(failpoint.PerformBefore, fsm.EffectKind(e))
		defer failpoint.HitKind(failpoint.PerformAfter, fsm.EffectKind(e))
	}
	switch e := e.(type) {
	case fsm.AskBrain:
		tools := d.config().Offered(e.Tools)
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.chat(ctx, e, tools) })
	case fsm.RunTool:
		d.start(e, e.Call, true, func(ctx context.Context) fsm.Fact { return d.runTool(ctx, e) })
	case fsm.Recall:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.recall(ctx, e) })
	case fsm.Embed:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.embed(ctx, e) })
	case fsm.Store:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.store(ctx, e) })
	case fsm.LoadSession:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.loadSession(ctx, e) })
	case fsm.SaveSession:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.saveSession(ctx, e) })
	case fsm.LoadSkill:
		d.start(e, e.Call, false, func(ctx context.Context) fsm.Fact { return d.loadSkill(ctx, e) })
	case fsm.SendMessage, fsm.Audit:
		// They are written with their step; whoever listens hears of them from observe.
	case fsm.ArmSchedule:
		d.armSchedule(e)
	case fsm.DisarmSchedule:
		d.disarmSchedule(e.Schedule)
	case fsm.AskPerson:
		d.askPerson(e)
	case fsm.AbortCall:
		d.abort(e.Call)
	case fsm.SetTimer:
		d.arm(e)
	case fsm.ClearTimer:
		if t, ok := d.timers[e.Timer]; ok {
			t.Stop()
			delete(d.timers, e.Timer)
		}
	case fsm.Reply:
		d.hub.reply(e)
	case fsm.Notify:
		d.o.Log.Debug("a client is told", "handle", e.Handle, "notice", e.Notice, "ahead", e.Ahead)
		d.hub.notify(e)
	case fsm.Report:
		d.o.Log.Warn("a handle that nobody waits for went wrong", "handle", e.Handle, "kind", e.Kind, "report", e.Text)
	case fsm.Exit:
		d.exit = &e.Code
	default:
		return fmt.Errorf("no way to perform %s", fsm.EffectKind(e))
	}
	return nil
}

// start performs a call in a goroutine of its own and brings its outcome back to
// the loop.
func (d *Daemon) start(e fsm.Effect, id fsm.CallID, tool bool, perform func(context.Context) fsm.Fact) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &call{cancel: cancel, tool: tool}
	d.running[id] = c
	d.calls.Go(func() {
		fact := perform(ctx)
		outcome := fsm.Input{At: d.now(), Fact: fact}
		cancel()
		if failpoint.On {
			failpoint.HitKind(failpoint.CallEnded, fsm.EffectKind(e))
		}
		_ = d.send(context.Background(), message{fact: func() fsm.Input { return d.finished(id, c, outcome) }})
	})
}

// finished is the input that a call's outcome becomes. Of an aborted call only a
// tool's end is of interest: that it has stopped.
func (d *Daemon) finished(id fsm.CallID, c *call, outcome fsm.Input) fsm.Input {
	delete(d.running, id)
	if c.aborted {
		if !c.tool {
			return fsm.Input{}
		}
		return fsm.Input{At: d.now(), Fact: fsm.ToolStopped{Answered: fsm.To(id)}}
	}
	return outcome
}

func (d *Daemon) abort(id fsm.CallID) {
	if c, ok := d.running[id]; ok {
		c.aborted = true
		c.cancel()
	}
}

func (d *Daemon) arm(e fsm.SetTimer) {
	d.timers[e.Timer] = time.AfterFunc(time.Duration(e.After)*time.Millisecond, func() {
		_ = d.send(context.Background(), message{fact: func() fsm.Input {
			delete(d.timers, e.Timer)
			return fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: e.Timer}}
		}})
	})
}

// guarded calls an adapter. A panic in it is a failure of this one call: a request
// that causes it would otherwise end the daemon again after each start.
func (d *Daemon) guarded(adapter string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.o.Log.Error("a defect of shelly; please report this", "in", adapter, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a defect of shelly, in %s: %v", adapter, p)
		}
	}()
	return f()
}

func (d *Daemon) chat(ctx context.Context, e fsm.AskBrain, tools []fsm.ToolDecl) fsm.Fact {
	var answer fsm.BrainAnswered
	err := d.guarded("the model client", func() (err error) {
		answer, err = d.o.Brain.Chat(ctx, e, tools, func(p Piece) { d.hub.piece(e, p) })
		return err
	})
	if err != nil {
		class := fsm.BrainError
		if typed := (interface{ BrainClass() fsm.BrainClass })(nil); errors.As(err, &typed) {
			class = typed.BrainClass()
		}
		return fsm.BrainFailed{Answered: fsm.To(e.Call), Class: class, Reason: err.Error()}
	}
	answer.Call = e.Call
	return answer
}

func (d *Daemon) runTool(ctx context.Context, e fsm.RunTool) fsm.Fact {
	var result fsm.ToolAnswered
	err := d.guarded("tool "+e.Name, func() error {
		result = d.o.Tools.Run(ctx, e)
		return nil
	})
	if err != nil {
		result = fsm.ToolAnswered{Text: text(err), Failed: true}
	}
	result.Call = e.Call
	return result
}

func (d *Daemon) recall(ctx context.Context, e fsm.Recall) fsm.Fact {
	var entries []fsm.Memory
	err := d.guarded("memory", func() (err error) {
		entries, err = d.o.Memory.Recall(ctx, e)
		return err
	})
	return fsm.Recalled{Answered: fsm.To(e.Call), Entries: entries, Error: text(err)}
}

func (d *Daemon) embed(ctx context.Context, e fsm.Embed) fsm.Fact {
	if d.o.Embedder == nil {
		return fsm.Embedded{Answered: fsm.To(e.Call), Error: "there is no embedding model"}
	}
	var vector []byte
	var model string
	err := d.guarded("the embedding client", func() (err error) {
		vector, model, err = d.o.Embedder.Embed(ctx, e.Text)
		return err
	})
	if err != nil {
		return fsm.Embedded{Answered: fsm.To(e.Call), Error: text(err)}
	}
	return fsm.Embedded{Answered: fsm.To(e.Call), Vector: vector, Model: model}
}

func (d *Daemon) store(ctx context.Context, e fsm.Store) fsm.Fact {
	err := d.guarded("memory", func() error { return d.o.Memory.Store(ctx, e.Entry) })
	return fsm.Stored{Answered: fsm.To(e.Call), Error: text(err)}
}

var errNoSessions, errNoSkills = errors.New("this daemon keeps no sessions"), errors.New("this daemon has no skills")

func (d *Daemon) loadSession(ctx context.Context, e fsm.LoadSession) fsm.Fact {
	var loaded fsm.Session
	err := d.guarded("the sessions", func() (err error) {
		if d.o.Sessions == nil {
			return errNoSessions
		}
		loaded, err = d.o.Sessions.Load(ctx, e.Session)
		return err
	})
	return fsm.SessionLoaded{Answered: fsm.To(e.Call), Session: loaded, Error: text(err)}
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
	return fsm.SessionSaved{Answered: fsm.To(e.Call), Conflict: conflict, Session: now, Error: text(err)}
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
	return fsm.SkillLoaded{Answered: fsm.To(e.Call), Text: loaded, Error: text(err)}
}

// askPerson tells whoever may decide that a handle waits for a person.
func (d *Daemon) askPerson(e fsm.AskPerson) {
	d.o.Log.Warn("a handle waits for a person", "handle", e.Handle, "request", e.Request.ID, "session", e.Session,
		"question", e.Question, "tool", e.Tool, "key", e.Key)
	d.hub.question(e)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
