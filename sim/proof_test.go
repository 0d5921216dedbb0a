//go:build !canary_reply_twice && !canary_unsynced_tool

package sim

import "testing"

// SIM-7, SIM-8, SIM-9, SIM-10. The small world holds: every interleaving of one request, one unsafe tool, one
// time-out, one crash and one shutdown is visited, and nothing breaks.
func TestExploreSmallWorldHolds(t *testing.T) {
	x := Explore(SmallWorld())
	if x.Found != nil {
		t.Fatalf("%s: %s\nafter %v", x.Found.Invariant, x.Found.Text, x.Found.Path)
	}
	if !x.Complete {
		t.Fatal("the walk did not reach its end")
	}
	if x.Resting == 0 || x.Unique < 1000 {
		t.Fatalf("%d unique states, %d at rest: the world is not the one that was meant", x.Unique, x.Resting)
	}
}

// So does the world of the initial inference, in which the rows of a crashed or
// interrupted init are walked.
func TestExploreInitWorldHolds(t *testing.T) {
	x := Explore(InitWorld())
	if x.Found != nil {
		t.Fatalf("%s: %s\nafter %v", x.Found.Invariant, x.Found.Text, x.Found.Path)
	}
	if !x.Complete {
		t.Fatal("the walk did not reach its end")
	}
}

func TestExploreIsDeterministic(t *testing.T) {
	world := SmallWorld()
	world.Limits.MaxCognitionRounds, world.Starts = 1, 0
	a, b := Explore(world), Explore(world)
	if a.Unique != b.Unique || a.Transitions != b.Transitions || a.Depth != b.Depth {
		t.Fatalf("%d/%d/%d and then %d/%d/%d", a.Unique, a.Transitions, a.Depth, b.Unique, b.Transitions, b.Depth)
	}
}

// SIM-6, JRN-12.
func TestMatrixHolds(t *testing.T) {
	m, err := Matrix(roundTrip(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Points < 20 {
		t.Fatalf("only %d crash points", m.Points)
	}
	for _, f := range m.Failures {
		t.Errorf("crash at point %d (%s): %s", f.Ordinal, f.Point, f.Text)
	}
}
