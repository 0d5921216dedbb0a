package tool

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// What contained a call comes with its answer: of one that a kill cut off nobody knows it, whatever its
// probe says.
func TestTOL43TheAuditDoesNotSayThatACallCutOffStartedNothing(t *testing.T) {
	for _, tt := range []struct {
		call fsm.Audit
		want string
	}{
		{fsm.Audit{Contained: "landlock", Attempts: 1}, "landlock"},
		{fsm.Audit{Attempts: 1}, "-"},
		{fsm.Audit{Unknown: true, Attempts: 1}, "?"},
		{fsm.Audit{Probe: fsm.ProbeDone, Attempts: 1}, "?"},
		{fsm.Audit{Probe: fsm.ProbeNever, Failed: true, Attempts: 1}, "?"},
	} {
		if got := contained(engine.Audit{Audit: tt.call}); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.call, got, tt.want)
		}
	}
}

// Of a result the beginning is shown; of a call that did not run, the whole reason.
func TestCLI101TheAuditSaysWhyACallDidNotRun(t *testing.T) {
	refused := "not run: ann@example.org refused it, and says: " + strings.Repeat("not on a Friday; ", 100)
	refused = strings.TrimSpace(refused)
	for _, tt := range []struct {
		name string
		call fsm.Audit
		want string
	}{
		{"refused", fsm.Audit{Result: refused, Failed: true}, refused},
		{"refused, on two lines", fsm.Audit{Result: "not run: no\nand no", Failed: true}, "not run: no and no"},
		{"failed", fsm.Audit{Result: refused, Failed: true, Attempts: 1}, refused[:failureShown-1] + "…"},
		{"done", fsm.Audit{Result: refused, Attempts: 1}, "not run: ann@example.org refused it, an…"},
	} {
		if got := result(engine.Audit{Audit: tt.call}); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
