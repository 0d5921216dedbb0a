package tool

import "shelly/fsm/engine"

// contained returns what contained a call: the method of the sandbox, - if no process was started
// (TOL-43), or ? if nobody knows: what contained a call comes with its answer, and a kill cut that
// off. A probe that was asked then says what the call has done, but not what contained it.
func contained(a engine.Audit) string {
	switch {
	case a.Contained != "":
		return a.Contained
	case a.Unknown || a.Probe != "":
		return "?"
	default:
		return "-"
	}
}
