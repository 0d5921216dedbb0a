package sim

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/disk"
	"shelly/sim/script"
	"shelly/sim/server"
)

// Backend performs effects for real while the simulator's schedule decides when
// each outcome is delivered. Each method returns the real outcome of an effect
// whose scripted outcome is expected; its Call is set, its At is not.
type Backend interface {
	// Brain asks the real client; the server that it asks says line.
	Brain(ask fsm.AskBrain, line script.Line) (fsm.Fact, error)
	// Tool runs the stub through the real tool runner.
	Tool(run fsm.RunTool, act Act) (fsm.Fact, error)
	// Probe asks the stub's probe through the real tool runner, which is to say this.
	Probe(e fsm.RunProbe, says fsm.Probed) (fsm.Fact, error)
	// Session loads or saves a session or loads a skill. Where scripted carries an
	// Error, that failure is to be had. A save with no Call is somebody else's edit,
	// which always succeeds; where it names no session it is of MEMORY.md alone.
	Session(e fsm.Effect, scripted fsm.Fact) (fsm.Fact, error)
	// Memory recalls, embeds or stores, and says how long that took beside what the
	// plan says. Where scripted carries an Error, that failure is to be had.
	Memory(e fsm.Effect, scripted fsm.Fact) (fsm.Fact, fsm.Millis, error)
	// Model asks the live model, in a plan that is for one, and offers it these tools.
	Model(ask fsm.AskBrain, tools []fsm.ToolDecl) (Spoken, error)
}

// world performs effects in virtual time. It implements engine.World.
type world struct {
	plan     *Plan
	backend  Backend   // nil: outcomes are as scripted
	space    Workspace // of the real tools; nil: the stubs are the tools
	cursor   *cursor
	fates    Fates
	config   *fsm.Config // of the process
	memory   disk.Memory
	sessions disk.Sessions
	things   things
	agenda   agenda
	result   *Result
	sent     []string // keys of the messages that were delivered
	exited   bool
	slot     func(schedule string) (engine.Slot, bool) // that the driver awaits
	texts    engine.Texts                              // those that are kept
	still    bool                                      // a crash costs no time
	lost     span                                      // where it does not, the life of the process before this one, if it has crashed
	skew     fsm.Millis                                // of the wall clock, against the agenda's
	when     []fsm.Millis                              // when each record was appended, on the agenda's clock

	server  *server.Server // nil: the plan has none
	serving []*serving     // in the order in which they came
	asks    uint64         // that the server was asked

	progressed map[fsm.CallID][]fsm.Stage // what the machine was told of calls

	// How the services are now.
	embedding, storing, recalling, loading, saving, skilling Service
}

// Perform implements engine.World.
func (w *world) Perform(e fsm.Effect) error { return performing.Do(w, e) }

// performing has a row for each kind of effect.
var performing = fsm.NewEffectTable(
	fsm.OnEffect((*world).ask),
	fsm.OnEffect((*world).run),
	fsm.OnEffect((*world).probe),
	called(Backend.Memory, (*world).recalled),
	called(Backend.Memory, (*world).embedded),
	called(Backend.Memory, (*world).stored),
	called(session, (*world).loaded),
	called(session, (*world).saved),
	called(session, (*world).skillLoaded),
	fsm.OnEffect(func(w *world, e fsm.ReadText) error {
		w.answer(e.Call, 0, engine.Read(w.texts, e))
		return nil
	}),
	fsm.OnEffect(func(w *world, e fsm.AbortCall) error {
		w.abort(e.Call)
		return w.leave(e.Call)
	}),
	effecting(func(w *world, e fsm.ArmSchedule) {
		w.disarm(e.Schedule)
		if s, ok := w.slot(e.Schedule); ok {
			w.arm(s)
		}
	}),
	effecting(func(w *world, e fsm.DisarmSchedule) { w.disarm(e.Schedule) }),
	effecting(func(w *world, e fsm.SendMessage) { w.sent = append(w.sent, e.Key) }),
	effecting(func(w *world, e fsm.SetTimer) {
		w.agenda.add(due{at: w.agenda.now + e.After, timer: e.Timer, fact: fsm.TimerFired{Timer: e.Timer}})
	}),
	effecting(func(w *world, e fsm.ClearTimer) { w.agenda.drop(func(d *due) bool { return d.timer != e.Timer }) }),
	effecting(func(w *world, e fsm.Notify) {
		w.result.Notices = append(w.result.Notices, Delivery{Request: e.Request, Notice: e.Notice, Ahead: e.Ahead})
	}),
	effecting(func(w *world, e fsm.Reply) { w.result.Replied = append(w.result.Replied, e.Request) }),
	effecting(func(w *world, e fsm.Report) { w.result.Reports = append(w.result.Reports, e) }),
	effecting(func(w *world, e fsm.Exit) {
		w.result.Exits = append(w.result.Exits, e.Code)
		w.exited = true
	}),
	effecting(func(*world, fsm.AskPerson) {}), // the journal has it with its step
	effecting(func(*world, fsm.Audit) {}),     // and this
)

