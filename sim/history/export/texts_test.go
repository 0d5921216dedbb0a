package export

import (
	"os"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
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

// What was not seen of results takes little of a file; and it is what it was where a $ comes before it.
func TestTXT9AnExportOfLongResultsIsShort(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
profile: default
vars: {line: "`+strings.Repeat("$", 1<<10)+`"}
tools: {look: [{returns: "`+strings.Repeat("${line}", 1<<10)+`", times: 2}]}
brain: [{calls: [{tool: look}]}, {calls: [{tool: look, args: {a: 1}}]}, {says: "Done."}]
timeline: [{user: "hi"}]
expect: {replies: {$any: true}}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	doubtless(t, "long results", file)
	if n := len(file.Source); n > 64<<10 {
		t.Errorf("it has %d bytes", n)
	}
	cases, err := scenario.Parse("a.scenario.yaml", file.Source)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sim.Run(cases.Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range [][]fsm.Input{slices.Collect(r.inputs()), inputs(again)} {
		var sizes []int
		for _, in := range run {
			if in, ok := in.Fact.(fsm.ToolAnswered); ok {
				sizes = append(sizes, in.Kept.Bytes)
			}
		}
		if !slices.Equal(sizes, []int{1 << 20, 1 << 20}) {
			t.Errorf("the results have %d bytes", sizes)
		}
	}
}

func inputs(r *sim.Result) (list []fsm.Input) {
	for _, s := range r.Steps {
		list = append(list, s.Input)
	}
	return list
}

// A request of 3 MiB, of which the daemon takes up to 4, is exported.
func TestSCN46ALongRequestIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
vars: {line: "`+strings.Repeat("x", 1<<10)+`"}
brain: [{says: "Done."}]
timeline: [{user: "`+strings.Repeat("${line}", 3<<10)+`"}]
expect: {replies: {$any: true}}
`)
	for name, render := range map[string]func() (*File, error){"replay": r.Replay, "scenario": r.Scenario} { // order-free: each has its own file
		if _, err := render(); err != nil {
			t.Errorf("%s: %.500v", name, err)
		}
	}
}
