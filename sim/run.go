package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/sim/disk"
	"shelly/sim/server"
)

// Options says how to run a plan; the zero value runs it as written.
type Options struct {
	Choose   Chooser // what happens first of what is due at once, and which faults strike by chance; nil: by the plan's seed
	CrashAt  int     // crash at this crash point, from 1, instead of the plan's crashes; 0: as planned
	StepsMax int     // more steps than this are an error; 0: the constant of this name
	Backend  Backend // real adapters; nil: simulated ones
	Journal  Journal // nil: in memory

	Workshop *Workshop // the real tools; nil: a plan cannot have them

	Crashed func(straight, crashed *Result) // sees each crashed run of a matrix beside the uninterrupted one; nil: nobody does

	Chance Chooser // which faults strike; nil: Choose
	Fates  *Fates  // of another run of the plan: its calls meet what they met there
}

// StepsMax bounds a run whose options name no bound (SIM-11). A machine that is
// not at rest by then never will be.
const StepsMax = 100_000

// CrashesMax bounds a run whose journal fails by chance (SIM-11).
const CrashesMax = 1000

// Run plays a plan until nothing is left to happen, the shipped machine and
// engine over a simulated journal and world (SIM-3). An error is the simulator's
// or the backend's; what the machine did wrong is in the result.
func Run(p Plan, o Options) (_ *Result, err error) {
	o.StepsMax = cmp.Or(o.StepsMax, StepsMax)
	if p.Live && o.Backend == nil {
		return nil, errNoModel
	}
	space, err := o.Workshop.open(&p)
	if err != nil {
		return nil, err
	}
	if space != nil {
		defer func() { err = errors.Join(err, space.Close()) }()
	}
	r := newRun(&p, o)
	if b := p.kept(); b.Texts != nil {
		if err := r.journal.Append(b, true); err != nil {
			return nil, err
		}
	}
	r.world.space = space
	if err := r.survive(r.start()); err != nil {
		return nil, err
	}
	for !r.over() {
		if r.wakes() {
			if err := r.survive(r.told(r.driver.Wake(r.now()))); err != nil {
				return nil, err
			}
			continue
		}
		next, ok := r.world.agenda.pop(r.choose)
		if !ok || next.at == never {
			break
		}
		if err := r.happen(next); err != nil {
			return nil, err
		}
		switch {
		case len(r.result.Steps) > o.StepsMax:
			return nil, fmt.Errorf("no rest after %d steps", o.StepsMax)
		case len(r.result.Crashes) > CrashesMax:
			return nil, fmt.Errorf("no rest after %d crashes", CrashesMax)
		}
	}
	return r.finish()
}

// over reports whether only schedules would go on, after the time that the plan
// wants them served for.
func (r *run) over() bool {
	items := r.world.agenda.items
	return len(items) > 0 && !r.waits() && items[0].slot != nil && r.world.agenda.onlySlots(r.plan.Start+r.plan.Until)
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
	driver  *engine.Driver   // nil while the process is down
	machine *machine.Machine // the last driver's
	monitor *check.Monitor
	epoch   int
	last    uint64           // record that the driver has told of
	checked int              // steps that are not yet appended
	booted  bool             // the process has begun its epoch
	full    fsm.Millis       // until when there is too little space
	born    fsm.Millis       // when the process was started
	sent    []fsm.Requested  // accepted or not, in order
	order   []fsm.RequestKey // of acceptance
	unheard []Moment         // what clients have sent and have no word of yet
	events  int              // events known to be durable
	raised  int              // events in the result's steps
	waiting []waiter         // people who wait to be asked
	grants  []fsm.Grant      // the file of grants
	lost    []Step           // that a crash took away, and no step has come since
}

func newRun(p *Plan, o Options) *run {
	r := &run{plan: p, choose: p.Chooser(o), config: p.Machine(), result: &Result{}, journal: o.Journal, grants: p.Grants}
	if r.journal == nil {
		r.journal = &memoryJournal{MemoryJournal: engine.NewMemoryJournal()}
	}
	r.world = &world{
		plan: p, backend: o.Backend, cursor: newCursor(p), result: r.result,
		embedding: p.Embedding, storing: p.Storing, recalling: p.Recalling,
		loading: p.Loading, saving: p.Saving, skilling: p.Skilling,
		still: o.CrashAt != 0,
	}
	r.world.fates = newFates(p, r.choose, o.Fates)
	if o.Chance != nil {
		r.world.fates.choose = o.Chance
	}
	first := r.config // a copy: calls that were made under it keep it
	r.world.config = &first
	r.world.agenda.now = p.Start
	r.world.memory = disk.NewMemory(p.Memory)
	r.world.things = slices.Clone(p.World)
	r.world.sessions = disk.NewSessions(p.Sessions, p.MemoryFile)
	if p.Server != nil {
		r.world.server = server.New(*p.Server)
	}
	r.fuse = &fuse{
		plan: p.Crashes, ordinal: o.CrashAt, result: r.result,
		counts: make([]int, len(p.Crashes)), burnt: make([]bool, len(p.Crashes)),
		now:   func() fsm.Millis { return r.world.agenda.now },
		epoch: func() int { return r.epoch },
	}
	for i := range p.Timeline {
		r.world.agenda.add(due{at: p.Start + p.Timeline[i].At, entry: &p.Timeline[i]})
	}
	return r
}

