//go:build canary

package property

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/fsm"
	"shelly/sim/scenario"
)

// The project's properties find each canary within their own numbers of cases (SIM-12).
func TestCanariesAreFound(t *testing.T) {
	files := projectProperties(t)
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("machine") {
		t.Run(canary, func(t *testing.T) {
			fsm.SetCanary(canary)
			found := lookByMaking(named(nests()[canary], files))
			if found == "" {
				found = lookByMaking(files)
			}
			if found == "" {
				t.Errorf("the canary %s survives the properties", canary)
			} else {
				t.Logf("properties  %s", found)
			}
		})
	}
}

// nests are where canaries were found before: a search begins there, and goes on with the
// rest.
func nests() map[string]string {
	return map[string]string{
		"arrival_order":   "reads-together",
		"eaten_question":  "adversarial-model",
		"queue_lost":      "grants",
		"reply_twice":     "reads-together",
		"rerun_tool":      "full-journal",
		"session_leak":    "adversarial-model",
		"stale_answer":    "adversarial-model",
		"starvation":      "a-year-of-schedules",
		"unbounded_retry": "a-year-of-schedules",
		"unsynced_reply":  "concurrent-sessions-with-faults",
		"unsynced_tool":   "full-journal",
	}
}

// named returns the properties of a name; of none there are none.
func named(name string, files []*scenario.File) []*scenario.File {
	return slices.DeleteFunc(slices.Clone(files), func(f *scenario.File) bool {
		return name == "" || !strings.HasPrefix(path.Base(f.Path()), name+".")
	})
}

// lookByMaking makes cases of each property until one fails, and says after how many. It
// goes round the properties with more and more cases of each: a canary is mostly found
// within the first of the property that it breaks.
func lookByMaking(files []*scenario.File) string {
	runs := 0
	for first, seeds, left := 1, 2, true; left; first, seeds = first+seeds, 4*seeds {
		left = false
		for _, f := range files {
			most := int(f.Property().Runs.Seeds)
			if first > most {
				continue
			}
			left = true
			r := Check(f, Options{First: uint64(first), Seeds: min(seeds, most-first+1), Shrink: func() func() bool { return func() bool { return true } }})
			if runs += r.Runs; r.Failed != nil {
				return fmt.Sprintf("%s in %s, after %d cases", r.Failed.Invariant, f.Path(), runs)
			}
		}
	}
	return ""
}

// A regression that was found by its trace fails if state outside the machine is back, and so does any
// with $all (PRP-5, PRP-8).
func TestCanariesAreFoundByRegressionsPlayedTwice(t *testing.T) {
	defer fsm.SetCanary("")
	const regression = "scenario: 1\nname: once\ntimeline: [{user: hi}, {at: 1h, user: again}]\nbrain: [{says: Hello.}, {says: Hello.}]\nexpect: {replies: {$len: 2}}\n"
	for _, canary := range fsm.Canaries("twice") {
		fsm.SetCanary(canary)
		for _, test := range []struct{ found, invariants string }{{"found: {by: small.property.yaml, invariant: trace}\n", "step >= 0"}, {"", "$all"}} {
			f := loadAll(t, fstest.MapFS{
				"p.property.yaml":    {Data: []byte(source + "regressions: ./*.scenario.yaml\ninvariants: [" + test.invariants + "]\n")},
				"once.scenario.yaml": {Data: []byte(regression + test.found)},
			})
			r := Check(f, Options{Seeds: 1})
			if r.Failed == nil || r.Failed.Regression == nil || !strings.HasSuffix(r.Failed.Fails(), "once.scenario.yaml fails: two runs gave two traces") {
				t.Errorf("the canary %s survives a regression with %q and %s: %+v", canary, test.found, test.invariants, r.Failed)
			}
		}
	}
}
