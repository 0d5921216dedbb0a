package sim

import (
	"strings"
	"testing"

	"shelly/fsm"
)

// crashedAt plays the round trip with a crash at a point, time standing still.
func crashedAt(t *testing.T, p Plan, ordinal int) *Result {
	t.Helper()
	r, err := Run(p, Options{CrashAt: ordinal})
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

// A run that ends otherwise fails the matrix, unless something overtook the work that
// the crash interrupted (SIM-16).
func TestOnlyWhatIsOvertakenMayEndOtherwise(t *testing.T) {
	p := roundTrip()
	straight := crashedAt(t, p, 0)
	crash := Crashed{}
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
		entry *Moment
		raced bool
	}{
		{"nothing", nil, false},
		{"a newcomer at that moment, who sends again", &Moment{At: at, Request: &fsm.Requested{Text: "2"}}, false},
		{"a newcomer a little later", &Moment{At: at + 1, Request: &fsm.Requested{Text: "2"}}, true},
		{"a command at that moment", &Moment{At: at, Request: &fsm.Requested{Text: "/stop"}}, true},
		{"a cancel at that moment", &Moment{At: at, Cancel: &Cancel{}}, true},
		{"an outage before it", &Moment{At: at, Storing: &Service{Fails: "full"}}, true},
		{"a cancel when all is over", &Moment{At: straight.End - p.Start + 1, Cancel: &Cancel{}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := p
			if test.entry != nil {
				seen.Timeline = append(seen.Timeline[:len(seen.Timeline):len(seen.Timeline)], *test.entry)
			}
			crashed := crashedAt(t, p, ordinal)
			crashed.Requests[0].Reply = "something else"
			var m MatrixResult
			wrong := m.compare(&seen, straight, crashed)
			if test.raced != (m.Raced == 1) || test.raced == (len(wrong) > 0) {
				t.Errorf("raced %d, %q", m.Raced, wrong)
			}
		})
	}
}

// SIM-13: what holds of every run is asked of one that was overtaken, too.
func TestWhatTheWorldSawIsAskedOfEveryRun(t *testing.T) {
	r := crashedAt(t, roundTrip(), 0)
	if wrong := r.Witness(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	r.Ran = append(r.Ran, r.Ran[0])
	r.Requests[0].Done = false
	r.Replied = append(r.Replied, r.Replied[0])
	wrong := r.Witness()
	if len(wrong) != 3 || wrong[0].Invariant != "INV-6" || !strings.Contains(wrong[0].Text, "attempt 1 of") ||
		wrong[1].Invariant != "INV-1" || !strings.Contains(wrong[1].Text, "twice") || wrong[2].Invariant != "INV-1" {
		t.Errorf("%v", wrong)
	}
}
