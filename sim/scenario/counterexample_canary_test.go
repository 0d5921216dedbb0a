//go:build canary

package scenario

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/sim"
	"shelly/sim/explore"
)

// What the explorer finds fails for the same reason as the scenario that it is written
// as, and holds once the bug is mended (SIM-14).
func TestCanariesAreFoundAgainByTheirCounterexamples(t *testing.T) {
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("machine") {
		t.Run(canary, func(t *testing.T) {
			fsm.SetCanary(canary)
			world, found := exploreForAny(t)
			text := written(t, &Found{Counterexample: found, World: world, Command: "shelly explore --world " + world})
			f, err := Parse("counterexample.scenario.yaml", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if o := f.Run(sim.Options{}); !failsBy(&o, found.Violation) {
				t.Errorf("does not fail by %s: %v %v\n%s", found.Violation, o.Err, o.Failures, text)
			}
			fsm.SetCanary("")
			if o := f.Run(sim.Options{}); !o.OK() {
				t.Errorf("fails without the bug: %v %v\n%s", o.Err, o.Failures, text)
			}
		})
	}
}

// exploreForAny walks the worlds until one of them does not hold.
func exploreForAny(t *testing.T) (world string, found *explore.Counterexample) {
	for _, bound := range canaryStates() {
		for _, b := range explore.Worlds() {
			b.StatesMax = bound
			if x := explore.Run(b); x.Found != nil {
				return b.Name, x.Found
			}
		}
	}
	t.Fatal("the explorer finds nothing")
	return "", nil
}

func failsBy(o *Outcome, v check.Violation) bool {
	for _, f := range o.Failures {
		if f.Path == "invariants" && strings.HasPrefix(f.Text, v.Invariant+": ") {
			return true
		}
	}
	return false
}
