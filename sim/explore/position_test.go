package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// walked is a world that was walked.
func walked(b Bounds, change ...func(*explorer)) *explorer {
	x := newExplorer(b)
	for _, c := range change {
		c(x)
	}
	x.begin(watched{machine.New(), check.NewMonitor()})
	x.walk(x.gaveUp)
	x.finish()
	return x
}

// SIM-36: where each state is stepped from by itself, the same is found.
func TestSIM36SharedStepsFindTheSame(t *testing.T) {
	for _, world := range []Bounds{spawnWorld(), probeWorld(), readsWorld(), compressWorld(), roundsWorld(), crashWorld(), grantWorld()} {
		t.Run(world.Name, func(t *testing.T) {
			shared := walked(world)
			whole := walked(world, func(x *explorer) { x.positions.apart = true })
			if diff := cmp.Diff(whole.out, shared.out, cmpopts.IgnoreFields(Result{}, "Positions", "Steps", "Coverage")); diff != "" {
				t.Errorf("-whole +shared:\n%s", diff)
			}
			if diff := cmp.Diff(whole.out.Coverage.Missing(), shared.out.Coverage.Missing()); diff != "" {
				t.Errorf("-whole +shared:\n%s", diff)
			}
			if shared.out.Steps*4 > whole.out.Steps*3 || !whole.out.Complete {
				t.Errorf("%d steps instead of %d, complete: %t", shared.out.Steps, whole.out.Steps, whole.out.Complete)
			}
		})
	}
}

// SIM-36: any number of workers finds the same, and so do machines that were not kept.
func TestSIM36AnyNumberOfWorkersFindsTheSame(t *testing.T) {
	p := casePlan(nil)
	found := CaseWorld("x", &p)
	found.Timeouts, found.Crashes, found.Cancels = 1, 1, 1
	found.Case.Check = func() Check {
		return func(_ fsm.Input, _ []state.Move, _ []fsm.Effect, s *state.Snapshot) *check.Violation {
			if len(s.Handles) > 0 && s.Handles[0].State == state.Storing {
				return &check.Violation{Invariant: "never[0]"}
			}
			return nil
		}
	}
	cut := turnWorld()
	cut.StatesMax = 3000
	for _, world := range []Bounds{found, cut, probeWorld()} {
		t.Run(world.Name, func(t *testing.T) {
			one := Run(world)
			world.Workers, world.Together = 3, atOnce
			three := Run(world)
			if diff := cmp.Diff(one, three, cmpopts.IgnoreFields(Result{}, "Coverage")); diff != "" {
				t.Errorf("-one worker +three:\n%s", diff)
			}
			if diff := cmp.Diff(one.Coverage.Rows(), three.Coverage.Rows()); diff != "" {
				t.Errorf("-one worker +three:\n%s", diff)
			}
		})
	}
}

// SIM-14: what a way tells leads one machine to the state at its end, crashes, lost records
// and effects that nobody saw included.
func TestSIM14AWayLeadsToItsState(t *testing.T) {
	x := walked(probeWorld())
	shape := func(at int32) uint64 { return x.positions.shapes.list[x.positions.looks[at].shape] }
	unseen, lost := false, false
	for i := 0; i < x.states.len(); i += 7 {
		n, way := x.states.at(int32(i)), x.way(int32(i))
		ways := [][]step{way}
		ends := []int32{n.at}
		if n.durable != none && n.left.crashes > 0 {
			ways = append(ways, append(slices.Clip(way), to(booting, 1)))
			ends = append(ends, x.steps(n.durable, booting, 0)[0].to)
		}
		for k, way := range ways {
			c := x.counterexample(check.Violation{}, way)
			r := Replay(machine.New().Snapshot(), c.Told)
			if r.Final.Shape() != shape(ends[k]) || len(r.Violations) > 0 {
				t.Fatalf("state %d: another is reached, with %v, by %q", i, r.Violations, c.Path)
			}
			unseen = unseen || slices.ContainsFunc(c.Told, func(t Told) bool { return t.Unseen })
			lost = lost || slices.ContainsFunc(c.Told, func(t Told) bool { return t.Lost })
		}
	}
	if !unseen || !lost {
		t.Errorf("inputs whose effects nobody saw: %t, that were lost: %t", unseen, lost)
	}
}

// SIM-7: states are distinguished by all of their key, also where what is durable has the
// machine's own shape.
func TestSIM7StatesDifferByAllOfTheirKey(t *testing.T) {
	x := newExplorer(Bounds{})
	for _, m := range []*machine.Machine{stepped(), stepped(served())} {
		n := world{at: x.put(watched{m, check.MonitorFrom(m)}), left: left{crashes: 1}}
		n.durable = n.at
		x.enter(n)
	}
	if x.states.len() != 2 {
		t.Errorf("%d states, want 2", x.states.len())
	}
}
