package export

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
)

// lived is the journal of a run.
func lived(t *testing.T, result *sim.Result) *engine.MemoryJournal {
	t.Helper()
	j := engine.NewMemoryJournal()
	b := engine.Batch{Requests: result.Requests}
	for _, s := range result.Steps {
		b.Records = append(b.Records, engine.Record{Index: s.Index, Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	return j
}

// suite are the cases of the project's scenarios that are played in the simulator.
func suite(t *testing.T) []*scenario.File {
	t.Helper()
	var list []*scenario.File
	fsys := os.DirFS("../../../scenarios")
	files, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Path, document.PropertySuffix) {
			continue
		}
		cases, err := scenario.Load(fsys, file.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range cases {
			if plan := f.Plan(); f.Replay == nil && !f.Script.Live && plan.Workspace == "" {
				list = append(list, f)
			}
		}
	}
	return list
}

// tally is how many requests were exported as scenarios.
type tally struct{ told, all, ran, due, acts int } // ran: runs, exported as replays; due: runs of events and schedules, of which as many are exported as scenarios

// export exports each request of a run both ways: as a replay it holds (SCN-46), as a
// scenario it does or is refused in words that name the step (SCN-47).
func (c *tally) export(t *testing.T, f *scenario.File, result *sim.Result) {
	t.Helper()
	j := lived(t, result)
	for _, q := range result.Requests {
		name := f.Path() + ": request " + q.Key.ID
		r, err := Read(j, q.Key)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", name, err)
		}
		replays(t, name, r)
		c.all++
		switch file, err := r.Scenario(); {
		case err == nil:
			c.told++
			doubtless(t, name, file)
		case !strings.Contains(err.Error(), "use --as replay"):
			t.Errorf("%s: got %v; want none, or one with %q", name, err, "use --as replay")
		default:
			t.Logf("%s: %v", name, err)
		}
	}
	c.runs(t, f, j)
}

// replays exports what was read as a replay, which holds and has its records (SCN-46).
func replays(t *testing.T, name string, r *Record) {
	t.Helper()
	if err := r.Redact(redact.New(), false); err != nil {
		t.Errorf("%s: got %v; want no error", name, err)
	}
	if file, err := r.Replay(); err != nil {
		t.Errorf("%s: %v", name, err)
	} else if len(file.result.Steps) != len(r.Steps) {
		t.Errorf("%s: %d steps; want %d", name, len(file.result.Steps), len(r.Steps))
	}
}

// doubtless wants an export in which there is nothing to find (SCN-21).
func doubtless(t *testing.T, name string, file *File) {
	t.Helper()
	told, err := scenario.Parse("a.scenario.yaml", file.Source)
	if err != nil {
		t.Fatalf("%s: got %v; want no error", name, err)
	}
	found, _ := scenario.Lint([]*scenario.File{told}, nil)
	for _, f := range found {
		t.Errorf("%s: lint finds %s\n%s", name, f.Detail(), file.Source)
	}
}

// runs exports each run as a replay that holds and has its records (SCN-46).
func (c *tally) runs(t *testing.T, f *scenario.File, j engine.Reader) {
	t.Helper()
	all, err := history.Runs(j, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range all {
		name := f.Path() + ": run " + run.Handle.Entry()
		h, err := history.OfRun(j, run)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", name, err)
		}
		r, err := ReadOf(j, h)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", name, err)
		}
		replays(t, name, r)
		c.ran++
		due := run.Kind == fsm.KindEvent || r.schedule() != nil
		if due {
			c.due++
		}
		switch file, err := r.Scenario(); {
		case err == nil && due:
			c.acts++
			doubtless(t, name, file)
		case err == nil || !strings.Contains(err.Error(), "use --as replay"):
			t.Errorf("%s: as a scenario: %v", name, err)
		case due:
			t.Logf("%s: %v", name, err)
		}
	}
}

// shareMin is the share of the suite's requests in percent that can be told as a
// scenario.
const shareMin = 99

// dueShareMin is the same of the runs of its events and schedules.
const dueShareMin = 95

func TestSCN47RequestsOfTheSuiteAreExportedAndPlayed(t *testing.T) {
	var c tally
	for _, f := range suite(t) {
		result, err := sim.Run(f.Plan(), sim.Options{})
		if err != nil {
			t.Fatalf("%s: got %v; want no error", f.Path(), err)
		}
		c.export(t, f, result)
	}
	t.Logf("%d of %d requests of the suite are exported as scenarios, %d as replays", c.told, c.all, c.all)
	t.Logf("%d of %d runs of events and schedules are exported as scenarios, %d runs as replays", c.acts, c.due, c.ran)
	if c.ran == 0 {
		t.Error("no run was exported")
	}
	if 100*c.acts < dueShareMin*c.due {
		t.Errorf("%d of %d runs of events and schedules; want %d %%", c.acts, c.due, dueShareMin)
	}
	if 100*c.told < shareMin*c.all {
		t.Errorf("%d of %d; want %d %%", c.told, c.all, shareMin)
	}
}

// The same of runs under any order of what is due at once, and with a crash anywhere.
func TestSCN46RequestsOfAnyRun(t *testing.T) {
	cases := suite(t)
	var c tally
	rapid.Check(t, func(rt *rapid.T) {
		f := cases[rapid.IntRange(0, len(cases)-1).Draw(rt, "case")]
		plan := f.Plan()
		o := sim.Options{Choose: sim.NewSeeded(rapid.Uint64Range(1, 1<<20).Draw(rt, "seed"))}
		if len(plan.Crashes) == 0 {
			o.CrashAt = rapid.IntRange(0, 60).Draw(rt, "crash")
		}
		result, err := sim.Run(plan, o)
		if err != nil {
			rt.Skip(err)
		}
		c.export(t, f, result)
		if t.Failed() {
			rt.FailNow()
		}
	})
	t.Logf("%d of %d requests are exported as scenarios", c.told, c.all)
}
