//go:build canary

package property

import (
	"fmt"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario"
)

// The project's properties find each canary within their own numbers of cases (SIM-12).
func TestCanariesAreFound(t *testing.T) {
	files := projectProperties(t)
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("machine") {
		t.Run(canary, func(t *testing.T) {
			fsm.SetCanary(canary)
			if found := lookByMaking(files); found == "" {
				t.Errorf("the canary %s survives the properties", canary)
			} else {
				t.Logf("properties  %s", found)
			}
		})
	}
}

// lookByMaking makes cases of each property until one fails, and says after how many. It
// goes round the properties with more and more cases of each: a canary is mostly found
// within the first of the property that it breaks.
func lookByMaking(files []*scenario.File) string {
	runs := 0
	for first, seeds, left := 1, 2, true; left; first, seeds = first+seeds, 4*seeds {
		left = false
		for _, f := range files {
			most := int(f.Property().Runs.Seeds)
			if first > most {
				continue
			}
			left = true
			r := Check(f, Options{First: uint64(first), Seeds: min(seeds, most-first+1), Shrink: func() func() bool { return func() bool { return true } }})
			if runs += r.Runs; r.Failed != nil {
				return fmt.Sprintf("%s in %s, after %d cases", r.Failed.Invariant, f.Path(), runs)
			}
		}
	}
	return ""
}
