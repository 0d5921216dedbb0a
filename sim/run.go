package sim

import (
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Options says how to run a plan; the zero value runs it as written.
type Options struct {
	Choose   Chooser // what happens first of what is due at once; nil: what was added first
	CrashAt  int     // crash at the how-manieth crash point, instead of the plan's crashes; 0: as planned
	StepsMax int     // more steps than this are an error; 0: the constant of this name
	Backend  Backend // real adapters; nil: simulated ones
	Journal  Journal // nil: in memory
}

// StepsMax bounds a run that does not say otherwise (SIM-11). A machine that is
// not at rest by then never will be.
const StepsMax = 100_000

// Run plays a plan until nothing is left to happen, the shipped machine and
// engine over a simulated journal and world (SIM-3). An error is the simulator's
// or the backend's; what the machine did wrong is in the result.
func Run(p Plan, o Options) (*Result, error) {
	if o.StepsMax == 0 {
		o.StepsMax = StepsMax
	}
	r := newRun(&p, o)
	if err := r.survive(r.start()); err != nil {
		return nil, err
	}
	for {
		next, ok := r.world.agenda.pop(r.choose)
		if !ok || next.at == never {
			break
		}
		if err := r.happen(next); err != nil {
			return nil, err
		}
		if len(r.result.Steps) > o.StepsMax {
			return nil, fmt.Errorf("no rest after %d steps", o.StepsMax)
		}
	}
	return r.finish()
}

// run is one play of a plan.
type run struct {
	plan    *Plan
	choose  Chooser
	config  fsm.Config
	result  *Result
	world   *world
	fuse    *fuse
	journal Journal
	engine  *engine.Engine // nil while the process is down
	machine *fsm.Machine   // the last engine's
	monitor *fsm.Monitor
	epoch   int
	sent    []fsm.Requested  // accepted or not, in order
	order   []fsm.RequestKey // of acceptance
	unheard []Moment         // requests and events whose sender has no word yet
	events  int              // events known to be durable
}

func newRun(p *Plan, o Options) *run {
	r := &run{plan: p, choose: o.Choose, config: p.Machine(), result: &Result{}, journal: o.Journal}
	if r.choose == nil {
		r.choose = First{}
	}
	if r.journal == nil {
		r.journal = memoryJournal{engine.NewMemoryJournal()}
	}
	r.world = &world{
		plan: p, backend: o.Backend, cursor: newCursor(p), result: r.result,
		embedding: p.Embedding, storing: p.Storing, recalling: p.Recalling,
	}
	r.world.agenda.now = p.Start
	r.world.memory = memory{entries: append([]fsm.Entry(nil), p.Memory...)}
	r.world.memory.sync()
	r.fuse = &fuse{
		plan: p.Crashes, ordinal: o.CrashAt, result: r.result,
		counts: make([]int, len(p.Crashes)), burnt: make([]bool, len(p.Crashes)),
		now: func() fsm.Millis { return r.world.agenda.now },
	}
	for i := range p.Timeline {
		r.world.agenda.add(due{at: p.Start + p.Timeline[i].At, entry: &p.Timeline[i]})
	}
	return r
}

// start opens the journal as a new process does and boots the machine.
func (r *run) start() error {
	r.epoch++
	r.world.exited = false
	e, err := engine.Open(
		fusedJournal{Journal: r.journal, fuse: r.fuse, memory: &r.world.memory},
		fusedWorld{world: r.world, fuse: r.fuse},
	)
	if err != nil {
		return err
	}
	e.Observe = r.observe
	r.engine, r.machine = e, e.Machine()
	if err := r.recheck(); err != nil {
		return err
	}
	if err := r.turn(fsm.Boot{At: r.world.agenda.now, Config: r.config}); err != nil {
		return err
	}
	return r.resend()
}

// recheck brings the monitor and the trace to where the recovered machine is: a
// fresh machine folds the journal. What a crash lost was never durable, so what
// was seen of it does not count; what was durable counts, seen or not. What
// invariants say of a step that was seen is noted already.
func (r *run) recheck() error {
	seen := len(r.result.Steps)
	r.monitor = fsm.NewMonitor()
	r.result.Steps = r.result.Steps[:0]
	if r.engine.Last() == 0 {
		return nil
	}
	m := fsm.New()
	epoch := 0
	return r.journal.Replay(0, func(rec engine.Record) error {
		effects := m.Step(rec.Input)
		broken := r.monitor.Step(m, rec.Input, effects)
		if len(r.result.Steps) >= seen {
			r.broken(broken)
		}
		if _, ok := rec.Input.(fsm.Boot); ok {
			epoch++
		}
		r.result.Steps = append(r.result.Steps, Step{At: rec.Input.Time(), Epoch: epoch, Step: engine.Step{
			Index: rec.Index, Input: rec.Input, Effects: effects, Moves: append([]fsm.Move(nil), m.Moves()...),
		}})
		return nil
	})
}

// happen does what is due.
func (r *run) happen(d due) error {
	var err error
	switch {
	case d.boot:
		if r.engine == nil {
			err = r.start()
		}
	case d.entry != nil:
		err = r.moment(d.entry)
	default:
		// The outcome is here, so the tool's stop will not be.
		r.world.agenda.drop(func(o due) bool { return o.call == 0 || o.call != d.call })
		err = r.turn(at(d.fact, r.world.agenda.now))
	}
	return r.survive(err)
}

// survive starts the process again after a simulated crash; any other error is
// the run's.
func (r *run) survive(err error) error {
	if errors.Is(err, errCrash) {
		return r.crash()
	}
	return err
}

// moment plays one entry of the timeline.
func (r *run) moment(m *Moment) error {
	now := r.world.agenda.now
	switch {
	case m.Boot && r.engine == nil:
		return r.start()
	case m.Embedding != nil:
		r.world.embedding = *m.Embedding
	case m.Storing != nil:
		r.world.storing = *m.Storing
	case m.Recalling != nil:
		r.world.recalling = *m.Recalling
	case m.Request != nil:
		return r.request(at(*m.Request, now).(fsm.Requested))
	case m.Again && len(r.sent) > 0:
		return r.request(at(r.sent[len(r.sent)-1], now).(fsm.Requested))
	case m.Event != nil:
		return r.event(*m.Event)
	case m.Signal != "":
		return r.turn(fsm.Signalled{At: now, Name: m.Signal})
	}
	return nil
}

// request sends a request as a client does that sends again what it has had no
// word about.
func (r *run) request(in fsm.Requested) error {
	r.sent = append(r.sent, in)
	r.unheard = append(r.unheard, Moment{Request: &in})
	if r.engine == nil {
		return nil
	}
	return r.resend()
}

func (r *run) event(in fsm.EventRaised) error {
	r.unheard = append(r.unheard, Moment{Event: &in})
	if r.engine == nil {
		return nil
	}
	return r.resend()
}

// resend sends what has had no word, in order. A word, be it a refusal, takes it
// off the list; a crash leaves it there.
func (r *run) resend() error {
	for len(r.unheard) > 0 && r.engine != nil {
		m, now := r.unheard[0], r.world.agenda.now
		var err error
		if m.Event != nil {
			err = r.raise(at(*m.Event, now))
		} else {
			err = r.accept(at(*m.Request, now).(fsm.Requested))
		}
		if err != nil {
			return err
		}
		r.unheard = r.unheard[1:]
		if err := r.afterTurn(); err != nil {
			return err
		}
	}
	return nil
}

// raise sends an event. Events have no ids, so one whose turn crashed is looked
// for in the journal before it is sent again.
func (r *run) raise(in fsm.Input) error {
	durable := 0
	for _, s := range r.result.Steps {
		if _, ok := s.Input.(fsm.EventRaised); ok {
			durable++
		}
	}
	if durable > r.events {
		r.events = durable
		return nil
	}
	if err := r.engine.Turn(in); err != nil {
		return err
	}
	r.events++
	return nil
}

func (r *run) accept(in fsm.Requested) error {
	if !slices.Contains(r.order, in.Request) {
		r.order = append(r.order, in.Request) // listed at the end only if it was accepted
	}
	a, err := r.engine.Accept(in)
	switch {
	case errors.Is(err, errCrash), errors.Is(err, engine.ErrDead):
		return err
	case err != nil:
		r.result.Refusals = append(r.result.Refusals, Refusal{At: in.At, Request: in.Request, Err: err})
	case !a.New && a.Request.Done:
		r.result.Notices = append(r.result.Notices, Delivery{At: in.At, Request: in.Request, Text: a.Request.Reply})
	}
	return nil
}

func (r *run) turn(in fsm.Input) error {
	if r.engine == nil {
		return nil
	}
	if err := r.engine.Turn(in); err != nil {
		return err
	}
	return r.afterTurn()
}

// afterTurn is the point after a whole step, and the process's end where the
// machine has asked for it.
func (r *run) afterTurn() error {
	if r.engine == nil {
		return nil
	}
	if err := r.fuse.at(AfterStep, "", r.engine.Last()); err != nil {
		return err
	}
	if r.world.exited {
		r.engine = nil
		r.forget()
	}
	return nil
}

// crash ends the process: what it waited for will not come, what was not synced
// is lost, and it starts again a while later (SIM-5).
func (r *run) crash() error {
	r.engine = nil
	r.forget()
	r.world.memory.crash()
	journal, err := r.journal.Crash()
	if err != nil {
		return err
	}
	r.journal = journal
	r.world.agenda.add(due{at: r.world.agenda.now + r.fuse.last.After, boot: true})
	return nil
}

// forget drops every pending call and timer: only the timeline goes on.
func (r *run) forget() {
	r.world.agenda.drop(func(d due) bool { return d.entry != nil || d.boot })
}

// observe records an appended step and checks the invariants after it (SCN-13).
func (r *run) observe(s engine.Step) {
	r.broken(r.monitor.Step(r.machine, s.Input, s.Effects))
	r.result.Steps = append(r.result.Steps, Step{At: r.world.agenda.now, Epoch: r.epoch, Step: s})
}

// broken notes what does not hold after the step that is listed next.
func (r *run) broken(violations []fsm.Violation) {
	for _, v := range violations {
		r.result.Violations = append(r.result.Violations, Broken{Step: len(r.result.Steps), Violation: v})
	}
}

// finish gathers what is known at rest.
func (r *run) finish() (*Result, error) {
	r.result.Unused = r.world.cursor.unused()
	r.result.Memory = r.world.memory.entries
	r.result.End = r.world.agenda.now
	for _, key := range r.order {
		q, ok, err := r.journal.Request(key)
		if err != nil {
			return nil, err
		}
		if ok {
			r.result.Requests = append(r.result.Requests, q)
		}
	}
	r.result.Final = r.machine.Snapshot()
	var err error
	r.result.Hash, err = hashSteps(r.result.Steps)
	return r.result, err
}
