package explore

import (
	"fmt"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/coverage"
)

// Result is what a walk found (SIM-10).
type Result struct {
	States      int  // states that were reached, each as often as it was
	Unique      int  // states that differ
	Transitions int  // actions tried
	Depth       int  // actions on the longest shortest path
	Cut         int  // states at the greatest depth allowed, after which nothing was tried
	Complete    bool // every state within the bounds was visited
	Resting     int  // states at rest
	Coverage    *coverage.Coverage
	Found       *Counterexample // the shortest, or nil
}

// Run walks every interleaving of a small world (SIM-7), breadth first, on the
// shipped machine itself. States are told apart by the machine's shape, or in a case's
// world by its hash, what of its journal is durable, what may still happen, and what
// the world has seen: no reply and no start of an unsafe tool may be seen twice. Every
// step is checked against the invariants; at the end, answers alone must lead from
// every state to rest. "Any armed timer may fire" is sound because no decision compares times.
func Run(b Bounds) Result {
	x := newExplorer(b)
	b = x.bounds
	root := &node{
		index: -1, machine: machine.New(), monitor: check.NewMonitor(),
		left: left{b.Requests, b.Events, b.Timeouts, b.Crashes, b.Signals, b.Starts, b.Cancels},
	}
	x.apply(root, edge{name: "boot", input: fsm.Input{Fact: fsm.Boot{Config: x.config(0)}}}, root.left)
	x.walk()
	if x.out.Complete && x.out.Cut == 0 {
		x.liveness()
	}
	return x.out
}

// node is a state of the explored world.
type node struct {
	index   int32
	depth   int
	machine *machine.Machine
	monitor *check.Monitor
	// durable is the machine as the journal would bring it back if power failed
	// now, which would lose the last unsynced records; nil if that is the machine itself.
	durable        *machine.Machine
	durableMonitor *check.Monitor
	unsynced       int
	held           bool // its machine is the durable one of another state
	left           left
	late           late
	witnessed      []string // what the world has seen and must not see again
}

// left is what may still happen. In a case's world, requests are all moments of its
// timeline.
type left struct{ requests, events, timeouts, crashes, signals, starts, cancels int }

type explorer struct {
	bounds Bounds
	seen   map[uint64]int32
	trails []trail
	edges  [][2]int32 // answers, from one state to another
	queue  []*node
	spare  []*node // of states that are done with
	out    Result
}

func newExplorer(b Bounds) *explorer {
	if b.Case != nil {
		b.Requests = len(b.Case.arrivals)
	}
	return &explorer{bounds: b, seen: map[uint64]int32{}, out: Result{Coverage: coverage.New()}}
}

// enoughEvery is how many states are visited between two looks at what ends a walk
// from without.
const enoughEvery = 256

// walk visits every state that is queued and all that they lead to, unless it has to
// give up.
func (x *explorer) walk() {
	for visited := 0; len(x.queue) > 0 && x.out.Found == nil; visited++ {
		b := &x.bounds
		if b.StatesMax > 0 && len(x.trails) >= b.StatesMax || visited%enoughEvery == 0 && b.Enough != nil && b.Enough() {
			break
		}
		n := x.queue[0]
		x.queue[0], x.queue = nil, x.queue[1:]
		if b.DepthMax > 0 && n.depth >= b.DepthMax {
			x.out.Cut++
			continue
		}
		x.expand(n)
		if !n.held {
			x.spare = append(x.spare, n)
		}
	}
	x.out.Unique = len(x.trails)
	x.out.Complete = len(x.queue) == 0 && x.out.Found == nil
}

// expand tries every action in a state.
func (x *explorer) expand(n *node) {
	view := n.machine.View()
	for _, a := range x.answers(view) {
		x.apply(n, edge{name: a.name, input: a.input}, n.left)
	}
	for _, t := range timers(view) {
		if after := n.left; after.timeouts > 0 {
			after.timeouts--
			x.apply(n, edge{name: "time-out", input: fsm.Input{Fact: fsm.TimerFired{Timer: t}}}, after)
		}
	}
	if view.Lifecycle == state.Stopped {
		if after := n.left; after.starts > 0 {
			after.starts--
			x.apply(n, edge{name: "start", input: fsm.Input{Fact: fsm.Boot{Config: x.config(n.left.requests)}}}, after)
		}
		return
	}
	if a, ok := n.late.answer(); ok {
		x.apply(n, edge{name: a.name, input: a.input}, n.left)
	}
	x.cancels(n)
	if after := n.left; after.requests > 0 {
		after.requests--
		a := x.arrival(x.bounds.Requests - n.left.requests)
		x.apply(n, edge{name: a.name, input: a.input}, after)
	}
	if after := n.left; after.events > 0 {
		after.events--
		x.apply(n, edge{name: "event", input: fsm.Input{Fact: fsm.EventRaised{Source: "world", Event: "changed"}}}, after)
	}
	if after := n.left; after.signals > 0 {
		after.signals--
		x.apply(n, edge{name: "signal", input: fsm.Input{Fact: fsm.Signalled{Name: "TERM"}}}, after)
	}
	x.crash(n)
}

// arrival is the request of a number, from 0, or the moment of the case's timeline.
// Requests are numbered in the order of their arrival: which of several alike comes
// first is no choice (SIM-17).
func (x *explorer) arrival(number int) action {
	if c := x.bounds.Case; c != nil {
		return c.arrivals[number]
	}
	id := fmt.Sprintf("r%d", number+1)
	session := fmt.Sprintf("s%d", number%max(x.bounds.Sessions, 1)+1)
	text := id
	if x.bounds.Commands && number%2 == 1 {
		text = "/new"
	}
	return action{"request " + id, fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: session, Text: text}}}
}

// config is what a process is started with while a number of arrivals is left.
func (x *explorer) config(left int) fsm.Config {
	if c := x.bounds.Case; c != nil {
		return c.config(len(c.arrivals) - left)
	}
	return x.bounds.config()
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
			x.apply(n, edge{name: "cancel " + h.Request.ID, input: fsm.Input{Fact: fsm.CancelRequested{Request: h.Request}}}, after)
		}
	}
}
