package sim

import (
	"fmt"
	"slices"

	"shelly/fsm"
)

// Exploration is what a walk found (SIM-10).
type Exploration struct {
	Unique      int  // states that differ
	Transitions int  // actions tried
	Depth       int  // actions on the longest shortest path
	Complete    bool // every state within the bounds was visited
	Resting     int  // states at rest
	Coverage    *Coverage
	Found       *Counterexample // the shortest, or nil
}

// Counterexample is a shortest path to a state in which something does not hold.
type Counterexample struct {
	fsm.Violation
	Path []string
}

// Explore walks every interleaving of a small world (SIM-7), breadth first, on the
// shipped machine itself. States are told apart by the machine's shape, what of
// its journal is durable, what may still happen, and what the world has seen: no
// reply and no start of an unsafe tool may be seen twice. Every step is
// checked against the invariants; at the end, answers alone must lead from every
// state to rest. "Any armed timer may fire" is sound because no decision compares times.
func Explore(b Bounds) Exploration {
	x := &explorer{bounds: b, config: b.config(), seen: map[uint64]int32{}, out: Exploration{Coverage: NewCoverage()}}
	x.walk()
	return x.out
}

// node is a state of the explored world.
type node struct {
	index   int32
	depth   int
	machine *fsm.Machine
	monitor *fsm.Monitor
	// durable is the machine as the journal would bring it back if power failed
	// now; nil if that is the machine itself.
	durable        *fsm.Machine
	durableMonitor *fsm.Monitor
	left           left
	witnessed      []string // what the world has seen and must not see again
}

// left is what may still happen.
type left struct{ requests, events, timeouts, crashes, signals, starts, cancels int }

// trail is how a state was first reached.
type trail struct {
	parent  int32
	action  string
	resting bool
}

type explorer struct {
	bounds Bounds
	config fsm.Config
	seen   map[uint64]int32
	trails []trail
	edges  [][2]int32 // answers, from one state to another
	queue  []*node
	out    Exploration
}

func (x *explorer) walk() {
	b := x.bounds
	root := &node{
		index: -1, machine: fsm.New(), monitor: fsm.NewMonitor(),
		left: left{b.Requests, b.Events, b.Timeouts, b.Crashes, b.Signals, b.Starts, b.Cancels},
	}
	x.apply(root, "boot", fsm.Boot{Config: x.config}, root.left)
	for len(x.queue) > 0 && x.out.Found == nil {
		if b.StatesMax > 0 && len(x.trails) >= b.StatesMax {
			break
		}
		n := x.queue[0]
		x.queue[0], x.queue = nil, x.queue[1:]
		x.expand(n)
	}
	x.out.Unique = len(x.trails)
	x.out.Complete = len(x.queue) == 0 && x.out.Found == nil
	if x.out.Complete {
		x.liveness()
	}
}

// expand tries every action in a state.
func (x *explorer) expand(n *node) {
	for _, a := range x.answers(n.machine.View()) {
		x.apply(n, a.name, a.input, n.left)
	}
	for _, t := range timers(n.machine.View()) {
		if after := n.left; after.timeouts > 0 {
			after.timeouts--
			x.apply(n, "time-out", fsm.TimerFired{Timer: t}, after)
		}
	}
	lifecycle := n.machine.View().Lifecycle
	if lifecycle == fsm.Stopped {
		if after := n.left; after.starts > 0 {
			after.starts--
			x.apply(n, "start", fsm.Boot{Config: x.config}, after)
		}
		return
	}
	x.cancels(n)
	if after := n.left; after.requests > 0 {
		number := x.bounds.Requests - after.requests
		id := fmt.Sprintf("r%d", number+1)
		session := fmt.Sprintf("s%d", number%max(x.bounds.Sessions, 1)+1)
		text := id
		if x.bounds.Commands && number%2 == 1 {
			text = "/new"
		}
		after.requests--
		x.apply(n, "request "+id, fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: session, Text: text}, after)
	}
	if after := n.left; after.events > 0 {
		after.events--
		x.apply(n, "event", fsm.EventRaised{Source: "world", Event: "changed"}, after)
	}
	if after := n.left; after.signals > 0 {
		after.signals--
		x.apply(n, "signal", fsm.Signalled{Name: "TERM"}, after)
	}
	x.crash(n)
}

// cancels tries to cancel each request that is there.
func (x *explorer) cancels(n *node) {
	after := n.left
	if after.cancels == 0 {
		return
	}
	after.cancels--
	view := n.machine.View()
	for i := range view.Handles {
		if h := &view.Handles[i]; h.Kind == fsm.KindUser {
			x.apply(n, "cancel "+h.Request.ID, fsm.CancelRequested{Request: h.Request}, after)
		}
	}
}

