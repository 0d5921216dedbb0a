package main

import (
	"testing"
	"time"
)

// A change is judged by the tests that meet it: first the quick ones, each package's together, then
// each of the others, and always those that take less time first.
func TestTheTestsThatJudgeAChange(t *testing.T) {
	meets, misses := []byte{0, 1}, []byte{0, 0}
	tests := []test{
		{program: "a", name: "Slow", took: 3 * quick, met: meets},
		{program: "a", name: "One", took: quick / 2, met: meets},
		{program: "a", name: "Elsewhere", took: time.Millisecond, met: misses},
		{program: "b", name: "Quick", took: quick / 4, met: meets},
		{program: "a", name: "Two", took: quick, met: meets},
		{program: "b", name: "Slower than quick", took: 2 * quick, met: meets},
	}
	var got []string
	for _, b := range batches(1, tests) {
		got = append(got, b.program+": "+b.name)
	}
	want := []string{"b: Quick", "a: One|Two", "b: Slower than quick", "a: Slow"}
	if len(got) != len(want) {
		t.Fatalf("got %q; want %d of them", got, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if tests[1].name != "One" {
		t.Error("the tests themselves have changed")
	}
}
