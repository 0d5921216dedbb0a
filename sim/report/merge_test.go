package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// back is a run as its JSON report holds it.
func back(t *testing.T, r *Run) *Run {
	t.Helper()
	var out bytes.Buffer
	must(t, JSON(&out, r))
	got, err := Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// prettyAll is all that people read of a run.
func prettyAll(t *testing.T, r *Run) string {
	t.Helper()
	var b bytes.Buffer
	for i := range r.Cases {
		must(t, PrettyCase(&b, &r.Cases[i], Options{Verbose: true, Times: true}))
	}
	must(t, PrettyEnd(&b, r, Options{Verbose: true, Times: true}))
	return b.String()
}

// SCN-65: a report that was written and read again is the same report, for people, for
// programs and for CI servers.
func TestSCN65AReportThatIsReadAgainIsTheSame(t *testing.T) {
	some := Share{Taken: 1, Of: 2, Missing: []string{"one"}}
	run := &Run{Cases: append(cases(t), made(), left()), Coverage: &Coverage{some, some, some, some, ""}, Times: true, Took: time.Second, Shard: "1/3", LeftOut: 2}
	again := back(t, run)
	if diff := cmp.Diff(prettyAll(t, run), prettyAll(t, again)); diff != "" {
		t.Errorf("for people, -written +read:\n%s", diff)
	}
	for name, write := range map[string]func(*Run) string{ // order-free: each for itself
		"JSON": func(r *Run) string { var b bytes.Buffer; _ = JSON(&b, r); return b.String() },
		"GitHub": func(r *Run) string {
			var b bytes.Buffer
			_ = Annotations(&b, r, func(s string) string { return s })
			return b.String()
		},
	} {
		if diff := cmp.Diff(write(run), write(again)); diff != "" {
			t.Errorf("%s, -written +read:\n%s", name, diff)
		}
	}
}

func TestSCN65JoinedShardsAreTheRun(t *testing.T) {
	all := append(cases(t), made(), left())
	whole := &Run{Cases: all, Coverage: &Coverage{Transitions: Share{3, 4, []string{"d"}}}}
	parts := []Part{
		{"one.json", &Run{Shard: "1/2", Coverage: &Coverage{Transitions: Share{2, 4, []string{"b", "d"}}}}},
		{"two.json", &Run{Shard: "2/2", Coverage: &Coverage{Transitions: Share{1, 4, []string{"a", "c", "d"}}}}},
	}
	for i := range all {
		if all[i].Name == "" { // a file that does not load is in each report
			parts[0].Cases, parts[1].Cases = append(parts[0].Cases, all[i]), append(parts[1].Cases, all[i])
			continue
		}
		parts[i%2].Cases = append(parts[i%2].Cases, all[i])
	}
	got, missing, err := Merge(parts)
	if err != nil || len(missing) > 0 {
		t.Fatalf("got %v missing, %v; want none", missing, err)
	}
	if got.Count() != whole.Count() || len(got.Cases) != len(all) {
		t.Errorf("got %+v, want %+v", got.Count(), whole.Count())
	}
	if diff := cmp.Diff(whole.Coverage, got.Coverage); diff != "" {
		t.Errorf("coverage, -whole +joined:\n%s", diff)
	}
}

// SCN-65: a shard without cases takes nothing and covers no rule, wherever it comes among the reports.
func TestSCN65AnEmptyShardCoversNothing(t *testing.T) {
	some := func(missing ...string) Share { return Share{2 - len(missing), 2, missing} }
	full := Part{"full", &Run{Shard: "1/2", Cases: []Case{left()}, Coverage: &Coverage{some("b"), some("b"), some("b"), some("A-2"), ""}}}
	none := Part{"none", &Run{Shard: "2/2", Coverage: &Coverage{some("a", "b"), some("a", "b"), some("a", "b"), Share{}, "no case was played"}}}
	lost := Part{"lost", &Run{Shard: "2/2", Cases: []Case{made()}, Coverage: &Coverage{some("a", "b"), some("a", "b"), some("a", "b"), Share{}, "no SPEC.md"}}}
	for _, test := range []struct {
		name  string
		parts []Part
		want  *Coverage
	}{
		{"an empty shard last", []Part{full, none}, full.Coverage},
		{"an empty shard first", []Part{none, full}, full.Coverage},
		{"nothing but empty shards", []Part{none}, none.Coverage},
		{"cases without a specification", []Part{full, lost}, &Coverage{some("b"), some("b"), some("b"), Share{}, "no SPEC.md"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := Merge(test.parts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Coverage); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// SCN-65: what is missing is reported; what cannot be told apart is refused.
func TestSCN65MissingAndOverlappingReportsAreSaid(t *testing.T) {
	part := func(name, shard string, cases ...Case) Part { return Part{name, &Run{Shard: shard, Cases: cases}} }
	a := left()
	for _, test := range []struct {
		name    string
		parts   []Part
		missing string
		wrong   string
	}{
		{"a shard is missing", []Part{part("a", "1/3"), part("c", "3/3")}, "shard 2/3 is missing", ""},
		{"one shard twice", []Part{part("a", "1/3"), part("b", "1/3")}, "", "shard 1/3 is in a and in b"},
		{"other divisions", []Part{part("a", "1/3"), part("b", "2/4")}, "", "b is of shard 2/4, but other reports are of 3 shards"},
		{"a shard and a whole run", []Part{part("a", "1/2"), part("b", "")}, "", "some of the reports are of shards"},
		{"one case twice", []Part{part("a", "", a), part("b", "", a)}, "", "left of l.scenario.yaml is in a and in b"},
		{"one report twice", []Part{part("a", "", a), part("a", "", a)}, "", "left of l.scenario.yaml is in a and in a"},
		{"a run that was stopped", []Part{{"a", &Run{LeftOut: 4}}}, "a: its run left out 4 cases", ""},
		{"nothing in the way", []Part{part("a", "1/1", a)}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, missing, err := Merge(test.parts)
			if strings.Join(missing, "\n") != test.missing {
				t.Errorf("missing: %q, want %q", missing, test.missing)
			}
			if (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want %q", err, test.wrong)
			}
		})
	}
}

func TestSCN65WhatIsNotAReportIsRefused(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		"":                            "is not a JSON report of shelly test",
		"[]":                          "is not a JSON report of shelly test",
		`{"version": 2, "cases": []}`: "is not a JSON report of version 1",
		`{"version": 1, "cases": [{"file": "a", "status": "failed"}]}`: `says "failed" and is "passed" by what it holds`,
		`{"version": 1, "failed": 1}`:                                  "it counts other cases than it has",
		`{"version": 1}`:                                               "it counts other cases than it has",
		`{"version": 1, "passed": 2, "cases": [{"file": "a", "name": "b", "status": "passed"}]}`: "it counts other cases than it has",
		`{"version": 1, "shard": "1/999999999", "cases": []}`:                                    "shard wants from 1 to 10000 parts, not 999999999",
		`{"version": 1, "shard": "3/2", "cases": []}`:                                            "shard wants a part from 1 to 2, not 3",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
