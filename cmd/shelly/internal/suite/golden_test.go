package suite

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario"
)

// SCN-36: the result of a case that ends after the run, as can happen after an interrupt, is not
// written, because it would not be reported.
func TestSCN36NothingIsWrittenAfterTheRun(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.scenario.yaml")
	text := "scenario: 1\nname: a\nbrain: [{says: Hello.}]\ntimeline: [{user: Hi}]\nexpect: {golden: [replies]}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := scenario.LoadOne(host{}, path)
	if err != nil {
		t.Fatal(err)
	}
	pending := filepath.Join(folder, "a.golden.yaml.pending")
	for _, over := range []bool{true, false} {
		var g goldens
		if over {
			if err := g.report(io.Discard, io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		out := f.Run(sim.Options{})
		g.settle(f, &out)
		if _, err := os.Stat(pending); (err != nil) != over {
			t.Errorf("over %v: %v", over, err)
		}
	}
}
