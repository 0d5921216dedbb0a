package compile_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
)

// SCN-25: a jump goes forward or back, by whole milliseconds.
func TestSCN25JumpsAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]fsm.Millis{"1h": 3600_000, "-30m": -1800_000, "-1ms": -1} {
		if got := planFrom(t, "timeline: [{at: 5s, clock_jump: "+text+"}]\n").Timeline[0]; got.Jump != want || got.At != 5000 {
			t.Errorf("%s is %+v, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"1": "wants a duration forward such as 1h or back such as -30m, not the number 1", "0s": "other than 0", "1us": "whole milliseconds",
		"90000h": "more than 10 years", "{by: 1h}": "not a map", "1h, user: hi": "user and clock_jump exclude each other",
	} {
		_, err := scenario.Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Valid, `{user: "hi"}`, "{clock_jump: "+text+"}", 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
