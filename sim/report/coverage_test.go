package report

import (
	"slices"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario"
)

// playedText runs a scenario.
func playedText(t *testing.T, text string) Case {
	t.Helper()
	f, err := scenario.Parse("a.scenario.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := Case{Outcome: f.Run(sim.Options{})}
	c.Cover(&c.Outcome)
	return c
}

const answered = `scenario: 1
name: a question is answered
covers: [INF-4, NOT-1]
brain: [{says: "It is fine."}]
timeline: [{user: "How is the disk?"}]
expect: {replies: ["It is fine."]}
`

func TestSCN44CoverageCountsWhatWasReached(t *testing.T) {
	c := NewCoverage([]Case{playedText(t, answered)}, []string{"HND-1", "INF-4", "HND-2"}, "")
	if c.Transitions.Taken == 0 || c.Transitions.Of != c.Transitions.Taken+len(c.Transitions.Missing) {
		t.Errorf("transitions %+v", c.Transitions)
	}
	for _, took := range []string{"lifecycle: down --boot→", "inference: thinking --answered→ completed"} {
		if slices.ContainsFunc(c.Transitions.Missing, func(m string) bool { return strings.HasPrefix(m, took) }) {
			t.Errorf("%s is missing: %q", took, c.Transitions.Missing)
		}
	}
	for _, state := range []string{"lifecycle: down", "lifecycle: serving", "handle: queued", "handle: done", "inference: thinking"} {
		if slices.Contains(c.States.Missing, state) {
			t.Errorf("%s is missing", state)
		}
	}
	if !slices.Contains(c.States.Missing, "lifecycle: stopped") || !slices.Contains(c.Faults.Missing, "effect.before") || c.Faults.Taken != 0 {
		t.Errorf("states %+v, faults %+v", c.States, c.Faults)
	}
	if c.Rules.Taken != 1 || !slices.Equal(c.Rules.Missing, []string{"HND-1", "HND-2"}) {
		t.Errorf("rules %+v", c.Rules)
	}
}

// A crash matrix meets every crash point, and a case that failed counts what it
// took; one that was not played counts nothing.
func TestSCN44CoverageCountsTheMatrixAndWhatFailed(t *testing.T) {
	fails := strings.Replace(answered, `replies: ["It is fine."]`, `replies: ["no"]`, 1)
	crashes := playedText(t, fails+"faults: {crash: {at: $every}}\n")
	if crashes.Status() != Failed {
		t.Fatal("it holds")
	}
	c := NewCoverage([]Case{crashes}, nil, "no SPEC.md is above the scenarios")
	for _, p := range sim.Points() {
		if slices.Contains(c.Faults.Missing, string(p)) {
			t.Errorf("%s is missing", p)
		}
	}
	if c.Transitions.Taken == 0 {
		t.Error("a case that failed took nothing")
	}
	skipped := Case{Outcome: scenario.Outcome{Covers: []string{"HND-1"}, Skipped: "no model"}}
	if c := NewCoverage([]Case{skipped}, []string{"HND-1"}, ""); c.Rules.Taken != 0 {
		t.Error("a case that was not played covers a rule")
	}
}

const wantCoverage = `no case takes a row
no case is in handle: held
no case meets the fault step
no case covers HND-1, HND-9
no case covers INF-2
coverage:
  transitions   99.9 %  1999 of 2000
  states        50.0 %  1 of 2
  faults         0.0 %  0 of 1
  rules         25.0 %  1 of 4
`

func TestSCN44CoverageIsSummarized(t *testing.T) {
	c := &Coverage{
		Transitions: Share{1999, 2000, []string{"a row"}}, States: Share{1, 2, []string{"handle: held"}},
		Faults: Share{0, 1, []string{"step"}}, Rules: Share{1, 4, []string{"HND-1", "INF-2", "HND-9"}},
	}
	if got := c.String(); got != wantCoverage {
		t.Errorf("got\n%s; want\n%s", got, wantCoverage)
	}
	c = &Coverage{NoRules: "no SPEC.md is above the scenarios"}
	if got := c.String(); !strings.Contains(got, "  rules        no SPEC.md is above the scenarios\n") || !strings.Contains(got, "100.0 %  0 of 0\n") {
		t.Errorf("got\n%s; want rules %q, and %q", got, c.NoRules, "100.0 %  0 of 0")
	}
}
