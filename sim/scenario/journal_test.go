package scenario

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/scenario/casetest"
	"shelly/sim/scenario/document"
)

// journalOf plays a case and returns its journal.
func journalOf(t *testing.T, f *File) *engine.MemoryJournal {
	t.Helper()
	o := uncrashed(f).Run(sim.Options{})
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	return journalWith(t, recordsOf(o.Result))
}

func recordsOf(r *sim.Result) []engine.Record {
	var records []engine.Record
	for _, s := range r.Steps {
		records = append(records, engine.Record{Index: s.Index, Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	return records
}

func journalWith(t *testing.T, records []engine.Record) *engine.MemoryJournal {
	t.Helper()
	j := engine.NewMemoryJournal()
	if err := j.Append(engine.Batch{Records: records}, true); err != nil {
		t.Fatal(err)
	}
	return j
}

// The journal of every case is as the tables say, step by step (JRN-17).
func TestJRN17TheJournalsOfTheScenariosAreValid(t *testing.T) {
	for _, f := range projectCases(t) {
		if missing(f.File, sim.Options{}) != "" {
			continue
		}
		v, err := engine.Validate(journalOf(t, f))
		if err != nil || v.Wrong != nil {
			t.Errorf("%s: got %v %v; want nil", f.Path(), err, v.Wrong)
		}
	}
}

// committed are the scenarios whose journals are kept in testdata/journals: what an
// older build has written must cause the same with this one. They are of every
// profile, with crashes, shutdowns, people, compactions, subagents and schedules.
func committed() []string {
	return []string{
		"countbot/calls-are-capped", "countbot/history-overflow", "default/approval-given-before-a-crash", "default/bad-arguments-of-builtin-tools", "default/back-off-starts-over",
		"default/hold-survives-a-restart", "default/event-tells-a-chat", "default/heartbeat", "faults/crash-while-stopping", "faults/every-shutdown", "nanobot/crash-in-a-consolidation", "nanobot/crash-in-a-spawn", "nanobot/schedules",
		"omniemployee/compaction", "omniemployee/flight-booking", "server/a-compression-that-crashes", "shelly/need-found",
	}
}

// earlier are further journals, each written by a build before the edition of the machine's decisions that it is
// named after (INF-25). Today's would write others.
func earlier() []string {
	return []string{
		"default/calls-before-the-sixteenth-edition", "default/calls-before-the-seventeenth-edition", "default/calls-before-the-eighteenth-edition",
		"default/calls-before-the-nineteenth-edition", "default/times-before-the-twentieth-edition",
		"default/a-first-look-before-the-twenty-first-edition",
	}
}

// A committed journal replays to the effects that it was recorded with (JRN-18).
// -update records again: that is to say in the change that needs it, since the
// journals of the users do not change with it.
func TestJRN18CommittedJournalsReplayAlike(t *testing.T) {
	for _, name := range slices.Concat(committed(), earlier()) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "journals", strings.ReplaceAll(name, "/", "-")+".jsonl")
			if casetest.Update() && slices.Contains(committed(), name) {
				f, err := LoadOne(os.DirFS("../../scenarios"), name+document.Suffix)
				if err != nil {
					t.Fatal(err)
				}
				o := f.Run(sim.Options{})
				var file bytes.Buffer
				if err := engine.WriteJournal(&file, journalWith(t, recordsOf(o.Result)), 0, math.MaxUint64); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			j, err := engine.ReadJournal(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			v, err := engine.Validate(j)
			if err != nil || v.Wrong != nil {
				t.Fatalf("got %v %v; want nil", err, v.Wrong)
			}
			var again bytes.Buffer
			if err := engine.WriteJournal(&again, j, 0, math.MaxUint64); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(file), again.String()); diff != "" {
				t.Errorf("read and written again (-want +got):\n%s", diff)
			}
		})
	}
}
