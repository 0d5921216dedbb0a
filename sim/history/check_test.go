package history_test

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/history"
)

// altered is a journal like j in which the effects of some records were others.
func altered(t *testing.T, j *engine.MemoryJournal, indexes ...uint64) *engine.MemoryJournal {
	t.Helper()
	b := engine.Batch{Records: slices.Clone(j.Records()), Requests: requestsOf(t, j)}
	for _, i := range indexes {
		b.Records[i-1].Effects++
	}
	out := engine.NewMemoryJournal()
	if err := out.Append(b, true); err != nil {
		t.Fatal(err)
	}
	return out
}

func requestsOf(t *testing.T, j *engine.MemoryJournal) []engine.Request {
	t.Helper()
	all, err := j.Requests(1<<62, engine.ReadMax)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Differences are reported for each request separately, its subagents included (JRN-27).
func TestJRN27RequestsAreDecidedAgainInOneFold(t *testing.T) {
	j := lived(t, "look", "delegate")
	records := j.Records()
	of := func(id string, kind string) uint64 {
		for _, s := range of(t, j, id).Steps {
			if fsm.InputKind(s.Input) == kind && s.Handle != 0 && s.Index > 4 {
				return s.Index
			}
		}
		t.Fatalf("%s has no %s", id, kind)
		return 0
	}
	look, delegate := of("look", "tool_answered"), of("delegate", "brain_answered")
	last := records[len(records)-1].Index
	got, err := history.Check(altered(t, j, look, delegate), requestsOf(t, j))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Requests) != 2 || got.Gone != 0 || len(got.Others) != 0 || uint64(got.Records) > last-1 {
		t.Fatalf("got %+v; want 2 Requests, Gone 0, no Others, at most %d Records", got, last-1)
	}
	for i, want := range []uint64{look, delegate} {
		r := got.Requests[i]
		if !slices.Equal(r.Differs, []uint64{want}) || r.Steps < 5 {
			t.Errorf("%s: %d steps, of which %v differ; want %d", r.Request.Key.ID, r.Steps, r.Differs, want)
		}
	}
	boot, err := history.Check(altered(t, j, delegate), requestsOf(t, j)[1:])
	if err != nil || len(boot.Requests) != 1 || len(boot.Requests[0].Differs) != 0 {
		t.Errorf("%+v, %v; want the first request alone, and that it is the same", boot, err)
	}
}
