//go:build canary

package store_test

import (
	"os"
	"os/exec"
	"testing"

	"shelly/fsm"
)

// Tests that run in a process of their own learn from SHELLY_CANARY which known bug to have.
func init() { fsm.SetCanary(os.Getenv("SHELLY_CANARY")) }

// SIM-12, JRN-4, JRN-13: with one sync left out, a crash loses what was acknowledged, and both the
// conformance suite on a crashable file system and the crash at each operation find that. With none
// left out, both pass.
func TestCanariesAreFoundByTheStore(t *testing.T) {
	suites := []string{"^TestJRN16ConformsWhenACrashLosesTheTail$", "^TestJRN12ACrashAtAnyOperationLosesNothingAcknowledged$"}
	for _, c := range append(fsm.Canaries("store"), "") {
		for _, suite := range suites {
			run := exec.Command(os.Args[0], "-test.run", suite, "-rapid.nofailfile", "-rapid.shrinktime=0s") // nobody reads how it fails
			run.Env = append(os.Environ(), "SHELLY_CANARY="+c)
			out, err := run.CombinedOutput()
			switch {
			case c == "" && err != nil:
				t.Errorf("%s without a known bug: %v\n%s", suite, err, out)
			case c != "" && err == nil:
				t.Errorf("%s does not find %s", suite, c)
			case c != "":
				t.Logf("%s: found by %s", c, suite[1:len(suite)-1])
			}
		}
	}
}
