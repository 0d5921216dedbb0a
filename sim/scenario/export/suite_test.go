package export

import (
	"os"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/redact"
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

// suite calls fn for each case of the project's scenarios that runs in the simulator.
func suite(t *testing.T, fn func(f *scenario.File, result *sim.Result)) {
	t.Helper()
	fsys := os.DirFS("../../../scenarios")
	files, err := scenario.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Path, scenario.PropertySuffix) {
			continue
		}
		cases, err := scenario.Load(fsys, file.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range cases {
			if f.Replay != nil {
				continue
			}
			if result, err := sim.Run(f.Plan(), sim.Options{}); err == nil {
				fn(f, result)
			}
		}
	}
}

// Every request of every scenario is exported as a replay, which holds, whatever
// happened to it (SCN-46).
func TestSCN46EveryRequestOfTheSuiteIsReplayed(t *testing.T) {
	requests := 0
	suite(t, func(f *scenario.File, result *sim.Result) {
		j := lived(t, result)
		for _, q := range result.Requests {
			requests++
			r, err := Read(j, q.Key)
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, q.Key.ID, err)
				continue
			}
			if err := r.Redact(redact.New(), true); err != nil {
				t.Errorf("%s: %s: %v", f.Name, q.Key.ID, err)
			}
			if _, err := r.Replay(); err != nil {
				t.Errorf("%s: %s: %v", f.Name, q.Key.ID, err)
			}
		}
	})
	if requests == 0 {
		t.Error("no request was exported")
	}
	t.Logf("%d requests", requests)
}
