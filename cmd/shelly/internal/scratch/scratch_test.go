package scratch

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/tool/file"
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// SCN-30: the tools have the names by which a scenario knows them.
func TestSCN30TheNamesAreTheTools(t *testing.T) {
	var names []string
	for _, d := range file.Declarations() {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, format.FileTools()) {
		t.Errorf("the tools are %q, but a scenario knows %q", names, format.FileTools())
	}
}

// SCN-30: a result is cut where a daemon with this profile would cut it.
func TestSCN30ResultsAreCutAsByTheProfilesDaemon(t *testing.T) {
	long, err := json.Marshal(strings.Repeat("a line of text\n", 900)) // 13,500 bytes
	if err != nil {
		t.Fatal(err)
	}
	for profile, most := range map[string]int{"default": 16 << 10, "nanobot": 10_000} { // order-free: each by itself
		s, err := openWorkspace("/w", profile, []sim.Thing{{Name: "a.txt", Data: string(long)}})
		if err != nil {
			t.Fatal(err)
		}
		got := s.Run(fsm.RunTool{Name: "read_file", Args: `{"path": "a.txt"}`})
		if cut := len(got.Text) < 13_500; got.Failed || len(got.Text) > most || cut != (most < 13_500) {
			t.Errorf("%s: %d bytes, failed %t", profile, len(got.Text), got.Failed)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
