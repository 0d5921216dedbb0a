package daemon

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestCLI211TheStatusSaysWhatACompressionIs(t *testing.T) {
	s := &state.Snapshot{Lifecycle: state.Serving, Handles: []state.Handle{{
		Accepted: state.Accepted{ID: 4, Kind: fsm.KindMemory, Session: "s", Input: "...", Compacts: true}, Standing: state.Standing{State: state.Queued},
	}}}
	if one := queued(&s.Handles[0], ""); one.Text != "compress the conversation" {
		t.Errorf("a compression waits as %q", one.Text)
	}
}
