package crash

import (
	"testing"

	"shelly/fsm"
	"shelly/sim"
)

// crashedAt plays the round trip with a crash at a point, time standing still.
func crashedAt(t *testing.T, p sim.Plan, ordinal int) *sim.Result {
	t.Helper()
	r, err := sim.Run(p, sim.Options{CrashAt: ordinal})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A crash costs no time in the matrix: the run ends when it would have ended (SIM-6).
func TestACrashOfTheMatrixCostsNoTime(t *testing.T) {
	p := roundTrip()
	straight := crashedAt(t, p, 0)
	for n := 1; n <= straight.Points; n++ {
		if r := crashedAt(t, p, n); r.End > straight.End {
			t.Fatalf("crash at point %d: the run ends at %d, without the crash at %d", n, r.End, straight.End)
		}
	}
}

// A run that ends differently fails the matrix, unless something overtook the work that
// the crash interrupted (SIM-16).
func TestOnlyWhatIsOvertakenMayEndDifferently(t *testing.T) {
	p := roundTrip()
	straight := crashedAt(t, p, 0)
	crash := sim.Crashed{}
	ordinal := 0
	for n := 1; n <= straight.Points && ordinal == 0; n++ { // one in the midst of the work
		if r := crashedAt(t, p, n); len(r.Crashes) == 1 && r.Crashes[0].At > p.Start && r.Crashes[0].At < straight.End {
			crash, ordinal = r.Crashes[0], n
		}
	}
	if ordinal == 0 {
		t.Fatal("no crash comes in the midst of the work")
	}
	at := crash.At - p.Start
	for _, test := range []struct {
		name  string
		entry *sim.Moment
		raced bool
	}{
		{"nothing", nil, false},
		{"a newcomer at that moment, who sends again", &sim.Moment{At: at, Request: &fsm.Requested{Text: "2"}}, false},
		{"a newcomer a little later", &sim.Moment{At: at + 1, Request: &fsm.Requested{Text: "2"}}, true},
		{"a command at that moment", &sim.Moment{At: at, Request: &fsm.Requested{Text: "/stop"}}, true},
		{"a cancel at that moment", &sim.Moment{At: at, Cancel: &sim.Cancel{}}, true},
		{"an outage before it", &sim.Moment{At: at, Storing: &sim.Service{Fails: "full"}}, true},
		{"a cancel when all is over", &sim.Moment{At: straight.End - p.Start + 1, Cancel: &sim.Cancel{}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := p
			if test.entry != nil {
				seen.Timeline = append(seen.Timeline[:len(seen.Timeline):len(seen.Timeline)], *test.entry)
			}
			crashed := crashedAt(t, p, ordinal)
			crashed.Requests[0].Reply = "something else"
			var m Result
			wrong := m.compare(&seen, straight, crashed)
			if test.raced != (m.Raced == 1) || test.raced == (len(wrong) > 0) {
				t.Errorf("raced %d, %q", m.Raced, wrong)
			}
		})
	}
}