// apply takes a step from n: the world performs the effects, or, if a crash is
// left, the process dies between the append and the first effect.
func (x *explorer) apply(n *node, action string, in fsm.Input, after left) {
	next := &node{
		index:   n.index, // until it is visited, it is reached by the way to n
		depth:   n.depth + 1,
		machine: n.machine.Clone(), monitor: n.monitor.Clone(),
		durable: n.durable, durableMonitor: n.durableMonitor,
		left: after, witnessed: n.witnessed,
	}
	effects := next.machine.Step(in)
	x.out.Transitions++
	x.out.Coverage.Add(next.machine.Moves())
	if bad := next.monitor.Step(next.machine, in, effects); len(bad) > 0 {
		x.found(n, action, bad[0])
		return
	}
	switch {
	case fsm.Barrier(in, effects):
		next.durable, next.durableMonitor = nil, nil
	case next.durable == nil:
		next.durable, next.durableMonitor = n.machine, n.monitor
	}
	if after.crashes > 0 && len(effects) > 0 {
		x.boot(next, action+", crash before its effects")
	}
	for _, e := range effects {
		if x.seenTwice(n, action, next, e) {
			return
		}
	}
	x.visit(n, action, next)
}

// seenTwice notes a reply or the start of an unsafe tool, and reports whether the
// world has seen it before.
func (x *explorer) seenTwice(n *node, action string, next *node, e fsm.Effect) bool {
	var what, invariant string
	switch e := e.(type) {
	case fsm.Reply:
		what, invariant = "the reply to "+e.Request.ID, "INV-1"
	case fsm.RunTool:
		if e.Effects.Repeatable() {
			return false
		}
		what, invariant = fmt.Sprintf("attempt %d of %s", e.Attempt, e.Key), "INV-6"
	default:
		return false
	}
	if slices.Contains(next.witnessed, what) {
		x.found(n, action, fsm.Violation{Invariant: invariant, Text: "the world saw " + what + " twice"})
		return true
	}
	next.witnessed = append(slices.Clip(next.witnessed), what)
	return false
}

// crash ends the process in a state whose effects were performed and not yet
// answered.
func (x *explorer) crash(n *node) {
	if n.left.crashes > 0 {
		x.boot(n, "crash")
	}
}

// boot starts a new process from what the journal holds: all of it, or only what
// was synced.
func (x *explorer) boot(n *node, action string) {
	after := n.left
	after.crashes--
	kept := *n
	kept.durable, kept.durableMonitor = nil, nil
	x.apply(&kept, action, fsm.Boot{Config: x.config}, after)
	if n.durable != nil {
		lost := kept
		lost.machine, lost.monitor = n.durable, n.durableMonitor
		x.apply(&lost, action+", unsynced tail lost", fsm.Boot{Config: x.config}, after)
	}
}

// visit queues a state that was not seen before. Only an answer, which spends
// nothing of what may still happen, is a way to rest: a state that needs a
// time-out, a crash or a signal to go on is stuck.
func (x *explorer) visit(from *node, action string, n *node) {
	h := x.hash(n)
	index, known := x.seen[h]
	if !known {
		index = int32(len(x.trails))
		x.seen[h] = index
		resting := fsm.Resting(n.machine.View())
		if resting {
			x.out.Resting++
		}
		x.trails = append(x.trails, trail{parent: from.index, action: action, resting: resting})
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
	h := n.machine.View().Shape()
	mix := func(v uint64) { h = (h ^ v) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	if n.durable != nil && n.left.crashes > 0 {
		mix(n.durable.View().Shape())
	}
	l := n.left
	for _, v := range []int{l.requests, l.events, l.timeouts, l.crashes, l.signals, l.starts, l.cancels, len(n.witnessed)} {
		mix(uint64(v))
	}
	for _, what := range n.witnessed {
		for _, b := range []byte(what) {
			mix(uint64(b))
		}
	}
	return h
}

// found keeps the first, and so a shortest, counterexample.
func (x *explorer) found(n *node, action string, v fsm.Violation) {
	if x.out.Found != nil {
		return
	}
	x.out.Found = &Counterexample{Violation: v, Path: append(x.path(n.index), action)}
}

func (x *explorer) path(index int32) []string {
	var path []string
	for index >= 0 {
		path = append(path, x.trails[index].action)
		index = x.trails[index].parent
	}
	slices.Reverse(path)
	return path
}

// liveness checks that rest is reachable from every state by answers alone
// (INV-12, SIM-9), cycles included: it walks the answers backwards from every
// resting state.
func (x *explorer) liveness() {
	slices.SortFunc(x.edges, func(a, b [2]int32) int {
		if a[1] != b[1] {
			return int(a[1]) - int(b[1])
		}
		return int(a[0]) - int(b[0])
	})
	reaches := make([]bool, len(x.trails))
	var work []int32
	for i := range x.trails {
		if x.trails[i].resting {
			reaches[i] = true
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		to := work[len(work)-1]
		work = work[:len(work)-1]
		first, _ := slices.BinarySearchFunc(x.edges, to, func(e [2]int32, to int32) int { return int(e[1]) - int(to) })
		for _, e := range x.edges[first:] {
			if e[1] != to {
				break
			}
			if !reaches[e[0]] {
				reaches[e[0]] = true
				work = append(work, e[0])
			}
		}
	}
	if i := slices.Index(reaches, false); i >= 0 {
		x.out.Found = &Counterexample{
			Violation: fsm.Violation{Invariant: "INV-12", Text: "rest cannot be reached from here"},
			Path:      x.path(int32(i)),
		}
	}
}
