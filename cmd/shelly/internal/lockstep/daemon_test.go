package lockstep

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// notInTheLoop lists the cases that the daemon's loop plays differently from the simulator, by
// file, each with the reason.
func notInTheLoop() map[string]string {
	return map[string]string{
		"faults/clock-jumps-forward.scenario.yaml": "the simulator looks at the wall clock every 30 s from when a slot is armed, the daemon 30 s after it last did something",
	}
}

// outside returns why a case is not for the daemon's loop, or "".
func outside(f *scenario.File) string {
	switch {
	case f.Replay != nil:
		return "a replay fixes every input of the machine, so the daemon has nothing to do"
	case f.Script.Live:
		return "its model is a live one"
	}
	p := f.Plan()
	full := func(m sim.Moment) bool { return m.Full != 0 }
	ofJournal := func(f sim.Fault) bool { return strings.HasPrefix(string(f.Kind), "journal.") }
	switch {
	case p.Workspace != "":
		return "its tools are the real ones"
	case len(p.Crashes) > 0, slices.ContainsFunc(p.Faults, ofJournal):
		return "its process dies"
	case slices.ContainsFunc(p.Timeline, full):
		return "its disk is full for a while, and the trace does not say when the inputs that are held then came"
	}
	return ""
}

// SIM-24: the daemon's own loop takes the steps of each simulated run.
func TestSIM24TheDaemonsLoopTakesTheSimulatedSteps(t *testing.T) {
	fsys := os.DirFS("../../../../scenarios")
	files, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	counts, listed, met := map[string]int{}, notInTheLoop(), map[string]bool{}
	for _, file := range files {
		cases, err := scenario.Load(fsys, file.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range cases {
			class := outside(f)
			if counts[class]++; class != "" {
				continue
			}
			met[f.Path()] = true
			t.Run(f.Path()+": "+f.Name, func(t *testing.T) { loops(t, f, listed[f.Path()]) })
		}
	}
	for file := range listed { // order-free: each is only looked up
		if !met[file] {
			t.Errorf("%s is listed as left out, but has no case that would be played", file)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%3d cases %s", counts[class], cmp.Or(class, "played"))
	}
}

// loops plays a case in the daemon's loop; it must hold, unless it is listed with a reason.
func loops(t *testing.T, f *scenario.File, listed string) {
	plan := f.Plan()
	simulated, err := sim.Run(plan, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	synctest.Test(t, func(t *testing.T) { wrong = newBubble(&plan, simulated).play(t.Context()) })
	switch {
	case listed == "" && len(wrong) > 0:
		t.Error(strings.Join(wrong, "\n"))
	case listed != "" && len(wrong) == 0:
		t.Errorf("it is listed as left out but holds; take it off the list, or say what is left out: %s", listed)
	}
}
