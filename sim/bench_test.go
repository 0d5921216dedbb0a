package sim

import (
	"strconv"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/runtime/garbage"
	"shelly/sim/script"
)

// threeTools is some requests, one after another, each of which calls a tool three times.
func threeTools(requests int) Plan {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	var lines []script.Line
	for range 3 {
		lines = append(lines, script.Line{Calls: []fsm.ToolCall{{Name: "list_dir", Args: `{"path":"."}`}}, Takes: 10})
	}
	p := Plan{
		Config:  config,
		Scripts: []script.Script{{Purpose: fsm.PurposeAnswer}},
		Stubs:   []Stub{{Decl: fsm.ToolDecl{Name: "list_dir", Effects: fsm.EffectsNone}, Acts: []Act{{Returns: "a\nb\n", Takes: 1, Times: 3 * requests}}}},
	}
	for i := range requests {
		p.Scripts[0].Lines = append(append(p.Scripts[0].Lines, lines...), script.Line{Text: "two files", Takes: 10})
		p.Timeline = append(p.Timeline, Moment{
			At: fsm.Millis(1000 * i), Request: &fsm.Requested{Request: fsm.RequestKey{ID: strconv.Itoa(i)}, Text: "what is here?"},
		})
	}
	return p
}

// BenchmarkTurn is a turn of three tool calls in the simulator: five model calls, an
// embedding and a memory entry, with every invariant checked after each step. Its yardstick
// is the machine alone, told the same inputs.
func BenchmarkTurn(b *testing.B) {
	const turns = 50
	p := threeTools(turns)
	r, err := Run(p, Options{})
	if err != nil || len(r.Replies()) != turns || len(r.Violations) > 0 {
		b.Fatal(err, len(r.Replies()), r.Violations)
	}
	garbage.Pace() // as in the program
	var bare, whole time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := Run(p, Options{}); err != nil {
			b.Fatal(err)
		}
		whole += time.Since(start)
		start = time.Now()
		m := machine.New()
		for i := range r.Steps {
			m.Step(r.Steps[i].Input)
		}
		bare += time.Since(start)
	}
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N*turns), "ns/turn")
	b.ReportMetric(float64(whole)/float64(bare), "of-the-machine")
}
