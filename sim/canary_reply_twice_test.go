//go:build canary_reply_twice

package sim

import (
	"testing"

	"shelly/fsm"
)

// The explorer finds the second reply of a handle that was given up while its
// tool ran (SIM-12).
func TestCanaryReplyTwiceIsFound(t *testing.T) {
	x := Explore(SmallWorld())
	if x.Found == nil || x.Found.Invariant != "INV-1" {
		t.Fatalf("the canary survives: found %v", x.Found)
	}
	t.Logf("found after %d states, %d steps from the start: %s\n%v", x.Unique, len(x.Found.Path), x.Found.Text, x.Found.Path)
}

// So does the simulator, also where the process dies before anybody has seen the
// step: the journal has it (SCN-13).
func TestCanaryReplyTwiceIsFoundInAStepThatNobodySaw(t *testing.T) {
	p := roundTrip()
	p.Config.Limits.HandleTimeout = 5 * fsm.Second
	p.Stubs[0].Acts[0].Hangs = true
	const stop = 5 // behind the boot, the request, the call and the time-out
	p.Crashes = []Crash{{Point: AfterAppend, Nth: stop, After: fsm.Second}}
	r, err := Run(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) != 1 || r.Violations[0].Invariant != "INV-1" || r.Violations[0].Step != stop-1 {
		t.Fatalf("the canary survives: crashes %v, found %v", r.Crashes, r.Violations)
	}
}
