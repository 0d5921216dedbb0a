package compile_test

import (
	"reflect"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
	"shelly/sim/script"
)

// SCN-24: every way to write a fault, and what it is to the simulator.
func TestSCN24FaultsAsTheyAreWritten(t *testing.T) {
	for _, test := range []struct {
		yaml string
		want sim.Fault
	}{
		{"brain: {fails: busy}", sim.Fault{Kind: "brain", Nth: 1, Line: script.Line{Fails: fsm.BrainBusy}}},
		{"brain: [{fails: {code: error, message: m}, nth: 3}]", sim.Fault{Kind: "brain", Nth: 3, Line: script.Line{Fails: fsm.BrainError, Reason: "m"}}},
		{"brain: {hangs: true, of: summary, session: s}", sim.Fault{Kind: "brain", Nth: 1, Purpose: "summary", Session: "s", Line: script.Line{Hangs: true}}},
		{"brain: {takes: 2s, p: 0.5}", sim.Fault{Kind: "brain", Chance: 500, Slow: true, Line: script.Line{Takes: 2000}}},
		{"tool: {name: exec, started_then_lost: true, p: .015}", sim.Fault{Kind: "tool", Chance: 15, Tool: "exec", Act: sim.Act{Lost: true}}},
		{"tool: {fails: x, p: 1.0, optional: true}", sim.Fault{Kind: "tool", Chance: 1000, Optional: true, Act: sim.Act{Failed: true, Returns: "x"}}},
		{"tool: {fails: {code: x, retryable: true}, p: 0}", sim.Fault{Kind: "tool", Act: sim.Act{Failed: true, Returns: "x", Nothing: true}}},
		{"recall: {fails: x}", sim.Fault{Kind: "recall", Nth: 1, Service: sim.Service{Fails: "x"}}},
		{"embedding: {hangs: true}", sim.Fault{Kind: "embedding", Nth: 1, Service: sim.Service{Hangs: true}}},
		{"store: {takes: 1s}", sim.Fault{Kind: "store", Nth: 1, Slow: true, Service: sim.Service{Takes: 1000}}},
		{"skills: {fails: x, takes: 1s}", sim.Fault{Kind: "skills", Nth: 1, Service: sim.Service{Fails: "x", Takes: 1000}}},
		{"sessions: {only: save, fails: x}", sim.Fault{Kind: "sessions", Nth: 1, Only: "save", Service: sim.Service{Fails: "x"}}},
	} {
		p := planFrom(t, "tools: {exec: []}\nfaults: {"+test.yaml+"}\n")
		if len(p.Faults) != 1 || !reflect.DeepEqual(p.Faults[0], test.want) {
			t.Errorf("%s is\n%+v, want\n%+v", test.yaml, p.Faults, test.want)
		}
	}
}

// SCN-24: faults by chance have a seed, if none is given the first.
func TestSCN24FaultsByChanceHaveASeed(t *testing.T) {
	for yaml, want := range map[string]uint64{
		"": 0, "seed: 7\n": 7, "seed: 18446744073709551615\n": 1<<64 - 1,
		"faults: {store: {fails: x}}\n": 0, "faults: {store: {fails: x, p: 0.1}}\n": 1, "seed: 3\nfaults: {store: {fails: x, p: 0.1}}\n": 3,
	} {
		if got := planFrom(t, yaml).Seed; got != want {
			t.Errorf("%q has seed %d, want %d", yaml, got, want)
		}
	}
}

func TestSCN24FaultsThatDoNotLoad(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"faults: {brain: {nth: 2}}", "12:10: faults.brain: nothing goes wrong; give one of fails, hangs, cut, garbage and takes"},
		{"faults: {brain: [{nth: 2}]}", "12:18: faults.brain[0]: nothing goes wrong"},
		{"faults: {brain: {fails: bussy}}", "12:18: faults.brain.fails: unknown class bussy; did you mean busy?"},
		{"faults: {brain: {fails: {code: bussy}}}", "faults.brain.fails.code: unknown class bussy"},
		{"faults: {brain: {fails: busy, hangs: true}}", "fails and hangs exclude each other"},
		{"faults: {brain: {hangs: true, of: answers}}", "faults.brain.of: unknown word answers; did you mean answer?"},
		{"faults: {tool: {hangs: true, name: exce}}", "faults.tool.name: unknown tool exce; did you mean exec?"},
		{"faults: {tool: {hangs: true, nth: 1, p: 0.5}}", "nth and p exclude each other"},
		{"faults: {tool: {hangs: true, p: 1.5}}", "the probability 1.5 is more than 1"},
		{"faults: {tool: {hangs: true, p: 0.1234}}", "has more than three decimals"},
		{"faults: {tool: {hangs: true, p: 15%}}", `wants a probability from 0 to 1 such as 0.15, not the text "15%"`},
		{"faults: {tool: {hangs: true, p: -0.5}}", "wants a probability"},
		{"faults: {sessions: {fails: x, only: loads}}", "unknown word loads; did you mean load?"},
		{"faults: {storage: {fails: x}}", "unknown key storage; did you mean store?"},
		{"seed: 0", "seed: wants a whole number from 1"},
		{"seed: 1.5", "seed: wants a whole number from 1"},
		{"seed: \"7\"", "seed: wants a whole number from 1"},
	} {
		_, err := scenario.Parse("f.scenario.yaml", []byte(casetest.Valid+test.yaml+"\n"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n  is %v\n  want %q", test.yaml, err, test.want)
		}
	}
}
