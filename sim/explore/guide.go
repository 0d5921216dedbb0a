package explore

import (
	"shelly/fsm/machine"
)

// guide takes a way through the world, step by step, with a machine of its own.
type guide struct {
	*alphabet
	machine  *machine.Machine
	durable  *machine.Machine // as [world] has it; nil: all is durable
	unsynced int              // records since then
	given    given
	left     int // arrivals
	path     []string
	told     []Told
}

func newGuide(a *alphabet) *guide {
	return &guide{alphabet: a, machine: machine.New(), left: a.bounds.Requests}
}

// take takes a step of the way.
func (g *guide) take(by step) {
	switch {
	case len(g.path) == 0:
		g.tell(g.of(booting, nil, given{}, g.number(booting, g.left), nil)[0])
		g.path = append(g.path, "boot")
	case by.group() == booting && by.action() == 0:
		g.boot("crash", false)
	case by.group() == booting:
		g.boot("crash, unsynced tail lost", true)
	default:
		a := g.of(by.group(), g.machine.View(), g.given, g.number(by.group(), g.left), nil)[by.action()]
		g.tell(a)
		g.path = append(g.path, a.name)
		if by.group() == arriving {
			g.left--
		}
	}
	for _, lost := range by.crashes() {
		last := len(g.told) - 1
		g.told[last].Unseen, g.told[last].Words = true, "the process dies before its effects"
		name := g.path[len(g.path)-1] + ", crash before its effects"
		if lost {
			name += ", unsynced tail lost"
		}
		g.path = g.path[:len(g.path)-1]
		g.boot(name, lost)
	}
}

// boot starts a new process after a crash.
func (g *guide) boot(name string, lost bool) {
	if lost {
		for i := range g.unsynced {
			g.told[len(g.told)-1-i].Lost = true
		}
		g.machine = g.durable
	}
	g.durable, g.unsynced = nil, 0
	a := g.of(booting, nil, given{}, g.number(booting, g.left), nil)[0]
	g.tell(action{name, a.input})
	g.path = append(g.path, name)
}

// tell steps the machine.
func (g *guide) tell(a action) {
	before := g.machine.Clone()
	effects := g.machine.Step(a.input)
	g.told = append(g.told, Told{Input: a.input, Words: a.name})
	g.given = g.given.after(before.View(), g.machine.View(), a.input)
	g.unsynced++
	switch {
	case g.machine.Barrier(a.input, effects):
		g.durable, g.unsynced = nil, 0
	case g.durable == nil:
		g.durable, g.unsynced = before, 1
	}
}
