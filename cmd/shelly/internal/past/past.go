// Package past hands the daemon's listener what happened to a request: runtime knows no
// package that looks back.
package past

import (
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// Of is what happened to a request as far as the journal goes.
func Of(j engine.Reader, key fsm.RequestKey) (comm.Past[history.Step], error) {
	h, err := history.Rest(j, key)
	return comm.Past[history.Step]{Request: h.Request, Handles: h.Handles, Ended: h.Ended, Lost: h.Lost, Steps: h.Steps}, err
}

// OfRun is Of for what is no request.
func OfRun(j engine.Reader, r history.Run) (comm.Past[history.Step], error) {
	h, err := history.OfRun(j, r)
	return comm.Past[history.Step]{Request: h.Request, Handles: h.Handles, Ended: h.Ended, Lost: h.Lost, Steps: h.Steps}, err
}

// Told is Of as the listener takes it.
func Told(j engine.Reader, key fsm.RequestKey) (comm.Past[comm.Step], error) {
	p, err := Of(j, key)
	told := comm.Past[comm.Step]{Request: p.Request, Handles: p.Handles, Ended: p.Ended, Lost: p.Lost}
	for _, s := range p.Steps {
		told.Steps = append(told.Steps, s)
	}
	return told, err
}