// Chooser decides what the plan leaves open.
func (p *Plan) Chooser(o Options) Chooser {
	switch {
	case o.Choose != nil:
		return o.Choose
	case p.Seed != 0:
		return NewSeeded(p.Seed)
	default:
		return First{}
	}
}

// start opens the journal as a new process does and boots the machine.
func (r *run) start() error {
	r.epoch++
	r.born = r.world.agenda.now
	r.world.exited, r.booted = false, false
	d, err := engine.Drive(
		fusedJournal{Journal: r.journal, fuse: r.fuse, stores: r.world},
		fusedWorld{world: r.world, fuse: r.fuse},
	)
	if err != nil {
		return err
	}
	d.Check, d.Observe = r.check, r.observe
	r.driver, r.machine, r.world.slot, r.world.texts, r.last = d, d.Machine(), d.Slot, r.journal, d.Last()
	if err := r.recheck(); err != nil {
		return err
	}
	r.events = min(r.events, r.raised) // one that joined another may be lost
	r.config.Grants = slices.Clone(r.grants)
	return r.told(d.Boot(r.now(), r.config))
}

// recheck brings the monitor and the trace to where the recovered machine is: a
// fresh machine folds the journal. What a crash lost was never durable, so what
// was seen of it does not count; what was durable counts, seen or not. What
// invariants say of a step was noted when it was taken.
func (r *run) recheck() error {
	r.monitor, r.checked = check.NewMonitor(), 0
	before := r.result.Steps
	r.result.Steps, r.raised = nil, 0
	defer func() { r.lost = append(r.lost, before[min(len(r.result.Steps), len(before)):]...) }()
	r.world.cursor.replay()
	r.world.fates.replay()
	if r.driver.Last() == 0 {
		return nil
	}
	for f, err := range engine.Fold(r.journal, 0) {
		if err != nil {
			return err
		}
		r.monitor.Step(f.Machine, f.Input, f.Caused)
		r.world.cursor.observe(f.Input, f.Caused)
		r.world.fates.observe(f.Input, f.Caused)
		step := Step{At: r.world.whenWas(f.Record), Epoch: f.Machine.View().Epoch, Step: engine.Step{
			Index: f.Index, Input: f.Input, Effects: f.Caused, Moves: slices.Clone(f.Moves),
		}}
		if n := len(r.result.Steps); n < len(before) {
			step.Started, step.Served, step.Lost = before[n].Started, before[n].Served, before[n].Lost
		} else {
			step, r.lost = step.After(r.lost), nil
		}
		r.lists(step)
	}
	return nil
}

func (r *run) happen(d *due) error {
	r.measure()
	return r.survive(r.act(d))
}

func (r *run) act(d *due) error {
	switch {
	case d.boot && r.driver == nil:
		return r.start()
	case d.boot:
		return nil
	case d.entry != nil:
		return r.moment(d.entry)
	case d.piece != nil:
		r.result.Chunks = append(r.result.Chunks, *d.piece)
		return nil
	case d.slot != nil:
		err := r.driver.TellSlot(r.now(), d.slot.Schedule)
		if err == nil {
			r.world.looked(d.slot.Schedule)
		}
		return r.told(err)
	}
	fact := d.fact
	if p, ok := fact.(fsm.BrainProgress); ok {
		r.world.came(p)
		return r.told(r.driver.Tell(r.now(), p))
	}
	if d.served != nil {
		var err error
		if fact, err = r.world.over(d); err != nil {
			return err
		}
	}
	if d.call != 0 {
		fact = r.driver.Outcome(d.call, fact)
		r.world.agenda.drop(func(o *due) bool { return o.call != d.call }) // the outcome is reported, so the tool's stop will not be
	}
	return r.told(r.driver.Tell(r.now(), fact))
}

// survive starts the process again after a simulated crash; any other error is
// the run's.
func (r *run) survive(err error) error {
	for errors.Is(err, errCrash) {
		err = r.crash()
	}
	return err
}

// now is the time by both clocks.
func (r *run) now() engine.Now { return engine.Now{Wall: r.world.wall(), Steady: r.world.agenda.now} }

