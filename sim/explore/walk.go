package explore

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/state"
	"shelly/sim"
)

// apply takes a step from n: the world performs the effects, or, if a crash is
// left, the process dies between the append and the first effect.
func (x *explorer) apply(n *node, e edge, after left) {
	next := x.copy(n)
	next.left = after
	effects := next.machine.Step(e.input)
	x.out.Transitions++
	x.out.Coverage.Add(next.machine.Moves())
	if bad := x.check(n, next, e, effects); bad != nil {
		x.found(n, e, *bad)
		return
	}
	next.sync(n, e.input, effects)
	next.late = lateAfter(n, next, e.input)
	if after.crashes > 0 && len(effects) > 0 && (shows(effects) || next.machine.View().Lifecycle == state.Stopped) {
		x.dieBefore(n, next, e)
	}
	for _, effect := range effects {
		if x.seenTwice(n, e, next, effect) {
			return
		}
	}
	x.visit(n, e, next)
}

// copy is the state n to step from, in the memory of a state that is not needed.
func (x *explorer) copy(n *node) *node {
	var next *node
	if last := len(x.spare) - 1; last < 0 {
		next = &node{machine: n.machine.Clone(), monitor: n.monitor.Clone()}
	} else {
		next, x.spare = x.spare[last], x.spare[:last]
		n.machine.CopyTo(next.machine)
		n.monitor.CopyTo(next.monitor)
	}
	machine, monitor := next.machine, next.monitor
	*next = *n // its index too: until next is visited, it is reached by the way to n
	next.machine, next.monitor, next.depth, next.held = machine, monitor, n.depth+1, false
	return next
}

// check looks for what does not hold of a step: the invariants, and what the case says.
func (x *explorer) check(n, next *node, e edge, effects []fsm.Effect) *check.Violation {
	if bad := next.monitor.Step(next.machine, e.input, effects); len(bad) > 0 {
		return &bad[0]
	}
	if c := x.bounds.Case; c != nil && c.Check != nil {
		return c.Check(e.input, next.machine.Moves(), effects, next.machine.View())
	}
	return nil
}

// sync notes what of the journal is durable after a step from n.
func (next *node) sync(n *node, in fsm.Input, effects []fsm.Effect) {
	next.unsynced++
	switch {
	case next.machine.Barrier(in, effects):
		next.durable, next.durableMonitor, next.unsynced = nil, nil, 0
	case next.durable == nil:
		next.durable, next.durableMonitor, next.unsynced = n.machine, n.monitor, 1
		n.held = true
	}
}

// shows reports whether the world must not see an effect among these again. Where it
// may, a crash before them and one after them lead to the same state.
func shows(effects []fsm.Effect) bool {
	return slices.ContainsFunc(effects, func(e fsm.Effect) bool { _, _, once := sim.Once(e); return once })
}

// seenTwice notes a reply or the start of an unsafe tool, and reports whether the
// world has seen it before.
func (x *explorer) seenTwice(n *node, e edge, next *node, effect fsm.Effect) bool {
	what, invariant, once := sim.Once(effect)
	if !once {
		return false
	}
	if slices.Contains(next.witnessed, what) {
		x.found(n, e, sim.Twice(what, invariant))
		return true
	}
	next.witnessed = append(slices.Clip(next.witnessed), what)
	return false
}

// crash ends the process in a state whose effects were performed and not yet
// answered.
func (x *explorer) crash(n *node) {
	if n.left.crashes == 0 {
		return
	}
	x.boot(n, edge{name: "crash"})
	if n.durable != nil {
		x.boot(n.before(), edge{name: "crash, unsynced tail lost", lost: n.unsynced})
	}
}

// dieBefore ends the process between the append of a step from n and its effects.
func (x *explorer) dieBefore(n, next *node, e edge) {
	x.boot(next, edge{name: e.name + ", crash before its effects", unseen: e.input})
	if next.durable != nil {
		x.boot(next.before(), edge{name: e.name + ", crash before its effects, unsynced tail lost", lost: next.unsynced - 1})
	}
}

// before is the state with the machine that a crash leaves of it.
func (n *node) before() *node {
	lost := *n
	lost.machine, lost.monitor = n.durable, n.durableMonitor
	return &lost
}

// boot starts a new process from what the journal holds.
func (x *explorer) boot(n *node, e edge) {
	after := n.left
	after.crashes--
	kept := *n
	kept.durable, kept.durableMonitor, kept.unsynced = nil, nil, 0
	e.input = fsm.Input{Fact: fsm.Boot{Config: x.config(n.left.requests)}}
	x.apply(&kept, e, after)
}

// visit queues a state that was not seen before. Only an answer, which spends
// nothing of what may still happen, is a way to rest: a state that needs a
// time-out, a crash or a signal to go on is stuck.
func (x *explorer) visit(from *node, e edge, n *node) {
	x.out.States++
	h := x.hash(n)
	index, known := x.seen[h]
	if known {
		x.spare = append(x.spare, n)
	} else {
		index = int32(len(x.trails))
		x.seen[h] = index
		resting := check.Resting(n.machine.View())
		if resting {
			x.out.Resting++
		}
		x.trails = append(x.trails, trail{parent: from.index, edge: e, resting: resting})
		n.index = index
		x.queue = append(x.queue, n)
		x.out.Depth = max(x.out.Depth, n.depth)
	}
	if from.index >= 0 && from.left == n.left {
		x.edges = append(x.edges, [2]int32{from.index, index})
	}
}

// hash tells states apart: the machine, what of it is durable, what may still
// happen, and what the world has seen.
func (x *explorer) hash(n *node) uint64 {
	machine := (*state.Snapshot).Shape
	if x.bounds.Case != nil {
		machine = (*state.Snapshot).Hash // its texts may decide
	}
	h := machine(n.machine.View())
	mix := func(v uint64) { h = (h ^ v) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	if n.durable != nil && n.left.crashes > 0 {
		mix(machine(n.durable.View()))
	}
	l := n.left
	for _, v := range [...]int{l.requests, l.events, l.timeouts, l.crashes, l.signals, l.starts, l.cancels, len(n.witnessed)} {
		mix(uint64(v))
	}
	for _, what := range n.witnessed {
		for i := range len(what) {
			mix(uint64(what[i]))
		}
	}
	for i := range len(n.late.kind) {
		mix(uint64(n.late.kind[i]))
	}
	return h
}
