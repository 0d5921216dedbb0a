package profile_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// Each name in the document names one state of the table.
func TestINF28LabelsNameStatesOfTheInference(t *testing.T) {
	c := profile.Omniemployee()
	var states, labels []fsm.State
	for _, r := range state.InferenceTable.Rows {
		if !slices.Contains(states, r.To) {
			states = append(states, r.To)
		}
	}
	for _, l := range c.Labels {
		if !slices.Contains(states, l.State) {
			t.Errorf("%s is not a state of an inference", l.State)
		}
		if got := c.Label(l.State); got != l.Label {
			t.Errorf("%s is called %s, not %s", l.State, got, l.Label)
		}
		labels = append(labels, l.Label)
	}
	if want := []fsm.State{"THINKING", "TOOL_CALLING", "COMPLETED", "MAX_ITERATIONS", "ERROR"}; !slices.Equal(labels, want) {
		t.Errorf("the labels are %q, not %q", labels, want)
	}
	if got := c.Label(state.Condensing); got != "" {
		t.Errorf("a state without a name is called %s", got)
	}
}

func TestINF30FormerNamesOfStatesAreReadAndNotWritten(t *testing.T) {
	for former, want := range map[string]fsm.State{"compacting": state.Condensing, "failed": state.Broken, "acting": state.Acting} {
		c := fsm.Config{Labels: []fsm.StateLabel{{State: fsm.State(former), Label: "X"}}}
		if got := c.Label(want); got != "X" {
			t.Errorf("%s is called %q by a label for %s", want, got, former)
		}
		var h state.Handle
		if err := json.Unmarshal([]byte(`{"state":"failed","inf":{"state":"`+former+`","rounds":2}}`), &h); err != nil {
			t.Fatal(err)
		}
		if h.Inf.State != want || h.Inf.Rounds != 2 || h.State != state.Failed {
			t.Errorf("%s is read as %+v in %s", former, h.Inf, h.State)
		}
		if again, err := json.Marshal(h.Inf); err != nil || !strings.Contains(string(again), `"state":"`+string(want)+`"`) {
			t.Errorf("%s is written as %s (%v)", want, again, err)
		}
	}
}

func TestINF30NoTwoStatesShareAName(t *testing.T) {
	tables := map[fsm.State]string{}
	for _, table := range state.Tables() {
		for _, r := range table.Rows {
			for _, s := range []fsm.State{r.From, r.To} {
				if other, known := tables[s]; known && other != table.Name {
					t.Errorf("%s is a state of the %s and of the %s", s, other, table.Name)
				}
				tables[s] = table.Name
			}
		}
	}
}
