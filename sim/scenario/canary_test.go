//go:build canary

package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/explore"
)

// finder is a part of the proof: it looks for whatever is wrong and says what it
// found after how much work, or nothing.
type finder struct {
	name string
	look func(t *testing.T) string
}

// canaryStates bounds the walks of the worlds, each bound for all of them before the
// next. The shortest counterexamples are near the start, so that a walk cut short
// mostly finds what a whole one would.
func canaryStates() []int { return []int{1_000, 30_000} }

// A nest is where a canary was found before: by crashing which case, and by playing which. A
// search begins there and goes on with the rest, so that it is short while the nest is right
// and as good as ever once it is not.
type nest struct{ crashed, played string }

func nests() map[string]nest {
	return map[string]nest{
		"arrival_order":   {"reads/every-batch", "reads/cancel-at-once"},
		"dropped_timer":   {"countbot/every-cancel", "countbot/every-cancel"},
		"eaten_question":  {"omniemployee/compaction-every-crash", "default/repeats-over-a-compaction"},
		"orphaned_call":   {"default/every-cancel", "default/a-hung-model"},
		"queue_lost":      {"faults/every-shutdown", "default/cancel-while-draining"},
		"reply_twice":     {"default/every-cancel", "default/approval-clock-stands-still"},
		"rerun_tool":      {"countbot/every-unsafe-retry", "countbot/every-unsafe-retry"},
		"session_leak":    {"default/every-memory", "cost/two-sessions"},
		"stale_answer":    {"faults/every-place", "default/places"},
		"starvation":      {"faults/every-place", "default/events-take-turns-with-users-alone"},
		"unbounded_retry": {"faults/every-crash-beside-faults", "default/a-hung-model"},
		"unsynced_reply":  {"countbot/every-cancel", "countbot/every-cancel"},
		"unsynced_tool":   {"countbot/every-unsafe-retry", "countbot/every-unsafe-retry"},
	}
}

// beginningAt returns the cases with those of a file first.
func beginningAt(file string, cases []*File) []*File {
	there := func(f *File) int {
		if file != "" && strings.HasPrefix(f.Path(), file+".") {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(cases), func(a, b *File) int { return there(a) - there(b) })
}

func finders(canary string, cases []*File) []finder {
	before := nests()[canary]
	return []finder{
		{"explorer", lookByExploring},
		{"matrix", func(t *testing.T) string { return lookByCrashing(t, beginningAt(before.crashed, askedFirst(cases))) }},
		{"scenarios", func(t *testing.T) string { return lookByPlaying(t, beginningAt(before.played, cases)) }},
	}
}

func lookByExploring(*testing.T) string {
	states := 0
	for _, bound := range canaryStates() {
		for _, world := range explore.Worlds() {
			world.StatesMax = bound
			x := explore.Run(world)
			states += x.Unique
			if x.Found != nil {
				return fmt.Sprintf("%s in world %s, %d steps from the start, after %d states", x.Found.Invariant, world.Name, len(x.Found.Path), states)
			}
		}
	}
	return ""
}

// askedFirst returns the cases with those first that ask to be crashed at each point.
func askedFirst(cases []*File) []*File {
	asked := func(f *File) int {
		if f.EveryCrash() {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(cases), func(a, b *File) int { return asked(a) - asked(b) })
}

// lookByCrashing crashes every case that has no crash of its own.
func lookByCrashing(t *testing.T, cases []*File) string {
	points := 0
	for _, f := range cases {
		plan := f.Plan()
		if len(plan.Crashes) > 0 || f.Replay != nil || f.Script.Live || f.Tools.Real {
			continue
		}
		m, err := crash.Matrix(plan, sim.Options{})
		if err != nil {
			return fmt.Sprintf("%s: %v", f.Path(), err)
		}
		points += m.Points
		if len(m.Failures) > 0 {
			return fmt.Sprintf("%s, %s, after %d points", m.Failures[0].Text, f.Path(), points)
		}
	}
	return ""
}

func lookByPlaying(t *testing.T, cases []*File) string {
	for i, f := range cases {
		if o := f.Run(sim.Options{}); !o.OK() && o.Skipped == "" {
			return fmt.Sprintf("%s fails, after %d cases", f.Path(), i+1)
		}
	}
	return ""
}

// Each canary is found by each part of the proof (SIM-12). One that only the
// scenarios found would be a bug that somebody had thought of.
func TestCanariesAreFound(t *testing.T) {
	cases := projectCases(t)
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("machine") {
		t.Run(canary, func(t *testing.T) {
			fsm.SetCanary(canary)
			for _, f := range finders(canary, cases) {
				found := f.look(t)
				t.Logf("%-9s  %s", f.name, cmp.Or(found, "-"))
				if found == "" {
					t.Errorf("the canary %s survives the %s", canary, f.name)
				}
			}
		})
	}
}

// State outside the machine lets each case pass, and shows in a second run (SIM-12, SCN-11).
func TestCanariesAreFoundByASecondRun(t *testing.T) {
	defer fsm.SetCanary("")
	for _, canary := range fsm.Canaries("twice") {
		fsm.SetCanary(canary)
		if found := lookByPlayingTwice(projectCases(t)); found == "" {
			t.Errorf("the canary %s survives a second run", canary)
		} else {
			t.Logf("twice      %s", found)
		}
	}
}

func lookByPlayingTwice(cases []*File) string {
	for i, f := range cases {
		if o, again := f.Run(sim.Options{}), f.Run(sim.Options{}); o.OK() && again.Hash() != o.Hash() {
			return fmt.Sprintf("%s passes, and has another trace the second time, after %d cases", f.Path(), i+1)
		}
	}
	return ""
}
