package machine

import (
	"strings"
	"testing"

	"shelly/fsm"
)

func TestHND8EachRememberedEntryIsOneLine(t *testing.T) {
	got := New().remembered("a name", []fsm.Memory{{ID: "h1", Summary: "one\ntwo"}, {ID: "h2", Summary: "three"}})
	if lines := strings.Split(got, "\n"); len(lines) != 5 || lines[2] != "- one two" || lines[3] != "- three" {
		t.Errorf("remembered: %q", got)
	}
}
