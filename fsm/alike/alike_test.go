package alike

import (
	"slices"
	"testing"
)

func TestINF58NamesThatMeanTheSame(t *testing.T) {
	for _, tt := range []struct {
		a, b              string
		tools, parameters bool
	}{
		{"Read", "read_file", true, false}, {"readFile", "read_file", true, true}, {"rg", "grep", true, false}, {"Skill", "load_skill", true, false},
		{"Grep", "grep", true, false}, // a tool, but not an argument
		{"file-path", "path", false, true}, {"path", "directory", false, true}, {"file", "directory", false, false},
		{"-i", "ignore_case", false, true}, {"path", "path", true, true}, {"skill", "name", false, true},
		{"write", "write_file", false, false}, {"bash", "exec", false, false}, // they have effects
		{"", "", false, true}, {"--", "__", false, false}, {"路径", "路徑", false, false},
	} {
		for _, ab := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := Tools(ab[0], ab[1]); got != tt.tools {
				t.Errorf("tools %q and %q: %t", ab[0], ab[1], got)
			}
			if got := Parameters(ab[0], ab[1]); got != tt.parameters {
				t.Errorf("parameters %q and %q: %t", ab[0], ab[1], got)
			}
		}
	}
}

// A name that is not written as it is compared would never be found.
func TestINF58TheListsHaveNamesAsTheyAreCompared(t *testing.T) {
	for _, names := range slices.Concat(tools(), parameters()) {
		sorted := slices.Compact(slices.Sorted(slices.Values(names)))
		if len(names) < 2 || len(sorted) != len(names) || slices.ContainsFunc(names, func(name string) bool { return joined(name) != name }) {
			t.Errorf("%q", names)
		}
	}
}