// told is the point after what the driver was told: after a step, if it has taken one,
// and the process's end where the machine has asked for it.
func (r *run) told(err error) error {
	if err != nil {
		return err
	}
	if last := r.driver.Last(); last != r.last {
		r.last = last
		if err := r.fuse.at(AfterStep, "", last); err != nil {
			return err
		}
	}
	if code, ok := r.driver.Exited(); ok {
		if !r.world.exited { // it never began its epoch
			r.result.Exits = append(r.result.Exits, code)
		}
		r.driver, r.world.lost = nil, span{}
		r.forget()
		return nil
	}
	if !r.booted && !r.driver.Down() {
		r.booted = true
		r.wake()
		return r.resend()
	}
	return nil
}

// crash ends the process: what it waited for will not come, what was not synced
// is lost, and it starts again a while later (SIM-5).
func (r *run) crash() error {
	r.driver = nil
	r.forget()
	if r.fuse.last.Synced {
		if err := r.journal.Append(engine.Batch{}, true); err != nil {
			return err
		}
		r.world.sync()
	}
	r.world.memory.Crash()
	r.world.sessions.Crash()
	journal, err := r.journal.Crash()
	if err != nil {
		return err
	}
	r.journal = journal
	r.measure()
	if r.world.still {
		r.world.lost = span{r.born, r.world.agenda.now}
		return r.start() // before anything else that is due now
	}
	r.world.agenda.add(due{at: r.world.agenda.now + r.fuse.last.After, boot: true})
	return nil
}

// forget drops every pending call and timer: only the timeline goes on.
func (r *run) forget() {
	r.world.hangUp()
	r.world.agenda.drop(func(d *due) bool { return d.entry != nil || d.boot })
}

// check notes what does not hold after a step (SCN-13), which is listed after those
// that wait for their append.
func (r *run) check(m *machine.Machine, in fsm.Input, effects []fsm.Effect) {
	for _, v := range r.monitor.Step(m, in, effects) {
		r.result.Violations = append(r.result.Violations, Broken{Step: len(r.result.Steps) + r.checked, Violation: v})
	}
	r.checked++
}

// observe records an appended step.
func (r *run) observe(s engine.Step) {
	r.checked--
	r.fuse.still = false
	r.world.cursor.observe(s.Input, s.Effects)
	r.world.fates.observe(s.Input, s.Effects)
	r.asked(s.Effects)
	step := Step{At: r.world.agenda.now, Epoch: r.epoch, Step: s}
	r.lists(step.After(r.lost))
	r.lost = nil
}

// lists adds a step of the journal to the result.
func (r *run) lists(s Step) {
	if _, ok := s.Input.Fact.(fsm.EventRaised); ok {
		r.raised++
	}
	r.result.Steps = append(r.result.Steps, s)
}

// finish gathers what is known at rest.
func (r *run) finish() (_ *Result, err error) {
	r.result.Unmet = r.fuse.unmet()
	r.result.Unstruck, r.result.Fates = r.world.fates.unstruck(), &r.world.fates
	r.result.Memory = r.world.memory.Entries
	r.result.World = r.world.things
	if r.world.space != nil {
		if r.result.World, err = r.world.space.Files(); err != nil {
			return nil, err
		}
	}
	kept := r.world.sessions.Contents
	r.result.Sessions, r.result.MemoryFile, r.result.History = kept.Saved, kept.MemoryFile, kept.History
	r.result.Gather()
	r.unsaid()
	r.result.End, r.result.Wall = r.world.agenda.now, r.world.wall()
	for _, key := range r.order {
		q, ok, err := r.journal.Request(key)
		if err != nil {
			return nil, err
		}
		if ok {
			r.result.Requests = append(r.result.Requests, q)
		}
	}
	r.result.seen()
	r.result.Final = r.machine.Snapshot()
	return r.result, nil
}

// fill puts the disk below the reserve for a while (SCN-50).
func (r *run) fill(length fsm.Millis) {
	r.full = max(r.full, r.world.agenda.now+length)
	r.measure()
}

// measure tells the journal whether there is space now.
func (r *run) measure() { r.journal.Fill(r.world.agenda.now < r.full) }

// waits reports whether something waits for space.
func (r *run) waits() bool { return r.driver != nil && r.driver.Waits() }

// wakes reports whether the driver has something to do before anything else happens,
// and goes to its time.
func (r *run) wakes() bool {
	if r.driver == nil {
		return false
	}
	a := &r.world.agenda
	wait, ok := r.driver.Next(r.now())
	rest := len(a.items) == 0 || a.items[0].at == never
	if !ok || rest && !r.waits() || !rest && a.items[0].at < a.now+wait {
		return false
	}
	a.now += wait
	r.measure()
	return true
}
