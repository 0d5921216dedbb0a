package state_test

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// HND-37: who waits for a person, or is postponed, has no place, but keeps its session.
func TestHND37WhoKeepsASessionIsAheadOnlyThere(t *testing.T) {
	handle := func(kind fsm.Kind, session string, s fsm.State) state.Handle {
		return state.Handle{Accepted: state.Accepted{Kind: kind, Session: session}, Standing: state.Standing{State: s}}
	}
	handles := []state.Handle{
		handle(fsm.KindUser, "a", state.Approving),
		handle(fsm.KindEvent, "event:disk", state.Postponed),
		handle(fsm.KindUser, "b", state.Execution),
		handle(fsm.KindSubagent, "subagent:h9", state.Execution),
		handle(fsm.KindUser, "a", state.Queued),
		handle(fsm.KindUser, "c", state.Queued),
		handle(fsm.KindMemory, "a", state.Queued),
		handle(fsm.KindEvent, "event:disk", state.Queued),
		handle(fsm.KindUser, "a", state.Queued),
		handle(fsm.KindUser, "d", state.Held),
		handle(fsm.KindUser, "e", state.Parked),
		handle(fsm.KindUser, "b", state.Queued),
		{Accepted: state.Accepted{Kind: fsm.KindInit, Session: "init", Beside: true}, Standing: state.Standing{State: state.Postponed}},
	}
	for edition, want := range map[int][]int{ // order-free; -1: it does not count
		fsm.FifteenthEdition:  {0, 0, 0, -1, 2, 1, -1, 3, 4, 2, -1, 2, 3},
		fsm.FourteenthEdition: {0, -1, 1, -1, 2, 3, -1, 4, 5, 6, -1, 7, -1},
	} {
		var line state.Line
		var got []int
		for i := range handles {
			ahead, counts := line.Join(&fsm.Config{Edition: edition}, &handles[i])
			if !counts {
				ahead = -1
			}
			got = append(got, ahead)
		}
		if !slices.Equal(got, want) {
			t.Errorf("edition %d: %v are ahead, want %v", edition+1, got, want)
		}
	}
}
