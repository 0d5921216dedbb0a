package history

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// HandleAt returns a handle as it stood behind the record at an index, or false where
// it had ended or not begun.
func HandleAt(j engine.Reader, index uint64, id fsm.HandleID) (fsm.Handle, bool, error) {
	state, err := engine.StateAt(j, index)
	if err != nil {
		return fsm.Handle{}, false, err
	}
	i := slices.IndexFunc(state.Handles, func(h fsm.Handle) bool { return h.ID == id })
	if i < 0 {
		return fsm.Handle{}, false, nil
	}
	return state.Handles[i], true, nil
}
