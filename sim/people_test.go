package sim

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/script"
)

// approvals is a request that calls a tool which a person decides about.
func approvals(calls int, timeline ...Moment) Plan {
	p := roundTrip()
	p.Stubs[0].Decl.Approve = true
	p.Stubs[0].Acts[0].Times = calls
	first := &p.Scripts[0].Lines[0]
	for range calls - 1 {
		first.Calls = append(first.Calls, first.Calls[0])
	}
	p.Timeline = append(p.Timeline, timeline...)
	return p
}

func decide(at fsm.Millis, approve bool) Moment {
	return Moment{At: at, Answer: &PersonAnswer{Decision: true, Approve: approve, By: "ann"}}
}

// decision is a Decided of a run.
type decision struct {
	At fsm.Millis
	fsm.Decided
}

func decisions(r *Result) (list []decision) {
	for _, s := range r.Steps {
		if in, ok := s.Input.Fact.(fsm.Decided); ok {
			list = append(list, decision{s.Input.At, in})
		}
	}
	return list
}

func TestAPersonDecidesWhenAsked(t *testing.T) {
	r := play(t, approvals(1, decide(5000, true)), Options{})
	if len(r.Ran) != 1 || len(r.Questions) != 1 || r.Questions[0].At != 1200 || len(r.Unexpected) != 0 {
		t.Fatalf("starts %v, questions %v, unexpected %v", r.Ran, r.Questions, r.Unexpected)
	}
	if got := decisions(r); len(got) != 1 || got[0].At != 5000 || got[0].Key != r.Questions[0].Key || got[0].By != "ann" {
		t.Errorf("decisions %+v", got)
	}
	if r := play(t, approvals(1, decide(5000, false)), Options{}); len(r.Ran) != 0 {
		t.Errorf("refused, and started %v", r.Ran)
	}
}

func TestAPersonWhoComesEarlyWaitsAndOneWhoComesLateIsIgnored(t *testing.T) {
	r := play(t, approvals(1, decide(0, true), decide(60_000, true)), Options{})
	got := decisions(r)
	if len(got) != 1 || got[0].At != 1200 || len(r.Unexpected) != 0 || len(r.Ran) != 1 {
		t.Errorf("decisions %+v, starts %v", got, r.Ran)
	}
	p := roundTrip()
	p.Timeline = append(p.Timeline, decide(0, true), Moment{At: 1, Answer: &PersonAnswer{Text: "x"}})
	r = play(t, p, Options{})
	if len(r.Unexpected) != 2 || !strings.Contains(r.Unexpected[0].What, "a decision, but no tool call waited for one") {
		t.Errorf("nobody asked, yet unexpected is %v", r.Unexpected)
	}
}

func TestQuestionsAreChosenByNumberAndTool(t *testing.T) {
	p := approvals(1)
	p.Config.Limits.MaxActive = 2
	p.Scripts[0].Lines = slices.Insert(p.Scripts[0].Lines, 1, p.Scripts[0].Lines[0])
	p.Scripts[0].Lines = append(p.Scripts[0].Lines, script.Line{Text: "too"})
	p.Stubs[0].Acts[0].Times = 2
	p.Timeline[0].Request.Session = "a"
	p.Timeline = append(p.Timeline, Moment{At: 100, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "b"}, Session: "b", Text: "?"}})
	first, other := decide(5000, true), decide(6000, true)
	first.Answer.Nth, other.Answer.Tool = 1, "other"
	last := decide(7000, false)
	p.Timeline = append(p.Timeline, first, other, last)
	r := play(t, p, Options{})
	got := decisions(r)
	if len(got) != 2 || got[0].Handle != 1 || got[1].Handle != 2 {
		t.Errorf("decisions %+v, want the first question's and then the other's", got)
	}
}

func TestCancelsAndConfigurationsAreSent(t *testing.T) {
	p := roundTrip()
	config := p.Config
	config.Switches.Cancel = fsm.CancelImmediate
	p.Timeline = append(p.Timeline,
		Moment{At: 100, Configure: &Configure{Config: config, Tools: []string{fsm.ToolSpawn}}},
		Moment{At: 200, Cancel: &Cancel{ID: "nobody's"}},
		Moment{At: 300, Cancel: &Cancel{}})
	r := play(t, p, Options{})
	if len(r.Requests) != 1 || r.Requests[0].Outcome != fsm.OutcomeCancelled || r.End != 300 {
		t.Errorf("requests %+v at %d", r.Requests, r.End)
	}
	if len(r.Unexpected) != 1 || !strings.Contains(r.Unexpected[0].What, "nobody's") {
		t.Errorf("unexpected %v", r.Unexpected)
	}
	if tools := r.Final.Config.Tools; len(tools) != 1 || tools[0].Name != fsm.ToolSpawn {
		t.Errorf("tools %+v", tools)
	}
	// A process that starts again has the configuration that holds.
	p.Crashes = []Crash{{Point: BeforeAppend, Nth: 3, After: fsm.Second}}
	if r := play(t, p, Options{}); r.Final.Config.Switches.Cancel != fsm.CancelImmediate || !r.Requests[0].Done {
		t.Errorf("after a crash: %+v, %+v", r.Final.Config.Switches, r.Requests)
	}
}

// HND-46: what a step sent that a crash lost is reported.
func TestMessagesAreThoseOfTheJournal(t *testing.T) {
	r := &run{result: &Result{Steps: []Step{{At: 5}}}, world: &world{}}
	r.world.result = r.result
	r.result.Steps[0].Effects = []fsm.Effect{
		fsm.SendMessage{Key: "a", Text: "once"}, fsm.SendMessage{Key: "a", Text: "once"}, fsm.Audit{Tool: "t", Attempts: 1}, fsm.Audit{Tool: "refused"}, fsm.AskPerson{Key: "k"},
	}
	r.world.sent = []string{"a", "b"}
	r.result.Gather()
	r.unsaid()
	if len(r.result.Messages) != 1 || r.result.Messages[0].At != 5 || len(r.result.Audits) != 1 || len(r.result.Questions) != 1 {
		t.Errorf("messages %v, audits %v, questions %v", r.result.Messages, r.result.Audits, r.result.Questions)
	}
	if len(r.result.Unexpected) != 1 || !strings.Contains(r.result.Unexpected[0].What, "message b") {
		t.Errorf("unexpected %v", r.result.Unexpected)
	}
}
