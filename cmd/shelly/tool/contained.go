package tool

import (
	"cmp"

	"shelly/fsm/engine"
)

// contained says what held a call: the way of the sandbox, or nothing where no process was
// started (TOL-43).
func contained(a engine.Audit) string { return cmp.Or(a.Contained, "-") }
