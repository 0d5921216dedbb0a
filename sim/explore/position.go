package explore

import (
	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
)

// none is the place of nothing.
const none = -1

// watched is a machine with the monitor that follows it.
type watched struct {
	machine *machine.Machine
	monitor *check.Monitor
}

// position is a state of the machine as it was first reached. States of the world in which
// the machine differs in nothing that its shape covers share it, with the steps from it
// (SIM-36).
//
// Its machine is kept until the steps from it have been taken, and after that in one of
// [keptEvery]: where others are to be taken later, it is stepped to again.
type position struct {
	watched
	from    *position // that before it, from which an action of a group has led to it; nil: nothing has
	by      group
	left    int32 // what [alphabet.number] says of it
	action  int32 // of the group
	far     int32 // positions on the way to it
	given   given
	resting bool
	stopped bool
	tried   []span
}

// keptEvery is in how many positions on a way one keeps its machine for good.
const keptEvery = 32

// span is where the steps of a group stand among all.
type span struct {
	first int32 // none: they are still to be taken
	n     int32
	left  uint16 // what [alphabet.number] says
	group group
}

// spansFirst is for how many spans a position has room at first.
const spansFirst = 4

// edge is a step from one position to the next.
type edge struct {
	to      int32  // the position, or ^n where the n-th violation is what came of it
	shows   uint32 // what the world sees of it and must not see again; 0: nothing
	barrier bool   // it is durable, with all before it
	dies    bool   // a crash before its effects leads elsewhere than one after them
}

// look is what of a position tells states apart: the number of the machine's shape, or in a
// case's world of its hash, and that of the kind of the call that was given up.
type look struct{ shape, kind uint32 }

// positions are all that were reached, and the steps between them.
type positions struct {
	list   []*position
	looks  []look // of each
	edges  []edge
	wrong  []check.Violation
	known  map[uint64]int32 // by all that tells positions apart
	shapes numbers[uint64]
	kinds  numbers[fsm.CallKind]
	apart  bool // no two states share one
}

func newPositions() positions {
	return positions{known: map[uint64]int32{}, shapes: newNumbers[uint64](), kinds: newNumbers[fsm.CallKind]()}
}

func (p *positions) add(n *position, shape uint64) int32 {
	p.list = append(p.list, n)
	p.looks = append(p.looks, look{p.shapes.of(shape), p.kinds.of(n.given.kind)})
	return int32(len(p.list) - 1)
}

// find returns where the steps of a group stand, or nil.
func (p *position) find(g group, left int) *span {
	for i := range p.tried {
		if s := &p.tried[i]; s.group == g && int(s.left) == left {
			return s
		}
	}
	return nil
}

// settle notes what came of a step. It returns false where its machine is not needed: there
// is one in that position.
func (p *positions) settle(o *outcome, j *job, action int) bool {
	e := edge{shows: o.shows, barrier: o.barrier, dies: o.dies}
	defer func() { p.edges = append(p.edges, e) }()
	if o.bad != nil {
		p.wrong = append(p.wrong, *o.bad)
		e.to = ^int32(len(p.wrong) - 1)
		return false
	}
	to, known := p.known[o.name]
	known = known && !p.apart
	if !known {
		from := p.list[j.at]
		to = p.add(&position{
			watched: o.watched, from: from, by: j.group, left: j.left, action: int32(action), far: from.far + 1,
			given: o.given, resting: o.resting, stopped: o.stopped,
		}, o.shape)
		p.known[o.name] = to
	}
	e.to = to
	return !known
}

// job is a group of actions to try from a position.
type job struct {
	at    int32
	group group
	left  int32
}

// done is a job with what came of it.
type done struct {
	job
	found []outcome
}

// want has the steps of a group taken with the next jobs, unless they were.
func (x *explorer) want(at int32, g group, left int) {
	p := x.positions.list[at]
	left = x.workers[0].number(g, left)
	if p.find(g, left) != nil {
		return
	}
	if p.tried == nil {
		p.tried = make([]span, 0, spansFirst)
	}
	p.tried = append(p.tried, span{group: g, left: uint16(left), first: none})
	n := len(x.jobs)
	if n == cap(x.jobs) {
		x.jobs = append(x.jobs, done{})
	}
	x.jobs = x.jobs[:n+1]
	x.jobs[n].job = job{at, g, int32(left)}
}

// togetherMax is how many jobs are done before what they have found is settled, so that few
// machines are there at a time.
const togetherMax = 256

// compute does the jobs. The workers share them out by their numbers, and what they have
// found is settled in the order of the jobs: the walk is the same with any number of workers.
func (x *explorer) compute() {
	for first := 0; first < len(x.jobs); first += togetherMax {
		jobs := x.jobs[first:min(first+togetherMax, len(x.jobs))]
		x.together(len(jobs), func(k, w int) {
			j := &jobs[k]
			j.found = x.workers[w].try(x.positions.list[j.at], j.group, int(j.left), j.found[:0])
		})
		for k := range jobs {
			x.settle(&jobs[k])
		}
	}
	x.jobs = x.jobs[:0]
}

func (x *explorer) settle(j *done) {
	s := x.positions.list[j.at].find(j.group, int(j.left))
	s.first, s.n = int32(len(x.positions.edges)), int32(len(j.found))
	for i := range j.found {
		o := &j.found[i]
		o.shows = x.seen.step(o.once)
		if !x.positions.settle(o, &j.job, i) {
			x.keep(o.watched)
		}
		*o = outcome{once: o.once[:0]}
	}
}

// keep gives a machine that is not needed to the worker with the fewest, for its memory.
func (x *explorer) keep(m watched) {
	w := x.workers[0]
	for _, o := range x.workers[1:] {
		if len(o.spare) < len(w.spare) {
			w = o
		}
	}
	w.keep(m)
}

// release takes the machines of positions whose steps have been taken, for others to use.
func (x *explorer) release(from, to int32) {
	for i := from; i < to; i++ {
		at := x.states.at(i).at
		p := x.positions.list[at]
		if p.machine == nil || p.far%keptEvery == 0 || p.find(answering, 0) == nil {
			continue
		}
		x.keep(p.watched)
		p.watched = watched{}
	}
}

// steps returns the steps of a group from a position.
func (x *explorer) steps(at int32, g group, left int) []edge {
	edges, ok := x.taken(at, g, left)
	if !ok {
		x.want(at, g, left)
		x.compute()
		edges, _ = x.taken(at, g, left)
	}
	return edges
}

// taken is steps, or false where they have not been taken.
func (x *explorer) taken(at int32, g group, left int) ([]edge, bool) {
	s := x.positions.list[at].find(g, x.workers[0].number(g, left))
	if s == nil {
		return nil, false
	}
	return x.positions.edges[s.first : s.first+s.n], true
}
