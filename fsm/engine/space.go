package engine

import (
	"errors"

	"shelly/fsm"
	"shelly/fsm/state"
)

// room returns an ErrNoSpace if inputs must wait for space, or nil (JRN-14). The reserve is
// for an orderly end: a signal passes, and so does everything once the machine is ending. A
// boot never does (JRN-22). A journal that cannot tell how much is free fails when it is
// written to.
func (e *Engine) room(inputs []fsm.Input) error {
	if e.booted && (e.ending() || signals(inputs)) {
		return nil
	}
	if err := e.journal.Space(); errors.Is(err, ErrNoSpace) {
		return err
	}
	return nil
}

// ending reports whether the machine is on its way to its end.
func (e *Engine) ending() bool {
	life := e.machine.View().Lifecycle
	return life == state.Draining || life == state.Farewell
}

// signals reports whether all inputs are signals.
func signals(inputs []fsm.Input) bool {
	for _, in := range inputs {
		if _, ok := in.Fact.(fsm.Signalled); !ok {
			return false
		}
	}
	return true
}
