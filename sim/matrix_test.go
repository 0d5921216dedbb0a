package sim

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
)

// twoAtOnce is a request and an event that are due at the same time.
func twoAtOnce() Plan {
	p := roundTrip()
	p.Stubs = nil
	p.Scripts[0].Lines = []Line{{Text: "one", Takes: 10}, {Text: "two", Takes: 10}}
	p.Timeline = append(p.Timeline, Moment{Event: &fsm.EventRaised{Source: "disk", Event: "full"}})
	return p
}

// SIM-6: up to its crash a run of the matrix is the run it is compared with, also
// where a seed has chosen what came first.
func TestSIM6AMatrixChoosesAsItsUninterruptedRunDid(t *testing.T) {
	for seed := range uint64(4) { // both orders are among them
		m, err := Matrix(twoAtOnce(), Options{Choose: NewSeeded(seed)})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Failures {
			t.Errorf("seed %d: crash at point %d (%s): %s", seed, f.Ordinal, f.Point, f.Text)
		}
	}
}

// JRN-12: what is remembered of a request or an event is there once.
func TestJRN12TheMatrixSeesWhatMemoryLostOrGained(t *testing.T) {
	straight := play(t, twoAtOnce(), Options{})
	event := slices.IndexFunc(straight.Memory, func(e fsm.Entry) bool { return e.Kind == fsm.KindEvent })
	if event < 0 {
		t.Fatalf("memory %v has no event", straight.Memory)
	}
	for _, test := range []struct {
		name, want string
		memory     []fsm.Entry
	}{
		{"the same", "", straight.Memory},
		{"lost", "memory lost", slices.Delete(slices.Clone(straight.Memory), event, event+1)},
		{"twice", "2 times, without the crash 1 times", append(slices.Clone(straight.Memory), straight.Memory[event])},
		{"another", "which it does not", append(slices.Clone(straight.Memory), fsm.Entry{Kind: fsm.KindEvent, Summary: "other"})},
	} {
		t.Run(test.name, func(t *testing.T) {
			crashed := *straight
			crashed.Memory = test.memory
			wrong := strings.Join(new(MatrixResult).compare(&Plan{}, straight, &crashed), "; ")
			if test.want == "" && wrong != "" || !strings.Contains(wrong, test.want) {
				t.Errorf("the comparison says %q, want %q", wrong, test.want)
			}
		})
	}
}
