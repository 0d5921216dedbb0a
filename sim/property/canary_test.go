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

// lookByMaking makes cases of each property until one fails, and says after how many.
func lookByMaking(files []*scenario.File) string {
	runs := 0
	for _, f := range files {
		r := Check(f, Options{Shrink: func() func() bool { return func() bool { return true } }})
		if runs += r.Runs; r.Failed != nil {
			return fmt.Sprintf("%s in %s, after %d cases", r.Failed.Invariant, f.Path(), runs)
		}
	}
	return ""
}