// effecting is the row of an effect that nothing can come of.
func effecting[E fsm.Effect](note func(*world, E)) fsm.EffectRow[*world, error] {
	return fsm.OnEffect(func(w *world, e E) error {
		note(w, e)
		return nil
	})
}

// ask serves the next line of the script, or the fault that the call meets.
func (w *world) ask(e fsm.AskBrain) error {
	fault := w.meet(e)
	taken, begun := script.Nothing, w.agenda.now
	if fault == nil || fault.scripted() {
		if w.plan.asksModel(e.Purpose) {
			return w.model(e, fault)
		}
		taken, begun = w.cursor.line(e, begun)
	}
	w.result.Asked = append(w.result.Asked, Asked{Ask: e, Line: taken, Config: w.config})
	line, known := script.Line{}, fault != nil && !fault.scripted()
	if taken != script.Nothing {
		line, known = w.plan.Scripts[taken.Script].Lines[taken.Index], true
	} else if !known && !w.plan.Strict {
		line, known = script.Quiet(e)
		line.Takes = w.plan.QuietTakes
	}
	if !known {
		w.unscripted(e, fmt.Sprintf("a model call for %s that no script line is left for", e.Purpose))
		line = script.Line{Fails: fsm.BrainError, Reason: "no script line is left"}
	}
	if fault != nil {
		line = fault.line(line)
	}
	line.Takes = w.left(line.Takes, begun)
	if w.serves(line) {
		return w.chat(e, line)
	}
	line = line.Thought(e)
	fact, err := w.said(e, line)
	if err != nil {
		return err
	}
	takes := w.stream(e, line)
	w.answer(e.Call, takes, fact)
	if fact == nil {
		takes = never
	}
	w.scripted(e, line, takes)
	return nil
}

// said is what a line answers, nil where no answer comes.
func (w *world) said(e fsm.AskBrain, line script.Line) (fsm.Fact, error) {
	if w.backend != nil {
		return w.backend.Brain(e, line)
	}
	return line.Answer(e), nil
}

// meet returns the fault that a call meets, or nil.
func (w *world) meet(e fsm.Effect) *Fault {
	fault := w.fates.deal(e)
	if fault != nil {
		w.result.Struck = append(w.result.Struck, string(fault.Kind))
	}
	return fault
}

// run starts a stub.
func (w *world) run(e fsm.RunTool) error {
	act, wrong := w.things.touch(w.acts(e))
	for _, text := range wrong {
		w.unexpected(text)
	}
	fact := act.Answer(e)
	if w.backend != nil {
		var err error
		if fact, err = w.backend.Tool(e, act); err != nil {
			return err
		}
	}
	w.answer(e.Call, act.Takes, fact)
	if act.Deaf {
		return nil
	}
	// An abort finds this and brings it forward as the tool's stop.
	w.agenda.add(due{at: never, call: e.Call, fact: fsm.ToolStopped{Answered: fsm.To(e.Call)}})
	return nil
}

