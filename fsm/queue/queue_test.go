package queue_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/queue"
	"shelly/fsm/state"
)

// A subagent waits while max_subagents or more are running, as may happen after a reload.
func TestHND33NoMoreSubagentsThanMaxSubagents(t *testing.T) {
	for running, want := range map[int]int{0: 0, 1: 1, 2: -1, 3: -1} {
		s := state.Snapshot{Lifecycle: state.Serving, Config: profile.Default()}
		s.Config.Limits.MaxSubagents = 2
		for i := range running + 1 {
			h := state.Handle{}
			h.ID, h.Kind, h.Session, h.State = fsm.HandleID(i+1), fsm.KindSubagent, string(rune('a'+i)), state.Execution
			s.Handles = append(s.Handles, h)
		}
		s.Handles[running].State = state.Queued
		if next, _ := queue.Next(&s); next != want {
			t.Errorf("with %d at work %d starts, not %d", running, next, want)
		}
	}
}

// What takes no place among those that run starts although all these are taken.
func TestHND2FullPlacesHoldBackOnlyWhoNeedsOne(t *testing.T) {
	for _, tt := range []struct {
		kind      fsm.Kind
		lifecycle fsm.State
		want      int
	}{
		{fsm.KindUser, state.Serving, -1},
		{fsm.KindMemory, state.Serving, -1},
		{fsm.KindSubagent, state.Serving, 1},
		{fsm.KindInit, state.Initializing, 1},
	} {
		s := state.Snapshot{Lifecycle: tt.lifecycle, Config: profile.Default()}
		s.Config.Limits.MaxActive = 1
		for i, kind := range []fsm.Kind{fsm.KindUser, tt.kind} {
			h := state.Handle{}
			h.ID, h.Kind, h.Session, h.State = fsm.HandleID(i+1), kind, string(rune('a'+i)), state.Execution
			s.Handles = append(s.Handles, h)
		}
		s.Handles[1].State = state.Queued
		if next, _ := queue.Next(&s); next != tt.want {
			t.Errorf("%s: %d starts, not %d", tt.kind, next, tt.want)
		}
	}
}
