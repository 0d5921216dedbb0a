package export

import (
	"os"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
)

// TXT-9: an export has what its request has seen of a kept result, of this turn and of one
// before, and holds.
func TestTXT9AnExportHasWhatWasReadOn(t *testing.T) {
	cases, err := scenario.Load(os.DirFS("../../../scenarios"), "size/read-more.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(cases[0].Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := lived(t, result)
	for i, want := range []string{"February was cold. Day 1: the pump", "outside it was -2; all of it as expected. Day "} {
		shows := []string{"", "shows: {result: 2, from: 15000, to: "}[i] // of what the session has shown before
		r, err := Read(j, result.Requests[i].Key)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Redact(redact.New(), false); err != nil {
			t.Fatal(err)
		}
		text, err := r.Scenario()
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if file := string(text.Source); !strings.Contains(file, want) || !strings.Contains(file, shows) || !strings.Contains(file, strings.Repeat(string(unseen), 1000)) {
			t.Errorf("request %d: %.2000s", i, file)
		}
	}
}
