package judge_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"shelly/sim/scenario"
	"shelly/sim/strict"
)

// SCN-2: all that is wrong is reported at once. What only follows from another problem is
// not.
func TestSCN2AllThatIsWrongIsReportedAtOnce(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		want       []string // the paths
	}{
		{"a value and a check of another key", "tags: [and]\nbrain: [{says: a, hangs: true}]\ntimeline: [{usr: a}]\nexpect: {replies: [{$contain: a}]}\n",
			[]string{"tags[0]", "brain[0]", "timeline[0].usr", "expect.replies[0].$contain"}},
		{"what follows from a key that is not known", "timeline: [{usr: a}]\nexpect: {ends: serving}\n", []string{"timeline[0].usr"}},
		{"beside an include that fails", "include: absent.yaml\nbrain: [{sayz: a}, {says: \"${x}\"}]\nexpect: {replies: [{$contain: a}]}\n",
			[]string{"include", "brain[0].sayz", "expect.replies[0].$contain"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := fstest.MapFS{"a.scenario.yaml": {Data: []byte("scenario: 1\nname: x\n" + test.yaml)}}
			_, err := scenario.Load(fsys, "a.scenario.yaml")
			var load *strict.Error
			if !errors.As(err, &load) || len(load.Problems) != len(test.want) {
				t.Fatalf("got %v; want %d problems", err, len(test.want))
			}
			for i, p := range load.Problems {
				if p.Path != test.want[i] {
					t.Errorf("problem %d is at %s, want %s", i, p.Path, test.want[i])
				}
			}
		})
	}
}
