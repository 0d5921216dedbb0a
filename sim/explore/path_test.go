package explore

import (
	"fmt"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/state"
	"shelly/sim/script"
)

// SIM-14: a step tells which of thousands of answers it was, and each crash that came before its effects.
func TestSIM14AStepHoldsItsActionAndItsCrashes(t *testing.T) {
	for _, action := range []int{0, 1, 4095, 4096, 20_000} {
		s := to(signalling, action)
		var want []bool
		for n := range CrashesMax {
			want = append(want, n%3 == 0)
			s = s.dies(n%3 == 0)
			if s.group() != signalling || s.action() != action || !slices.Equal(s.crashes(), want) {
				t.Fatalf("got action %d of group %d with crashes %v; want %d of %d with %v", s.action(), s.group(), s.crashes(), action, signalling, want)
			}
		}
	}
}

// SIM-14: the way to what is found among thousands of answers is that to it, and no other.
func TestSIM14TheWayNamesTheAnswerAmongThousands(t *testing.T) {
	var lines []script.Line
	for n := range 4200 {
		lines = append(lines, script.Line{Text: fmt.Sprint("says ", n)})
	}
	p := casePlan(lines)
	b := CaseWorld("x", &p)
	b.Case.Check = func() Check {
		return func(in fsm.Input, _ []state.Move, _ []fsm.Effect, _ *state.Snapshot) *check.Violation {
			if said, ok := in.Fact.(fsm.BrainAnswered); ok && said.Text == "says 4199" {
				return &check.Violation{Text: "it was said"}
			}
			return nil
		}
	}
	r := Run(b)
	if r.Found == nil || r.Found.Path[len(r.Found.Path)-1] != "model gives answer 4200 to answer" {
		t.Errorf("got %+v; want the last answer", r.Found)
	}
}
