package scratch

import (
	"slices"
	"testing"

	"shelly/runtime/tool"
	"shelly/sim/scenario/format"
)

// SCN-30: the names that a scenario knows the tools by are theirs.
func TestSCN30TheNamesAreTheTools(t *testing.T) {
	var names []string
	for _, d := range tool.FileTools() {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, format.FileTools()) {
		t.Errorf("the tools are %q, a scenario has %q", names, format.FileTools())
	}
}
