package replay

import (
	"errors"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/requestreport"
	"shelly/sim/history/redact"
	"shelly/sim/history/regression"
)

// CLI-164: what two models decided is shown with its secrets replaced, or not at all.
func TestCLI164TheReportOfAModelHasNoSecret(t *testing.T) {
	by := func() *redact.Redactor { return redact.New(redact.Secret{Kind: "a key", Text: "hunter2-hunter2"}) }
	r := &regression.Report{Cases: []regression.Case{{Runs: []regression.Run{{}}}}}
	r.Cases[0].Session = "of hunter2-hunter2"
	if html, err := rendered(r, by()); err != nil || strings.Contains(string(html), "hunter2") || !strings.Contains(string(html), "session of ") {
		t.Errorf("%v; the secret is there: %t", err, strings.Contains(string(html), "hunter2"))
	}
	r.Model.Name = "hunter2-hunter2"
	if html, err := rendered(r, by()); !errors.Is(err, requestreport.ErrSecret) || len(html) > 0 {
		t.Errorf("a secret that is left: %v, %d bytes", err, len(html))
	}
}
