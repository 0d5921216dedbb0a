package lockstep

import (
	"reflect"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario"
)

// What is found of several entries depends on the words that a search ignores, and on their number; what is stored does not.
func TestSCN12ARecallBringsWhatTheSimulatedMemoryFinds(t *testing.T) {
	f, err := scenario.Parse("f.scenario.yaml", []byte(`scenario: 1
name: recalls
profile: default
config: {init: off}
memory: [{summary: The code is 4711.}, {summary: The codes of the doors were changed on Monday.}]
brain: [{needs: the code}, {says: x}, {needs: the code}, {says: y}, {needs: <>}, {says: z}]
timeline: [{user: What is the code?}, {at: 1h, user: Again?, session: b}, {at: 2h, user: And now?, session: c}]
expect: {replies: [x, y, z]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if out := Compare(f); !out.OK() {
		t.Errorf("got %v, %v; want no failure", out.Err, out.Failures)
	}
	plan := f.Plan()
	l, err := newLive(&plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, test := range map[string]struct {
		found fsm.Memory
		holds bool
	}{ // order-free: each alone
		"an entry":          {fsm.Memory{ID: "m1", Summary: "The code is 4711."}, true},
		"of another text":   {fsm.Memory{ID: "m1", Summary: "The code is 4712."}, false},
		"of other sources":  {fsm.Memory{ID: "m1", Summary: "The code is 4711.", Source: fsm.FromPerson}, false},
		"what is not there": {fsm.Memory{ID: "m3", Summary: "The code is 4711."}, false},
	} {
		scripted := fsm.Recalled{Entries: []fsm.Memory{test.found}}
		got, _, err := l.Memory(fsm.Recall{Need: "zebra", TopK: 5}, scripted)
		if err != nil || reflect.DeepEqual(got, scripted) != test.holds {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}
