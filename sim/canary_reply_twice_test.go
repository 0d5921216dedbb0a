//go:build canary_reply_twice

package sim

import "testing"

// The explorer finds the second reply of a handle that was given up while its
// tool ran (SIM-12).
func TestCanaryReplyTwiceIsFound(t *testing.T) {
	x := Explore(SmallWorld())
	if x.Found == nil || x.Found.Invariant != "INV-1" {
		t.Fatalf("the canary survives: found %v", x.Found)
	}
	t.Logf("found after %d states, %d steps from the start: %s\n%v", x.Unique, len(x.Found.Path), x.Found.Text, x.Found.Path)
}
