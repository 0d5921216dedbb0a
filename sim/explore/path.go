package explore

import (
	"slices"

	"shelly/fsm/check"
)

// Counterexample is a shortest path to a state in which something does not hold.
type Counterexample struct {
	check.Violation
	Path  []string // the actions, in words
	Told  []Told   // what the machine was told on it
	Stuck bool     // no step is wrong: rest cannot be reached after the last (SIM-9)
}

// step is how a state was first reached from the one before it: the group and the number of
// an action, and the crashes that came before its effects and before those of the boots that
// followed, one after another, each with two bits of its own.
type step uint64

const (
	groupBits, actionBits, crashBits = 4, 20, 2 // a case may have many thousand answers (SCN-19)

	keeping, losing = 1, 2 // a crash in which all that was appended stays, and one that loses the unsynced tail
)

// CrashesMax is how many crashes there may be in a world: a step can hold as many.
const CrashesMax = (64 - groupBits - actionBits) / crashBits

func to(g group, action int) step { return step(g) | step(action)<<groupBits }

func (s step) group() group { return group(s & (1<<groupBits - 1)) }

func (s step) action() int { return int(s >> groupBits & (1<<actionBits - 1)) }

// answers reports whether the step is an answer alone.
func (s step) answers() bool {
	return s>>(groupBits+actionBits) == 0 && (s.group() == answering || s.group() == late)
}

// dies is the step with a crash more, before the effects of the last.
func (s step) dies(lost bool) step {
	at, how := groupBits+actionBits, step(keeping)
	for s>>at != 0 {
		at += crashBits
	}
	if lost {
		how = losing
	}
	return s | how<<at
}

// crashes lists whether each crash of the step loses the unsynced tail.
func (s step) crashes() (lose []bool) {
	for c := s >> (groupBits + actionBits); c != 0; c >>= crashBits {
		lose = append(lose, c&(1<<crashBits-1) == losing)
	}
	return lose
}

// found keeps the first, and so a shortest, counterexample.
func (x *explorer) found(from int32, by step, v check.Violation) {
	if x.out.Found == nil {
		x.out.Found = x.counterexample(v, append(x.way(from), by))
	}
}

// way is how a state was first reached.
func (x *explorer) way(index int32) []step {
	var way []step
	for index != none {
		r := x.states.at(index)
		way = append(way, r.by)
		index = r.from
	}
	slices.Reverse(way)
	return way
}

// counterexample takes a way again, from the start and with one machine, and notes its
// inputs. Steps were taken from whichever machine came first to a position; where the one on
// this way has other names for its calls and timers, its inputs use those.
func (x *explorer) counterexample(v check.Violation, way []step) *Counterexample {
	g := newGuide(x.workers[0].alphabet)
	for _, by := range way {
		g.take(by)
	}
	return &Counterexample{Violation: v, Path: g.path, Told: g.told}
}
