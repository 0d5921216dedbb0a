package scenario

import (
	"os"
	"testing"

	"shelly/sim"
)

// A file is loaded, played and judged.
func BenchmarkLoadAndRun(b *testing.B) {
	source, err := os.ReadFile("../../scenarios/shelly/tool-round-trip.scenario.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := Parse("b.scenario.yaml", source)
		if err != nil {
			b.Fatal(err)
		}
		if o := f.Run(sim.Options{}); !o.OK() {
			b.Fatal(o.Failures)
		}
	}
}
