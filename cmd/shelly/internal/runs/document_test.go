package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/sim/history/htmlreport"
	"shelly/sim/history/trace"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
)

// CLI-162: of a case whose steps are left out, or some of them, no link leads to one that is not there.
func TestCLI162NoLinkLeadsToAStepThatIsLeftOut(t *testing.T) {
	c := report.Case{Outcome: scenario.Outcome{
		Name: "a", Failures: []judge.Failure{{Step: 2}, {Step: 3}}, Met: []judge.Met{{Path: "b", Steps: []int{1, 3}}},
	}}
	r := &Recorder{HTML: true, cases: map[key]*recorded{keyOf(&c.Outcome): {shown: htmlreport.Case{Steps: []trace.Step{{N: 1}, {N: 2}}, Ran: 3}}}}
	links := func(room int) (steps int, links []int) {
		shown := r.caseOf(&c, room)
		for _, f := range shown.Failures {
			links = append(links, f.Step)
		}
		for _, m := range shown.Met {
			links = append(links, m.Steps...)
		}
		return len(shown.Steps), links
	}
	for room, want := range map[int][]int{2: {2, 0, 1}, 1: {0, 0}} { // order-free: each for itself
		if steps, got := links(room); !cmp.Equal(got, want) || steps > room {
			t.Errorf("with room for %d steps there are %d, and links to %v; want %v", room, steps, got, want)
		}
	}
}
