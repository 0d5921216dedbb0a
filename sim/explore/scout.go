package explore

import (
	"shelly/fsm/check"
	"shelly/sim"
)

// scout looks where a state leads.
type scout struct {
	x       *explorer
	firm    bool    // nothing may be added to what is known, so that several can look at the same time
	unsure  bool    // something had to be added: what was found is not all
	deepest bool    // the state is at the greatest depth
	known   int     // steps that lead to states that were there already
	on      int32   // the last of those that an answer leads to, or none
	reached []reach // the other steps
	choices []choice
}

// reach is a step from a state that is wrong, or leads to a state that was not there when it was
// looked for.
type reach struct {
	world
	key   hashed
	by    step
	wrong *check.Violation
}

// deepest reports whether a state is at the greatest depth.
func (x *explorer) deepest(n *world) bool {
	return x.bounds.DepthMax > 0 && int(n.depth) >= x.bounds.DepthMax
}

// choice is a group of actions that may happen in a state, and what may after it.
type choice struct {
	group group
	after left
}

// may lists what may happen in a state, crashes apart, in the order in which it is tried.
func (x *explorer) may(n *world, list []choice) []choice {
	list = append(list[:0], choice{answering, n.left})
	spend := func(g group, of func(*left) *uint16) {
		after := n.left
		if l := of(&after); *l > 0 {
			*l--
			list = append(list, choice{g, after})
		}
	}
	p := x.positions.list[n.at]
	spend(timing, func(l *left) *uint16 { return &l.timeouts })
	if p.stopped {
		spend(starting, func(l *left) *uint16 { return &l.starts })
		return list
	}
	if p.given.kind != "" {
		list = append(list, choice{late, n.left})
	}
	spend(cancelling, func(l *left) *uint16 { return &l.cancels })
	spend(arriving, func(l *left) *uint16 { return &l.requests })
	spend(raising, func(l *left) *uint16 { return &l.events })
	spend(signalling, func(l *left) *uint16 { return &l.signals })
	return list
}

// look tries every action in a state.
func (s *scout) look(n *world) {
	s.known, s.on, s.reached = 0, none, s.reached[:0]
	s.unsure, s.deepest = false, s.x.deepest(n)
	if s.deepest {
		return
	}
	s.choices = s.x.may(n, s.choices)
	for _, c := range s.choices {
		edges := s.steps(n.at, c.group, n)
		for i := range edges {
			s.apply(n, &edges[i], c.after, to(c.group, i))
		}
	}
	s.crash(n)
}

// steps are those of a group from a position.
func (s *scout) steps(at int32, g group, n *world) []edge {
	if !s.firm {
		return s.x.steps(at, g, n.left.number())
	}
	edges, ok := s.x.taken(at, g, n.left.number())
	s.unsure = s.unsure || !ok
	return edges
}

// after is the state that a step from n leads to, in which as much may happen as before.
func (e *edge) after(n *world) world {
	next := *n
	next.at, next.depth = e.to, n.depth+1
	switch {
	case e.barrier:
		next.durable = none
	case n.durable == none:
		next.durable = n.at
	}
	return next
}

// apply takes a step from n: the world performs the effects, or, if a crash is
// left, the process dies between the append and the first effect.
func (s *scout) apply(n *world, e *edge, left left, by step) {
	if e.to < 0 {
		s.reached = append(s.reached, reach{by: by, wrong: &s.x.positions.wrong[^e.to]})
		return
	}
	next := e.after(n)
	next.left = left
	if left.crashes > 0 && e.dies {
		s.dieBefore(&next, by)
	}
	if e.shows != 0 && !s.see(&next, e.shows, by) {
		return
	}
	k := s.x.hashed(&next)
	index, _, _ := s.x.find(&k)
	if index == none {
		s.reached = append(s.reached, reach{world: next, key: k, by: by})
		return
	}
	s.known++
	if by.answers() {
		s.on = max(s.on, index)
	}
}

// see notes what the world sees of a step, and reports whether all of it is new.
func (s *scout) see(next *world, shows uint32, by step) bool {
	list, again, ok := s.x.seen.add(next.seen, shows, !s.firm)
	switch {
	case list == unknown:
		s.unsure = true
		return false
	case !ok:
		wrong := sim.Twice(again.what, again.invariant)
		s.reached = append(s.reached, reach{by: by, wrong: &wrong})
		return false
	}
	next.seen = list
	return true
}

// crash ends the process in a state whose effects were performed and not yet
// answered.
func (s *scout) crash(n *world) {
	if n.left.crashes == 0 || s.x.positions.list[n.at].stopped {
		return
	}
	s.boot(n, n.at, to(booting, 0))
	if n.durable != none {
		s.boot(n, n.durable, to(booting, 1))
	}
}

// dieBefore ends the process between the append of the step that has led to a state and its
// effects. The crash belongs to that step, so it leads no deeper.
func (s *scout) dieBefore(next *world, by step) {
	last := *next
	last.depth--
	s.boot(&last, last.at, by.dies(false))
	if last.durable != none {
		s.boot(&last, last.durable, by.dies(true))
	}
}

// boot starts a new process from what the journal holds.
func (s *scout) boot(n *world, from int32, by step) {
	kept := *n
	kept.at, kept.durable = from, none
	after := n.left
	after.crashes--
	for _, e := range s.steps(from, booting, n) {
		s.apply(&kept, &e, after, by)
	}
}
