package explore

import (
	"shelly/fsm"
	"shelly/sim"
	"testing"
)

// SCN-45: nor does the world of a replay.
func TestAReplaySeesNothingTwice(t *testing.T) {
	r := replay{result: &sim.Result{}, entry: 3}
	for range 2 {
		r.perform([]fsm.Effect{fsm.Reply{Request: fsm.RequestKey{ID: "a"}}, fsm.RunTool{Key: "h1.3", Effects: fsm.EffectsNone}})
	}
	if got := r.result.Violations; len(got) != 1 || got[0].Invariant != "INV-1" || got[0].Told != 3 {
		t.Errorf("got %v; want 1 of them, [0].Invariant %q, [0].Told 3", got, "INV-1")
	}
}
