package queue

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Without bursts nothing is kept of the session that the model was asked for last, also after a
// configuration that had them.
func TestWithoutBurstsNoSessionIsRemembered(t *testing.T) {
	s := state.Snapshot{LastSession: "a", Burst: 2}
	s.Config.Limits.SessionBurst = 3
	if AskedFor(&s, "b"); s.LastSession != "b" {
		t.Errorf("with bursts: %q", s.LastSession)
	}
	s.Config.Limits.SessionBurst = 1
	if AskedFor(&s, "c"); s.LastSession != "" || s.Burst != 0 {
		t.Errorf("without: %q and %d", s.LastSession, s.Burst)
	}
}

// A burst grows with each start ahead of another session's turn, and is over with a start in turn;
// what takes no turn leaves it as it is (HND-50).
func TestHND50WhatCountsForABurst(t *testing.T) {
	kinds := []state.Handle{{Accepted: state.Accepted{Kind: fsm.KindUser, Session: "a"}}, {Accepted: state.Accepted{Kind: fsm.KindUser, Session: "b"}},
		{Accepted: state.Accepted{Kind: fsm.KindSubagent, Session: "c"}}, {Accepted: state.Accepted{Kind: fsm.KindMemory, Session: "a"}}}
	for _, tt := range []struct {
		name           string
		burst          int
		i, first, want int
	}{
		{"ahead of another's turn", 3, 1, 0, 3},
		{"in turn", 3, 0, 0, 0},
		{"a subagent", 3, 2, 2, 2},
		{"a memory handle", 3, 3, 3, 2},
		{"without bursts", 1, 0, 0, 2},
	} {
		s := state.Snapshot{Handles: kinds, LastSession: "b", Burst: 2}
		s.Config.Limits.SessionBurst = tt.burst
		if CountBurst(&s, tt.i, tt.first); s.Burst != tt.want {
			t.Errorf("%s: %d in a row, want %d", tt.name, s.Burst, tt.want)
		}
	}
}
