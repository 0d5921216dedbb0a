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
