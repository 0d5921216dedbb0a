package compile_test

import (
	"reflect"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
)

// SCN-49: the journal's faults as they are written.
func TestSCN24JournalFaultsAsTheyAreWritten(t *testing.T) {
	for _, test := range []struct {
		yaml string
		want []sim.Fault
	}{
		{"full: {nth: 3, restart_after: 1m}", []sim.Fault{{Kind: "journal.full", Nth: 3, After: 60_000}}},
		{"fsync_error: {restart_after: 0s}", []sim.Fault{{Kind: "journal.fsync_error", Nth: 1}}},
		{"torn_tail: [{p: 0.2}, {nth: 2, optional: true}]", []sim.Fault{{Kind: "journal.torn_tail", Chance: 200, After: 1000}, {Kind: "journal.torn_tail", Nth: 2, Optional: true, After: 1000}}},
	} {
		if got := planFrom(t, "faults: {journal: {"+test.yaml+"}}\n").Faults; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s is\n%+v, want\n%+v", test.yaml, got, test.want)
		}
	}
	_, err := scenario.Parse("f.scenario.yaml", []byte(casetest.Valid+"faults: {journal: {full: {nth: 1, p: 1}}}\n"))
	for _, want := range []string{"faults.journal.full: nth and p exclude each other"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want %q", err, want)
		}
	}
}
