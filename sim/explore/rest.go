package explore

import (
	"slices"

	"shelly/fsm/check"
	"shelly/fsm/machine"
)

// liveness checks that rest is reachable from every state by answers alone
// (INV-12, SIM-9), cycles included. An answer spends nothing of what may still happen: a
// state that needs a time-out, a crash or a signal to go on is stuck. Nearly all states are
// settled by one answer from each; the others are tried until no more are settled.
func (x *explorer) liveness() {
	reaches := make([]bool, x.states.len())
	for i := range reaches {
		reaches[i] = x.positions.list[x.states.at(int32(i)).at].resting
	}
	for x.follow(reaches) || x.try(reaches) {
	}
	if i := slices.Index(reaches, false); i >= 0 {
		unrest := check.Violation{Invariant: "INV-12", Text: "rest cannot be reached from here by answers alone"}
		x.out.Found = x.counterexample(unrest, x.way(int32(i)))
		x.out.Found.Stuck = true
	}
}

// follow marks states from which the last of their answers leads to one that reaches rest, and
// reports whether there was any. Such a state was reached before or after, so it goes
// through all in both directions.
func (x *explorer) follow(reaches []bool) (found bool) {
	mark := func(i int) {
		if reaches[i] {
			return
		}
		if on := x.states.at(int32(i)).on; on != none && reaches[on] {
			reaches[i], found = true, true
		}
	}
	for i := len(reaches) - 1; i >= 0; i-- {
		mark(i)
	}
	for i := range reaches {
		mark(i)
	}
	return found
}

// try marks states from which any answer leads to one that reaches rest, and reports whether
// there was any.
func (x *explorer) try(reaches []bool) (found bool) {
	for i := len(reaches) - 1; i >= 0; i-- {
		if !reaches[i] && x.leadsOn(x.states.at(int32(i)), reaches) {
			reaches[i], found = true, true
		}
	}
	return found
}

// leadsOn reports whether an answer leads from a state to one that reaches rest.
func (x *explorer) leadsOn(n *record, reaches []bool) bool {
	p := x.positions.list[n.at]
	for _, g := range [...]group{answering, late} {
		if g == late && (p.given.kind == "" || p.stopped) {
			continue
		}
		for _, e := range x.steps(n.at, g, n.left.number()) {
			next := e.after(&n.world)
			next.seen, _, _ = x.seen.add(n.seen, e.shows, false)
			k := x.hashed(&next)
			if to, _, _ := x.find(&k); reaches[to] {
				return true
			}
		}
	}
	return false
}

// restStatesMax bounds the walk from one state to rest; a machine whose every answer
// lowers a measure is at rest long before.
const restStatesMax = 100_000

// Rests reports whether answers alone lead from the machine's state to rest (SIM-9):
// any that the abstract world gives, without a time-out, a crash or a signal.
func Rests(m *machine.Machine) bool {
	return newExplorer(Bounds{StatesMax: restStatesMax}).rests(m)
}

// rests walks from the machine's state until it finds rest. The invariants are not its
// concern.
func (x *explorer) rests(m *machine.Machine) bool {
	at := x.put(watched{m.Clone(), check.MonitorFrom(m)})
	x.enter(world{at: at, durable: none})
	x.walk(func() bool { return x.out.Resting > 0 || x.states.len() >= x.bounds.StatesMax })
	return x.out.Resting > 0
}
