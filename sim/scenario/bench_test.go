package scenario

import (
	"os"
	"strconv"
	"testing"

	"shelly/runtime/garbage"
	"shelly/runtime/yardstick"
	"shelly/sim"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// BenchmarkLoadAndRun is a file loaded, played and judged. The yardstick of all here is the reading of
// its YAML.
func BenchmarkLoadAndRun(b *testing.B) {
	source, err := os.ReadFile("../../scenarios/shelly/tool-round-trip.scenario.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	garbage.Pace() // as in the program
	for b.Loop() {
		f, err := Parse("b.scenario.yaml", source)
		if err != nil {
			b.Fatal(err)
		}
		if o := f.Run(sim.Options{}); !o.OK() {
			b.Fatal(o.Failures)
		}
	}
	ofYAML(b, source)
}

func ofYAML(b *testing.B, source []byte) {
	yardstick.Of(b, "yaml", func() {
		if _, problem := strict.Parse(source, "a scenario", "b.scenario.yaml"); problem != nil {
			b.Fatal(problem)
		}
	})
}

// BenchmarkLoad is a file without include, vars and matrix, loaded.
func BenchmarkLoad(b *testing.B) {
	fsys := os.DirFS("../../scenarios/shelly")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(fsys, "tool-round-trip.scenario.yaml"); err != nil {
			b.Fatal(err)
		}
	}
	source, err := strict.ReadFile(fsys, "tool-round-trip.scenario.yaml", strict.FileBytesMax)
	if err != nil {
		b.Fatal(err)
	}
	ofYAML(b, source)
}

// BenchmarkLoadMatrix is a file of as many cases as one may have, loaded.
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
		if _, err := load(nil, "b.scenario.yaml", source, nil); err != nil {
			b.Fatal(err)
		}
	}
	ofYAML(b, source)
}
