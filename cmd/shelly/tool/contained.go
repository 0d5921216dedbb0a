package tool

import (
	"cmp"

	"shelly/fsm/engine"
)

// contained returns what contained a call: the method of the sandbox, or - if no process was
// started (TOL-43).
func contained(a engine.Audit) string { return cmp.Or(a.Contained, "-") }
