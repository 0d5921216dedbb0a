//go:build canary

package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/explore"
)

// finder is a part of the proof: it looks for whatever is wrong and says what it
// found after how much work, or nothing.
type finder struct {
	name string
	look func(t *testing.T) string
}

// canaryStates bounds the walks of the worlds, each bound for all of them before the
// next. The shortest counterexamples are near the start, so that a walk cut short
// mostly finds what a whole one would.
func canaryStates() []int { return []int{1_000, 30_000} }

func finders(cases []*File) []finder {
	return []finder{
		{"explorer", lookByExploring},
		{"matrix", func(t *testing.T) string { return lookByCrashing(t, cases) }},
		{"scenarios", func(t *testing.T) string { return lookByPlaying(t, cases) }},
	}
}

func lookByExploring(*testing.T) string {
	states := 0
	for _, bound := range canaryStates() {
		for _, world := range explore.Worlds() {
			world.StatesMax = bound
			x := explore.Run(world)
			states += x.Unique
			if x.Found != nil {
				return fmt.Sprintf("%s in world %s, %d steps from the start, after %d states", x.Found.Invariant, world.Name, len(x.Found.Path), states)
			}
		}
	}
	return ""
}

// lookByCrashing crashes every case of the project that has no crash of its own, those
// first that ask for it.
func lookByCrashing(t *testing.T, cases []*File) string {
	points := 0
	asked := func(f *File) int {
		if f.EveryCrash() {
			return 0
		}
		return 1
	}
	for _, f := range slices.SortedStableFunc(slices.Values(cases), func(a, b *File) int { return asked(a) - asked(b) }) {
		plan := f.Plan()
		if len(plan.Crashes) > 0 || f.Replay != nil || f.Script.Live || f.Tools.Real {
			continue
		}
		m, err := crash.Matrix(plan, sim.Options{})
		if err != nil {
			return fmt.Sprintf("%s: %v", f.Path(), err)
		}
		points += m.Points
		if len(m.Failures) > 0 {
			return fmt.Sprintf("%s, %s, after %d points", m.Failures[0].Text, f.Path(), points)
		}
	}
	return ""
}

func lookByPlaying(t *testing.T, cases []*File) string {
	failed, first := 0, ""
	for _, f := range cases {
		if o := f.Run(sim.Options{}); !o.OK() && o.Skipped == "" {
			if failed++; first == "" {
				first = f.Path()
			}
		}
	}
	if failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d cases fail, first %s", failed, len(cases), first)
}

// Each canary is found by each part of the proof (SIM-12). One that only the
// scenarios found would be a bug that somebody had thought of.
func TestCanariesAreFound(t *testing.T) {
	cases := projectCases(t)
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("machine") {
		t.Run(canary, func(t *testing.T) {
			fsm.SetCanary(canary)
			for _, f := range finders(cases) {
				found := f.look(t)
				t.Logf("%-9s  %s", f.name, cmp.Or(found, "-"))
				if found == "" {
					t.Errorf("the canary %s survives the %s", canary, f.name)
				}
			}
		})
	}
}
