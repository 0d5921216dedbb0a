package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// ordered has a walk tell states apart by the order in which the world has seen things.
func ordered(x *explorer) { x.seen.ordered = true }

// takenFor has the world take one sighting for another: what a machine does that does the
// same twice.
func takenFor(one, other sighting) func(*explorer) {
	return func(x *explorer) { x.seen.all.ids[other] = x.seen.all.of(one) }
}

// inTwoSessions is two requests that run at once, with a crash.
func inTwoSessions() Bounds {
	b := sessionsWorld()
	b.Name, b.Requests, b.Crashes, b.Cancels, b.Signals = "two sessions", 2, 1, 0, 0
	return b
}

// withPersons is two requests whose tool waits for a person, with a crash.
func withPersons() Bounds {
	b := personWorld()
	b.Name, b.Timeouts, b.Cancels, b.Signals = "two persons", 0, 0, 0
	return b
}

// resting are the names of the positions in which a walk has come to rest.
func resting(x *explorer) []uint64 {
	var list []uint64
	for name, at := range x.positions.known {
		if x.positions.list[at].resting {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// SIM-37: where states are distinguished by the order of what the world has seen, there are more
// of them, and the same is found: also where something is wrong, whatever it is.
func TestSIM37TheOrderOfWhatWasSeenIsOfNoAccount(t *testing.T) {
	for _, world := range []Bounds{inTwoSessions(), withPersons()} {
		t.Run(world.Name, func(t *testing.T) {
			whole, reduced := walked(world, ordered), walked(world)
			whole.liveness()
			reduced.liveness()
			if diff := cmp.Diff(whole.out, reduced.out, cmpopts.IgnoreFields(Result{}, "States", "Unique", "Steps", "Transitions", "Resting", "Coverage")); diff != "" {
				t.Errorf("-whole +reduced:\n%s", diff)
			}
			if diff := cmp.Diff(whole.out.Coverage.Missing(), reduced.out.Coverage.Missing()); diff != "" {
				t.Errorf("-whole +reduced:\n%s", diff)
			}
			if !slices.Equal(resting(whole), resting(reduced)) {
				t.Errorf("rest is come to in %d positions, reduced in %d", len(resting(whole)), len(resting(reduced)))
			}
			if !whole.out.Complete || reduced.out.Unique >= whole.out.Unique {
				t.Errorf("%d states, reduced %d; complete: %t", whole.out.Unique, reduced.out.Unique, whole.out.Complete)
			}
			found := 0
			all := reduced.seen.all.list[1:]
			for i, one := range all {
				for _, other := range all[i+1:] {
					whole, reduced := walked(world, takenFor(one, other), ordered), walked(world, takenFor(one, other))
					if diff := cmp.Diff(whole.out.Found, reduced.out.Found); diff != "" {
						t.Errorf("%s for %s: -whole +reduced:\n%s", other.what, one.what, diff)
					}
					if whole.out.Found != nil {
						found++
					}
				}
			}
			if found < 3 {
				t.Errorf("of %d sightings, %d pairs are ever seen in one run", len(all), found)
			}
		})
	}
}

// SIM-37: what was seen in any order has one number, and all of it, and nothing else, is seen
// again.
func TestSIM37WhatWasSeenIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSightings()
		step := func(name string) uint32 { return s.step([]sighting{{what: name}}) }
		names := []string{"a", "b", "c", "d", "e"}
		for _, name := range names {
			step(name)
		}
		of := func(seen []string) (set uint32) {
			for _, name := range seen {
				set, _, _ = s.add(set, step(name), true)
			}
			return set
		}
		seen := rapid.Permutation(names).Draw(t, "seen")[:rapid.IntRange(0, len(names)).Draw(t, "number")]
		set := of(seen)
		if again := of(rapid.Permutation(seen).Draw(t, "again")); again != set {
			t.Errorf("%v is set %d, and in another order %d", seen, set, again)
		}
		for _, name := range names {
			if _, _, ok := s.add(set, step(name), true); ok == slices.Contains(seen, name) {
				t.Errorf("of %v, %s is seen again: %t", seen, name, !ok)
			}
		}
	})
}
