package compile_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
)

// SCN-6: an event's kind may name its source, and a signal has short forms.
func TestSCN6EventsAndSignalsHaveShortForms(t *testing.T) {
	full := fsm.EventRaised{Source: "disk", Event: "full", Detail: "92%"}
	for yaml, want := range map[string]fsm.EventRaised{
		`{source: disk, kind: full, detail: "92%"}`: full,
		`{kind: disk.full, detail: "92%"}`:          full,
		`{kind: http.get.failed}`:                   {Source: "http", Event: "get.failed"},
		`{source: http, kind: get.failed}`:          {Source: "http", Event: "get.failed"},
	} {
		if got := planFrom(t, "timeline: [{event: "+yaml+"}]\n").Timeline[0].Event; *got != want {
			t.Errorf("%s is %+v", yaml, *got)
		}
	}
	for yaml, want := range map[string]string{"TERM": "TERM", "INT": "INT", "true": "TERM", "{signal: INT}": "INT"} {
		if got := planFrom(t, "timeline: [{shutdown: "+yaml+"}]\n").Timeline[0].Signal; got != want {
			t.Errorf("shutdown: %s is %s, want %s", yaml, got, want)
		}
	}
	for yaml, want := range map[string]string{
		"event: {kind: full}":            "timeline[0].event: the key source is missing; give it, or a kind such as disk.full",
		"event: {kind: .full}":           "the key source is missing",
		"event: {kind: disk.}":           "the key source is missing",
		"shutdown: TREM":                 "unknown word TREM; did you mean TERM?",
		"shutdown: false":                "wants TERM, INT or true",
		"shutdown: {signal: KILL}":       "timeline[0].shutdown.signal: unknown word KILL",
		"shutdown: {}":                   "is empty",
		"shutdown: [TERM]":               "wants text, not a list",
		"shutdown: {signal: TERM, x: 1}": "unknown key x",
	} {
		_, err := scenario.Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Valid, `user: "hi"`, yaml, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", yaml, err, want)
		}
	}
}
