//go:build canary

package main

import (
	"os"
	"testing"

	"shelly/fsm"
)

// The scripts of testdata/canary name a known bug in SHELLY_CANARY. The commands that
// they run are this test binary, which wakes it.
func init() { fsm.SetCanary(os.Getenv("SHELLY_CANARY")) }

// SIM-12, SCN-9, SCN-11: what only a known bug can provoke on the command line.
func TestCanariesAreFoundByTheCommand(t *testing.T) { runScripts(t, "testdata/canary") }
