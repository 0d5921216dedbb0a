package hindsight

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"shelly/runtime/comm"
)

// delegates is a request that starts two subagents, one after the other.
const delegates = `scenario: 1
name: delegates
profile: default
config: {no_cognition: true, remember: off}
brain:
  - calls: [{tool: spawn, args: {task: "Count the lines."}}]
  - calls: [{tool: spawn, args: {task: "Count the words."}}]
  - says: "They are at it."
  - says: "Ten lines."
  - says: "Twenty words."
brain_for:
  subagent: [{says: "Ten."}, {says: "Twenty."}]
timeline: [{user: "How many?"}]
expect: {ends: serving}
`

func TestCOM85RunsAreListedInOrderWithAPositionToContinueFrom(t *testing.T) {
	s := serveScenario(t, delegates)
	var all, part RunsBody
	if p := s.do("GET", "/v1/runs", "", &all); p != nil || len(all.Runs) < 2 || all.Next != 0 {
		t.Fatalf("%v: got %+v; want nil, at least 2 Runs, Next 0", p, all)
	}
	before := ""
	for i, want := range all.Runs {
		if i > 0 && want.Handle >= all.Runs[i-1].Handle || want.Kind == "" || !want.Done {
			t.Errorf("run %d: %+v", i, want)
		}
		part = RunsBody{}
		p := s.do("GET", "/v1/runs?limit=1"+before, "", &part)
		if p != nil || len(part.Runs) != 1 || !reflect.DeepEqual(part.Runs[0], want) || (part.Next == 0) != (i == len(all.Runs)-1) {
			t.Fatalf("part %d: %v: %+v", i, p, part)
		}
		before = fmt.Sprintf("&before=%d", part.Next)
	}
	for query, want := range map[string]int{"?state=done": len(all.Runs), "?state=held": 0, "?session=elsewhere": 0} {
		part = RunsBody{}
		if p := s.do("GET", "/v1/runs"+query, "", &part); p != nil || len(part.Runs) != want || part.Runs == nil {
			t.Errorf("%s: %v: %d runs, not %d", query, p, len(part.Runs), want)
		}
	}
	for range tracesMax {
		s.h.traces <- struct{}{}
	}
	if p := s.do("GET", "/v1/runs", "", &part); p == nil || p.Code != comm.CodeBusy {
		t.Errorf("one too many: %+v", p)
	}
}

func TestCOM85AnAnswerOfRunsIsBounded(t *testing.T) {
	b := RunsBody{Runs: []comm.Record{{Handle: 9, Text: strings.Repeat("x", runsBytes)}, {Handle: 8}, {Handle: 7}}}
	if err := b.cut(); err != nil || len(b.Runs) != 1 || b.Next != 9 {
		t.Errorf("%v: %d runs, next %d", err, len(b.Runs), b.Next)
	}
}

func TestCOM85ARunHasStepsAndAReport(t *testing.T) {
	s := serveScenario(t, delegates)
	var all RunsBody
	s.do("GET", "/v1/runs", "", &all)
	id := ""
	for _, r := range all.Runs {
		if strings.Contains(r.Text, "Count the words.") {
			id = r.ID
		}
	}
	var b TraceBody
	if p := s.do("GET", "/v1/runs/"+id+"/trace", "", &b); p != nil || len(b.Steps) == 0 {
		t.Fatalf("run %q: %v: %d steps", id, p, len(b.Steps))
	}
	for _, step := range b.Steps {
		if len(step.Edits) > 0 {
			t.Errorf("step %d: a run cannot be forked: %v", step.N, step.Edits)
		}
	}
	var made ReportBody
	if p := s.do("POST", "/v1/runs/"+id+"/report", "", &made); p != nil || !strings.Contains(string(s.shown), "Count the words.") || strings.Contains(string(s.shown), "not finished") {
		t.Errorf("the report: %v; the run is not finished in it: %t", p, strings.Contains(string(s.shown), "not finished"))
	}
	// Neither a channel nor a client, which name a request, can be given here.
	if p := s.do("GET", "/v1/runs/h999/trace", "", &b); p == nil || p.Code != comm.CodeNotFound || p.Message != "there is no run h999" || p.Hint != "GET /v1/runs lists those that the journal has" {
		t.Errorf("a run that there is not: got %+v", p)
	}
	for path, want := range map[string]comm.Code{"/v1/runs/x/trace": comm.CodeBadRequest, "/v1/runs?state=odd": comm.CodeBadRequest, "/v1/runs?limit=x": comm.CodeBadRequest, "/v1/runs?limit=0": comm.CodeBadRequest, "/v1/runs?colour=red": comm.CodeBadRequest, "/v1/graphs?colour=red": comm.CodeBadRequest} {
		if p := s.do("GET", path, "", &b); p == nil || p.Code != want || p.Hint == "" {
			t.Errorf("%s: got %+v; want not nil, Code %q, some Hint", path, p, want)
		}
	}
}
