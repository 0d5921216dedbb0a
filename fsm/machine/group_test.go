package machine_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// The fields of a handle and of an inference are grouped by the phases that own them, each
// field in one group.
func TestEachFieldStandsInOneGroup(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[state.Handle](), reflect.TypeFor[state.Inference]()} {
		groups := map[string]string{}
		for group := range of.Fields() {
			if !group.Anonymous || group.Type.Kind() != reflect.Struct {
				t.Errorf("%s.%s is in no group", of.Name(), group.Name)
				continue
			}
			for field := range group.Type.Fields() {
				if other := groups[field.Name]; other != "" {
					t.Errorf("%s.%s is in %s and in %s", of.Name(), field.Name, other, group.Name)
				}
				groups[field.Name] = group.Name
			}
		}
	}
}

// misplaced returns the data in handles that belongs to phases that they have not reached,
// or have left.
func misplaced(s *state.Snapshot) (found []string) {
	for i := range s.Handles {
		h := &s.Handles[i]
		r := h.Remembering
		r.Turns = 0 // a memory handle begins with them
		if at := phaseOf(h); !slices.Contains([]fsm.State{state.Summarizing, state.Embedding, state.Storing, state.Done}, at) && !reflect.ValueOf(r).IsZero() {
			found = append(found, fmt.Sprintf("handle %d in %s remembers: %+v", h.ID, at, r))
		}
		round := h.Inf.Round
		round.Effects, round.Began, round.Capped, round.Seen = "", 0, false, nil // these stay
		if slices.Contains([]fsm.State{state.Thinking, state.BackingOff, state.Condensing}, h.Inf.State) && !reflect.ValueOf(round).IsZero() {
			found = append(found, fmt.Sprintf("handle %d is %s in a round: %+v", h.ID, h.Inf.State, round))
		}
		if h.Inf.Appended && !slices.Contains([]fsm.State{state.Condensing, state.Aborted}, h.Inf.State) {
			found = append(found, fmt.Sprintf("handle %d is %s and cuts", h.ID, h.Inf.State))
		}
	}
	return found
}

// phaseOf returns the phase that a handle is in or, while it waits, the one in which it will
// continue.
func phaseOf(h *state.Handle) fsm.State {
	if h.Waiting() && h.Resume != "" {
		return h.Resume
	}
	return h.State
}
