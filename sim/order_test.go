package sim

import "testing"

// SIM-2: by enumeration, each order of what is due at once is played, and in each
// of them every request has its reply and every entry its place.
func TestSIM2EveryOrderOfWhatIsDueAtOnce(t *testing.T) {
	var odometer Odometer
	first := map[string]bool{}
	for more := true; more; more = odometer.Next() {
		r := play(t, twoAtOnce(), Options{Choose: &odometer})
		if len(r.Replies()) != 1 || len(r.Memory) != 2 {
			t.Fatalf("replies %v, memory %v", r.Requests, r.Memory)
		}
		first[r.Replies()[0].Reply] = true
	}
	if len(first) != 2 {
		t.Errorf("the request was answered %v; want it first in one order and second in another", first)
	}
}