// acts returns what a tool does: its next entry, or the fault that the call meets.
func (w *world) acts(e fsm.RunTool) Act {
	fault := w.meet(e)
	taken, act, begun := script.Nothing, Act{Failed: true, Invalid: true, Returns: "no stub entry is left"}, w.agenda.now
	switch {
	case fault != nil && !fault.scripted():
	case w.space != nil:
		act = acted(w.space.Run(e))
		act.Takes = w.plan.ToolsTake
	default:
		if taken, begun = w.cursor.act(e, begun); taken != script.Nothing {
			act = w.plan.Stubs[taken.Script].Acts[taken.Index]
		} else {
			w.unscripted(e, fmt.Sprintf("a call of %s %s that no stub entry is left for", e.Name, e.Args))
		}
	}
	if e.Waits { // for what it has started before
		act.Changes = nil
	} else {
		w.result.Ran = append(w.result.Ran, Ran{Run: e, Act: taken})
		w.result.started(e)
	}
	if fault != nil {
		act = fault.act(act)
	}
	act.Takes = w.left(act.Takes, begun)
	return act
}

// probe asks a stub, or a real tool, what became of a call (SCN-57).
func (w *world) probe(e fsm.RunProbe) error {
	if w.space != nil {
		in := w.space.Probe(e)
		in.Answered = fsm.To(e.Call)
		w.answer(e.Call, w.plan.ToolsTake, in)
		return nil
	}
	act := w.cursor.started(e)
	if act.Reads != "" {
		act = w.plan.Met(act)
	}
	fact := act.Probe.Of(e, act, w.hasStarted(e))
	if fact == nil {
		return nil
	}
	takes := fsm.Millis(0)
	if act.Probe != nil {
		takes = act.Probe.Takes
	}
	if w.backend != nil {
		var err error
		if fact, err = w.backend.Probe(e, fact.(fsm.Probed)); err != nil {
			return err
		}
	}
	w.answer(e.Call, takes, fact)
	return nil
}

// hasStarted reports whether the last attempt of a call was started in the world.
func (w *world) hasStarted(e fsm.RunProbe) bool {
	return slices.ContainsFunc(w.result.Ran, func(ran Ran) bool { return ran.Run.Key == e.Key && ran.Run.Attempt == e.Attempt })
}

// span is a time from and to, both included.
type span struct{ from, to fsm.Millis }

// left is what is left of the time that a call takes. Where a crash costs no time
// (SIM-6), a call that it interrupted has its answer when it would have had it.
func (w *world) left(takes, begun fsm.Millis) fsm.Millis {
	if begun < w.lost.from || begun > w.lost.to {
		return takes
	}
	return max(takes-(w.agenda.now-begun), 0)
}

// Answer is what the stub says, or nil where no answer comes.
func (a Act) Answer(e fsm.RunTool) fsm.Fact {
	if a.Hangs || a.Lost || a.Deaf {
		return nil
	}
	if a.Asks != "" {
		return fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: a.Asks, Failed: true, Nothing: true, Asks: a.Asks}
	}
	return fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: a.Returns, Failed: a.Failed, Nothing: a.Nothing, Invalid: a.Invalid}
}

// abort gives up a call: its answer will not come, but a tool's stop will.
func (w *world) abort(call fsm.CallID) {
	var stop fsm.Fact
	w.agenda.drop(func(d *due) bool {
		if d.call != call {
			return true
		}
		if d.at == never {
			stop = d.fact
		}
		return false
	})
	if stop != nil {
		w.answer(call, 0, stop)
	}
}

func (w *world) unexpected(what string) {
	w.result.Unexpected = append(w.result.Unexpected, Unexpected{What: what, Moment: -1})
}

// unscripted notes a call that nothing was scripted for.
func (w *world) unscripted(call fsm.Effect, what string) {
	w.result.Unexpected = append(w.result.Unexpected, Unexpected{What: what, Moment: -1, Call: call})
}

// never is a time that no run reaches.
const never fsm.Millis = 1 << 60

// answer puts a call's outcome on the agenda.
func (w *world) answer(call fsm.CallID, takes fsm.Millis, fact fsm.Fact) {
	if fact != nil {
		w.agenda.add(due{at: w.agenda.now + takes, call: call, fact: fact})
	}
}
