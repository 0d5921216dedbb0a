package scenario

import (
	"os"
	"strconv"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario/document"
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

// A file without include, vars and matrix is loaded.
func BenchmarkLoad(b *testing.B) {
	fsys := os.DirFS("../../scenarios/shelly")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(fsys, "tool-round-trip.scenario.yaml"); err != nil {
			b.Fatal(err)
		}
	}
}

// A file of as many cases as one may have is loaded.
func BenchmarkLoadMatrix(b *testing.B) {
	source, err := os.ReadFile("../../scenarios/shelly/tool-round-trip.scenario.yaml")
	if err != nil {
		b.Fatal(err)
	}
	source = append(source, "\nmatrix: {a: ["...)
	for i := range document.CasesPerFileMax {
		source = append(source, strconv.Itoa(i)+", "...)
	}
	source = append(source, "]}\nmemory_file: \"no ${a}\"\n"...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := load(nil, "b.scenario.yaml", source); err != nil {
			b.Fatal(err)
		}
	}
}
