package export

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// SCN-47: what is too large as a scenario is no smaller as a replay, and the error does not point there.
func TestSCN47AScenarioThatIsTooLargePointsToNothing(t *testing.T) {
	r := recorded(t, withSecret)
	r.From.Config.Prompts.Identity = strings.Repeat("x", strict.FileBytesMax)
	if _, err := r.Scenario(); err == nil || err.Error() != "the scenario is too large; the limit is 4096 KiB" {
		t.Errorf("got %.300v; want one that says that the scenario is too large", err)
	}
}

// SCN-46: what is too large as a replay may be small as a scenario, and the error says so where there can be one.
func TestSCN46AReplayThatIsTooLargePointsToTheScenario(t *testing.T) {
	const hint = "--as scenario exports it alone"
	for name, change := range map[string]struct { // order-free: each for itself
		of    func(*Record)
		wants bool
	}{
		"a request that has its reply": {func(*Record) {}, true},
		"one that has none":            {func(r *Record) { r.Ended, r.Request.Done = false, false }, false},
		"a fork":                       {func(r *Record) { r.forked = 2 }, false},
	} {
		for limit, fill := range map[string]func(*Record){ // order-free: each for itself
			"the limit is 4096 KiB": func(r *Record) { r.From.Config.Prompts.Identity = strings.Repeat("x", strict.FileBytesMax) },
			"the limit is 250000":   func(r *Record) { r.From.Config.Limits.Backoff = make([]fsm.Millis, document.ReplayNodesMax) },
		} {
			r := recorded(t, withSecret)
			change.of(r)
			fill(r)
			if _, err := r.Replay(); err == nil || !strings.Contains(err.Error(), limit) || strings.Contains(err.Error(), hint) != change.wants {
				t.Errorf("%s, %s: got %.300v; want the hint: %v", name, limit, err, change.wants)
			}
		}
	}
}
