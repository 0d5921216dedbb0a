package explore

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/coverage"
)

// worker takes steps of the machine. Several work at the same time; each has machines of its
// own to step and only reads the positions.
type worker struct {
	*alphabet
	shape    func(*state.Snapshot) uint64
	check    Check // of the case; nil: none
	coverage *coverage.Coverage
	steps    int
	spare    []watched // of positions that were known
	actions  []action
}

// outcome is what came of a step.
type outcome struct {
	watched
	given   given
	shape   uint64
	name    uint64 // of the position
	bad     *check.Violation
	barrier bool
	dies    bool
	resting bool
	stopped bool
	once    []sighting
	shows   uint32 // the number of once
}

func newWorker(a *alphabet) *worker {
	w := &worker{alphabet: a, shape: (*state.Snapshot).Shape, coverage: coverage.New()}
	if a.bounds.Case != nil {
		w.shape = (*state.Snapshot).Hash // its texts may decide
		if check := a.bounds.Case.Check; check != nil {
			w.check = check()
		}
	}
	return w
}

// try takes each action of a group from a position.
func (w *worker) try(p *position, g group, left int, found []outcome) []outcome {
	from := w.revived(p)
	w.actions = w.of(g, from.machine.View(), p.given, left, w.actions)
	found = slices.Grow(found, len(w.actions))[:len(w.actions)]
	for i := range w.actions {
		w.step(p, from, w.actions[i].input, &found[i])
	}
	if p.machine == nil {
		w.keep(from)
	}
	return found
}

// revived is the machine of a position, which is stepped to again from the last one on the
// way that was kept.
func (w *worker) revived(p *position) watched {
	if p.machine != nil {
		return p.watched
	}
	from := w.revived(p.from)
	w.actions = w.of(p.by, from.machine.View(), p.from.given, int(p.left), w.actions)
	input := w.actions[p.action].input
	to := from
	if p.from.machine != nil {
		to = w.copy(from)
	}
	w.steps++
	to.monitor.Step(to.machine, input, to.machine.Step(input))
	return to
}

// step takes one step from a position.
func (w *worker) step(p *position, from watched, in fsm.Input, o *outcome) {
	w.steps++
	o.watched = w.copy(from)
	effects := o.machine.Step(in)
	w.coverage.Add(o.machine.Moves())
	if o.bad = w.judge(o.watched, in, effects); o.bad != nil {
		return
	}
	view := o.machine.View()
	o.given = p.given.after(from.machine.View(), view, in)
	o.barrier = o.machine.Barrier(in, effects)
	o.resting, o.stopped = check.Resting(view), view.Lifecycle == state.Stopped
	o.once = onlyOnce(o.once, effects)
	o.dies = len(effects) > 0 && (len(o.once) > 0 || o.stopped)
	o.shape = w.shape(view)
	o.name = w.named(o.shape, o.given, view)
}

// spareMax is how many machines a worker keeps for their memory.
const spareMax = 512

// keep takes a machine that is not needed, for its memory.
func (w *worker) keep(m watched) {
	if len(w.spare) < spareMax {
		w.spare = append(w.spare, m)
	}
}

// copy is a machine to step, in the memory of one that is not needed.
func (w *worker) copy(from watched) watched {
	last := len(w.spare) - 1
	if last < 0 {
		return watched{from.machine.Clone(), from.monitor.Clone()}
	}
	to := w.spare[last]
	w.spare = w.spare[:last]
	from.machine.CopyTo(to.machine)
	from.monitor.CopyTo(to.monitor)
	return to
}

// judge looks for what does not hold of a step: the invariants, and what the case says.
func (w *worker) judge(of watched, in fsm.Input, effects []fsm.Effect) *check.Violation {
	if bad := of.monitor.Step(of.machine, in, effects); len(bad) > 0 {
		return &bad[0]
	}
	if w.check == nil {
		return nil
	}
	return w.check(in, of.machine.Moves(), effects, of.machine.View())
}

// named hashes what tells positions apart: the shape, the kind of the call that was given
// up, and, where an unsafe tool may start, the handles' ids, which are in what the world sees
// of a start.
func (w *worker) named(shape uint64, g given, s *state.Snapshot) uint64 {
	x := fsm.NewHasher(shape)
	x.Str(string(g.kind))
	if w.unsafe {
		x.Word(uint64(s.LastHandle))
		for i := range s.Handles {
			x.Word(uint64(s.Handles[i].ID))
		}
	}
	return x.Sum()
}

// onlyOnce lists what of a step's effects the world must not see again. Where it may, a crash before
// them and one after them lead to the same state.
func onlyOnce(list []sighting, effects []fsm.Effect) []sighting {
	list = list[:0]
	for _, e := range effects {
		if what, invariant, once := sim.Once(e); once {
			list = append(list, sighting{what, invariant})
		}
	}
	return list
}
