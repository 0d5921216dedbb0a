package main

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// rehearsed returns the rehearsed cases of a scenario file.
func rehearsed(t *testing.T, path string) []*play {
	t.Helper()
	cases, err := loadFile("../../scenarios", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := rehearse(cases, 0); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestAScenarioKillsWhatItMeets(t *testing.T) {
	cases := rehearsed(t, "shelly/need-found.scenario.yaml")
	mutants := tableMutants()
	for _, tt := range []struct {
		name string
		dies bool
	}{
		{"handle: cognition -need-> recalling: deleted", true},
		{"handle: cognition -need-> recalling: leads to execution", true},
		{"handle: recalling: without enter", true},
		{"handle: execution -hold-> held: deleted", false},
	} {
		found := false
		for i, m := range mutants {
			if m.name != tt.name {
				continue
			}
			found = true
			if v := try(m, i+1, cases, false); v.By != "" != tt.dies || v.Met > 0 != tt.dies {
				t.Errorf("%s: %+v, want killed %t", tt.name, v, tt.dies)
			}
		}
		if !found {
			t.Errorf("there is no mutant %s", tt.name)
		}
	}
	if why := cases[0].run(true, func(state.Move) {}); why != "" {
		t.Errorf("a mutant is still on: %s", why)
	}
}

func TestEachRowAndPhaseIsChanged(t *testing.T) {
	count := map[string]int{}
	for _, m := range tableMutants() {
		switch {
		case strings.HasSuffix(m.name, ": deleted"):
			count["deleted"]++
		case strings.Contains(m.name, ": leads to "):
			count["led"]++
		case strings.HasSuffix(m.name, ": without enter"):
			count["blanked"]++
		}
	}
	for _, name := range []string{
		"inference: acting: without Calls", "inference: acting: without Calls[tool]", "handle: held: without Person", "handle: parked: without Idle",
		"handle: cognition: without Infers", "inference: thinking: without Wait.Maybe", "handle: held: without Wait.For",
	} {
		if !slices.ContainsFunc(tableMutants(), func(m mutant) bool { return m.name == name }) {
			t.Errorf("there is no mutant %s", name)
		}
	}
	still := []fsm.State{state.Queued, state.Idling, state.Postponed, state.Parked, state.Stopping, state.BackingOff, state.Retrying} // nothing is done as they are entered
	rows, entered := 0, -len(still)
	for _, table := range state.Tables() {
		rows += len(table.Rows)
		entered += len(machine.Phases(table.Name))
	}
	if count["deleted"] != rows || count["led"] != 2*rows || count["blanked"] != entered {
		t.Errorf("got %v of %d rows and %d phases with an entry; want each row deleted and led to two others, and each entry blanked", count, rows, entered)
	}
}
