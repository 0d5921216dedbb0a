package explore

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim"
)

// Told is one input that the machine was told (SCN-45, SCN-53).
type Told struct {
	At     fsm.Millis
	Input  fsm.Input // its own time is of no account
	Lost   bool      // its record was not durable when the process died after it, so that the next boot begins without it
	Unseen bool      // the process died before it performed any of the effects
	Words  string    // what happens, for people
}

// Replay steps the shipped machine from a state on with what it was told, to the letter,
// and checks the invariants after each step and that the world sees no reply and no start of an
// unsafe tool twice. A lost record that is durable by the rule of today (JRN-4) is
// there at the boot all the same, so that a record that should have been synced is no
// failure any more once it is. What only a world could know is empty in the result:
// memory, sessions and files, and what the model and the tools were called with. What
// the state holds is taken as given, what the world saw before it is not known, and
// nothing from before it is lost.
func Replay(from state.Snapshot, told []Told) *sim.Result {
	r := replay{from: from, epoch: from.Epoch, result: &sim.Result{}}
	r.begin()
	for i, t := range told {
		r.entry = i
		r.tell(t)
	}
	return r.finish()
}

type replay struct {
	from    state.Snapshot
	machine *machine.Machine
	monitor *check.Monitor
	result  *sim.Result
	lost    []bool     // of each step
	gone    []sim.Step // that the last crash lost, and no step has come since
	synced  int        // steps that are durable
	epoch   int
	entry   int      // of what is shown
	seen    []string // what the world must not see again
}

// begin brings the machine and its monitor to the state before the first step.
func (r *replay) begin() {
	r.machine = machine.Restore(r.from)
	r.monitor = check.MonitorFrom(r.machine)
}

func (r *replay) tell(t Told) {
	in := fsm.Input{At: t.At, Fact: t.Input.Fact}
	if _, ok := in.Fact.(fsm.Boot); ok {
		r.lose()
		r.epoch++
	}
	told := engine.Tell(r.machine, in)
	effects := told.Caused
	r.broken(r.monitor.Step(r.machine, in, effects)...)
	steps := &r.result.Steps
	step := sim.Step{At: t.At, Epoch: r.epoch, Step: engine.Step{
		Index: uint64(len(*steps) + 1), Input: in, Effects: effects, Moves: slices.Clone(told.Moves),
	}}
	if !t.Unseen {
		step.Started = r.perform(effects)
	}
	*steps, r.gone = append(*steps, step.After(r.gone)), nil
	r.lost = append(r.lost, t.Lost)
	if r.machine.Barrier(in, effects) {
		r.synced = len(*steps)
	}
}

func (r *replay) broken(violations ...check.Violation) {
	for _, v := range violations {
		r.result.Violations = append(r.result.Violations, sim.Broken{Step: len(r.result.Steps), Told: r.entry, Violation: v})
	}
}

// perform lets the world see effects, and returns the tools that it saw start.
func (r *replay) perform(effects []fsm.Effect) (started []string) {
	for _, e := range effects {
		if run, ok := e.(fsm.RunTool); ok {
			started = append(started, run.Name)
		}
		what, invariant, once := sim.Once(e)
		if once && slices.Contains(r.seen, what) {
			r.broken(sim.Twice(what, invariant))
		} else if once {
			r.seen = append(r.seen, what)
		}
	}
	return started
}

// lose drops the steps at the end that a crash lost, and brings the machine and its
// monitor to where those before them leave it.
func (r *replay) lose() {
	steps, kept := r.result.Steps, len(r.result.Steps)
	for kept > r.synced && r.lost[kept-1] {
		kept--
	}
	if kept == len(steps) {
		return
	}
	r.gone = slices.Clone(steps[kept:])
	r.result.Steps, r.lost = steps[:kept], r.lost[:kept]
	r.begin()
	for _, f := range sim.Fold(r.from, r.result.Steps) {
		r.monitor.Step(f.Machine, f.Input, f.Caused) // what is wrong with it was noted
		r.machine = f.Machine
	}
}

// finish gathers what is known at the end from the steps that are kept.
func (r *replay) finish() *sim.Result {
	out := r.result
	for _, s := range out.Steps {
		if in, ok := s.Input.Fact.(fsm.Requested); ok && r.request(in.Request) == nil {
			out.Requests = append(out.Requests, engine.Request{Key: in.Request, Index: s.Index, Session: in.Session, Origin: in.Origin, Text: in.Text, Accepted: s.At})
		}
		for _, e := range s.Effects {
			r.note(s.At, e)
		}
		out.End = s.At
	}
	out.Gather()
	out.Final = r.machine.Snapshot()
	return out
}

// note lists an effect that tells a client or the operator something.
func (r *replay) note(at fsm.Millis, e fsm.Effect) {
	out := r.result
	switch e := e.(type) {
	case fsm.Reply:
		if q := r.request(e.Request); q != nil {
			q.Handle, q.Done, q.Replied = e.Handle, true, at
			q.Reply, q.IsError, q.Outcome = e.Text, e.IsError, e.Outcome
		}
	case fsm.Notify:
		out.Notices = append(out.Notices, sim.Delivery{Request: e.Request, Notice: e.Notice, Ahead: e.Ahead})
	case fsm.Report:
		out.Reports = append(out.Reports, e)
	case fsm.Exit:
		out.Exits = append(out.Exits, e.Code)
	}
}

func (r *replay) request(key fsm.RequestKey) *engine.Request {
	list := r.result.Requests
	i := slices.IndexFunc(list, func(q engine.Request) bool { return q.Key == key })
	if i < 0 {
		return nil
	}
	return &list[i]
}
