//go:build canary_unsynced_tool

package sim

import (
	"strings"
	"testing"
)

// The crash matrix finds the unsafe tool that starts again because the record of
// its start was lost (SIM-12).
func TestCanaryUnsyncedToolIsFoundByTheMatrix(t *testing.T) {
	m, err := Matrix(roundTrip(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Failures) == 0 || !strings.HasPrefix(m.Failures[0].Text, "INV-6") {
		t.Fatalf("the canary survives %d crash points: %v", m.Points, m.Failures)
	}
	t.Logf("found at %d of %d crash points, first at %d", len(m.Failures), m.Points, m.Failures[0].Ordinal)
}

// So does the explorer.
func TestCanaryUnsyncedToolIsFoundByTheExplorer(t *testing.T) {
	x := Explore(SmallWorld())
	if x.Found == nil || x.Found.Invariant != "INV-6" {
		t.Fatalf("the canary survives: found %v", x.Found)
	}
	t.Logf("found after %d states: %v", x.Unique, x.Found.Path)
}
