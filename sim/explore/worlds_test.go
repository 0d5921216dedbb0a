package explore

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// SIM-8: the table of the specification has each world, and no other.
func TestSIM8TheTableHasEachWorld(t *testing.T) {
	rules, err := os.ReadFile("../RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(rules), "| world ")
	table, _, _ = strings.Cut(table, "\n\n")
	var got, want []string
	for line := range strings.Lines(table) {
		if name, ok := strings.CutPrefix(line, "| `"); ok {
			got = append(got, name[:strings.Index(name, "`")])
		}
	}
	for _, w := range append(Worlds(), BigWorlds()...) {
		want = append(want, w.Name)
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// SIM-7, SIM-8, SIM-9, SIM-10. Every interleaving is visited, and nothing breaks. "make test" walks each
// world to its end, with the program as it ships; here, under the race detector, the
// big ones are cut short.
func TestExploredWorldsHold(t *testing.T) {
	for _, world := range Worlds() {
		t.Run(world.Name, func(t *testing.T) {
			whole := world.Name == "spawn" || world.Name == "compress" || world.Name == "rounds"
			if !whole {
				world.StatesMax = 3000
			}
			x := Run(world)
			if x.Found != nil {
				t.Fatalf("%s: %s\nafter %v", x.Found.Invariant, x.Found.Text, x.Found.Path)
			}
			if x.Complete != whole {
				t.Fatalf("%d unique states, complete: %t", x.Unique, x.Complete)
			}
			if x.Resting == 0 || x.Unique < 400 {
				t.Fatalf("%d unique states, %d at rest: the world is not the one that was meant", x.Unique, x.Resting)
			}
		})
	}
}

func TestExploreIsDeterministic(t *testing.T) {
	world := SmallWorld()
	world.Limits.MaxCognitionRounds, world.Starts = 1, 0
	a, b := Run(world), Run(world)
	if a.Unique != b.Unique || a.Transitions != b.Transitions || a.Depth != b.Depth {
		t.Fatalf("%d/%d/%d and then %d/%d/%d", a.Unique, a.Transitions, a.Depth, b.Unique, b.Transitions, b.Depth)
	}
}
