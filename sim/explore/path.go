package explore

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
)

// Counterexample is a shortest path to a state in which something does not hold.
type Counterexample struct {
	check.Violation
	Path  []string // the actions, in words
	Told  []Told   // what the machine was told on it
	Stuck bool     // no step is wrong: rest cannot be reached after the last (SIM-9)
}

// edge is an action that leads from one state to the next.
type edge struct {
	name   string
	input  fsm.Input
	unseen fsm.Input // (a boot after a crash) the last input of the process, none of whose effects it performed; or the zero value
	lost   int       // (a boot after a crash) how many records before it were not durable
}

// trail is how a state was first reached.
type trail struct {
	parent int32
	edge
	resting bool
}

// found keeps the first, and so a shortest, counterexample.
func (x *explorer) found(n *node, e edge, v check.Violation) {
	if x.out.Found == nil {
		x.out.Found = counterexample(v, append(x.path(n.index), e))
	}
}

func counterexample(v check.Violation, path []edge) *Counterexample {
	c := &Counterexample{Violation: v}
	for _, e := range path {
		c.Path = append(c.Path, e.name)
		if e.unseen.Fact != nil {
			c.Told = append(c.Told, Told{Input: e.unseen, Unseen: true, Words: "the process dies before its effects"})
		}
		for i := len(c.Told) - e.lost; i < len(c.Told); i++ {
			c.Told[i].Lost = true
		}
		c.Told = append(c.Told, Told{Input: e.input, Words: e.name})
	}
	return c
}

// path is the way to a state.
func (x *explorer) path(index int32) []edge {
	var path []edge
	for index >= 0 {
		path = append(path, x.trails[index].edge)
		index = x.trails[index].parent
	}
	slices.Reverse(path)
	return path
}
