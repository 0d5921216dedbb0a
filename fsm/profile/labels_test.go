package profile_test

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// Each name of the document is the name of one state of the table.
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
			t.Errorf("%s is no state of an inference", l.State)
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
