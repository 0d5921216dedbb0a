package scenariotest_test

import (
	"fmt"
	"os"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario/scenariotest"
)

// TestAgent is all that a project needs to have its scenarios among its tests.
func TestAgent(t *testing.T) {
	scenariotest.Load(os.DirFS("testdata"), "scenarios").Run(t)
}

// Outside of a test the cases can be played one by one.
func Example() {
	cases, err := scenariotest.Load(os.DirFS("testdata"), "scenarios").Tags("smoke").Cases()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range cases {
		outcome := c.Run(sim.Options{})
		fmt.Println(c.Name, len(outcome.Result.Steps) > 0, outcome.OK())
	}
	// Output: a question is answered true true
}
