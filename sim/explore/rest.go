package explore

import (
	"slices"

	"shelly/fsm/check"
	"shelly/fsm/machine"
)

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
		x.out.Found = counterexample(noRest(), x.path(int32(i)))
		x.out.Found.Stuck = true
	}
}

func noRest() check.Violation {
	return check.Violation{Invariant: "INV-12", Text: "rest cannot be reached from here by answers alone"}
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
	from := &node{index: -1, machine: m.Clone(), monitor: check.MonitorFrom(m)}
	x.visit(&node{index: -1}, edge{}, from)
	for len(x.queue) > 0 && x.out.Resting == 0 && len(x.trails) < x.bounds.StatesMax {
		n := x.queue[0]
		x.queue = x.queue[1:]
		x.expand(n)
	}
	return x.out.Resting > 0
}
