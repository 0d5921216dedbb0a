package report

import (
	"strings"
	"testing"
	"time"

	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
)

// made is a property all of whose figures are there.
func made() Case {
	return Case{
		Took: 2 * time.Second, Outcome: scenario.Outcome{Name: "made", File: "p.property.yaml", Line: 1},
		Property: &Property{
			Seeds: 40, Runs: 40, Regressions: 1, Cover: []Reached{{"acting", 3, "5%"}},
			Wrote: "old/p.7.scenario.yaml", Source: "scenario: 1\nname: x\n",
		},
	}
}

// PRP-9: figures where somebody asks; PRP-7: what there was no time for, always.
func TestPRP9PropertiesAreReported(t *testing.T) {
	c := made()
	if got := prettyCase(&c, Options{}); got != "" {
		t.Errorf("figures were not asked for, but it printed %q", got)
	}
	const want = "ok   p.property.yaml  made (40 cases, 20 a second, 1 regression; acting in 7.5%)\n"
	if got := prettyCase(&c, Options{Verbose: true}); got != want {
		t.Errorf("told\n%swant\n%s", got, want)
	}
	c.Property.Runs = 30
	const short = "short p.property.yaml  made: its budget is over (30 of 40 cases, 15 a second, 1 regression; acting in 10%)\n"
	if got := prettyCase(&c, Options{}); got != short {
		t.Errorf("told\n%swant\n%s", got, short)
	}
	c.Failures = []judge.Failure{{Name: "made", Text: "INV-1"}}
	if got := prettyCase(&c, Options{}); !strings.HasSuffix(got, "\n  the case:\n    scenario: 1\n    name: x\n\n") {
		t.Errorf("told\n%s", got)
	}
}

// left is a case that its file skips (SCN-60).
func left() Case {
	return Case{
		Took:    time.Millisecond,
		Outcome: scenario.Outcome{Name: "left", File: "l.scenario.yaml", Line: 1, Skipped: "waits for a friend", ByFile: true},
	}
}
