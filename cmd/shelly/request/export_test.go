package request

import (
	"strings"
	"testing"

	"shelly/fsm/engine"
	"shelly/sim/history"
	"shelly/sim/history/export"
)

// The work after a reply is durable later than the reply, which may have been printed already.
func TestCLI16AnAnsweredRequestIsNotSaidToBeUnfinished(t *testing.T) {
	for want, r := range map[string]*export.Record{
		"is not finished":  {},
		"it has the reply": {History: history.History{Request: engine.Request{Done: true}}},
		"":                 {History: history.History{Request: engine.Request{Done: true}, Ended: true}},
	} {
		if got := lacking(r); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
