package comm_test

import (
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
)

func TestCOM29TheSecondsUntilTheNextTryCountDown(t *testing.T) {
	const text = "it said: trying again in vain; trying again in 36 s, or as soon as it answers"
	for _, tt := range []struct {
		text    string
		at, now fsm.Millis
		want    string
	}{
		{text, 50_000, 14_000, text},
		{text, 50_000, 14_001, text},
		{text, 50_000, 47_500, "it said: trying again in vain; trying again in 3 s, or as soon as it answers"},
		{text, 50_000, 50_000, "it said: trying again in vain; trying again now, or as soon as it answers"},
		{text, 0, 47_500, text},
		{"busy; trying again in 2 s", 2_000, 1_000, "busy; trying again in 1 s"},
		{"loading the model", 50_000, 0, "loading the model"},
	} {
		if got := comm.Waits(tt.text, tt.at, tt.now); got != tt.want {
			t.Errorf("%q at %d of %d: got %q, want %q", tt.text, tt.now, tt.at, got, tt.want)
		}
	}
}
