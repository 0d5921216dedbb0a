package explore

import (
	"math"

	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/coverage"
)

// Result is what a walk found (SIM-10).
type Result struct {
	States      int  // states that were reached, each as often as it was
	Unique      int  // states that differ
	Positions   int  // states of the machine that differ: what it was really stepped from
	Steps       int  // steps that the machine has taken
	Transitions int  // actions tried
	Depth       int  // actions on the longest shortest path
	Cut         int  // states at the greatest depth allowed, after which nothing was tried
	Complete    bool // every state within the bounds was visited
	Resting     int  // states at rest
	Coverage    *coverage.Coverage
	Found       *Counterexample // the shortest, or nil
}

// Run walks every interleaving of a small world (SIM-7), breadth first, on the
// shipped machine itself. States are distinguished by the machine's shape, or in a case's
// world by its hash, what of its journal is durable, what may still happen, and what
// the world has seen: no reply and no start of an unsafe tool may be seen twice. Every
// step is checked against the invariants; at the end, answers alone must lead from
// every state to rest. "Any armed timer may fire" is sound because no decision compares times.
//
// The machine is a pure function, so it takes each step once (SIM-36): states of the world
// that have their machine in common share the steps from it.
func Run(b Bounds) Result {
	x := newExplorer(b)
	x.begin(watched{machine.New(), check.NewMonitor()})
	x.walk(x.gaveUp)
	x.finish()
	if x.out.Complete && x.out.Cut == 0 {
		x.liveness()
	}
	return x.out
}

// left is what may still happen. In a case's world, requests are all moments of its
// timeline.
type left struct{ requests, events, timeouts, crashes, signals, starts, cancels uint16 }

// number is how many arrivals are left.
func (l *left) number() int { return int(l.requests) }

// explorer walks one world.
type explorer struct {
	bounds    Bounds
	positions positions
	states    states
	next      int // the first state that was not expanded
	workers   []*worker
	jobs      []done
	seen      sightings
	out       Result

	scouts  []scout // one for each state of a block
	choices []choice
}

func newExplorer(b Bounds) *explorer {
	if b.Case != nil {
		b.Requests = len(b.Case.arrivals)
	}
	b.Crashes = min(b.Crashes, CrashesMax)
	x := &explorer{bounds: b, positions: newPositions(), states: newStates(), seen: newSightings()}
	x.out.Coverage = coverage.New()
	if x.bounds.Together == nil {
		x.bounds.Workers = 1
	}
	alphabet := newAlphabet(&x.bounds)
	for range max(x.bounds.Workers, 1) {
		x.workers = append(x.workers, newWorker(alphabet))
	}
	return x
}

// begin puts a machine into the world and boots it.
func (x *explorer) begin(w watched) {
	b := &x.bounds
	root := x.put(w)
	n := world{index: none, at: root, durable: none, left: b.left()}
	s := scout{x: x, on: none}
	e := x.steps(root, booting, b.Requests)[0]
	s.apply(&n, &e, n.left, to(booting, 0))
	x.expand(none, &s)
}

// put is the position of a machine that nothing has led to.
func (x *explorer) put(w watched) int32 {
	s, p := w.machine.View(), &x.positions
	return p.add(&position{watched: w, resting: check.Resting(s), stopped: s.Lifecycle == state.Stopped}, x.workers[0].shape(s))
}

// left is what may happen in the world.
func (b *Bounds) left() left {
	n := func(v int) uint16 { return uint16(min(max(v, 0), math.MaxUint16)) }
	return left{n(b.Requests), n(b.Events), n(b.Timeouts), n(b.Crashes), n(b.Signals), n(b.Starts), n(b.Cancels)}
}

// finish gathers what was counted.
func (x *explorer) finish() {
	x.out.Unique = x.states.len()
	x.out.Positions = len(x.positions.list)
	x.out.Complete = x.next == x.states.len() && x.out.Found == nil
	for _, w := range x.workers {
		x.out.Coverage.Join(w.coverage)
		x.out.Steps += w.steps
		w.spare = nil
	}
	x.scouts, x.jobs = nil, nil
}
