package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/script"
)

// casePlan is one request, and whatever else happens, with a script of its own.
func casePlan(lines []script.Line, moments ...sim.Moment) sim.Plan {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	config.Limits.MaxCognitionRounds = 1
	first := sim.Moment{At: 1, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "s", Text: "?"}}
	return sim.Plan{Config: config, Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: lines}}, Timeline: append([]sim.Moment{first}, moments...)}
}

// SIM-18: what may arrive in a case's world, in the order of its times.
func TestSIM8WhatArrivesInACasesWorld(t *testing.T) {
	other := profile.Shelly()
	other.Limits.MaxQueue = 7
	p := casePlan(nil,
		sim.Moment{At: 9, Signal: "TERM"},
		sim.Moment{At: 2, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Text: "again"}},
		sim.Moment{At: 3, Again: true},
		sim.Moment{At: 4, Event: &fsm.EventRaised{Source: "disk", Event: "full"}},
		sim.Moment{At: 5, Configure: &sim.Configure{Config: other}},
		sim.Moment{At: 6, Cancel: &sim.Cancel{}},
		sim.Moment{At: 7, Recalling: &sim.Service{Hangs: true}},
		sim.Moment{At: 8, Schedule: &fsm.ScheduleChanged{}},
		sim.Moment{At: 8, Answer: &sim.PersonAnswer{Decision: true, Approve: true}},
		sim.Moment{At: 10, Boot: true},
	)
	b := CaseWorld("x", &p)
	var names []string
	for _, a := range b.Case.arrivals {
		names = append(names, a.name)
	}
	want := []string{"request r1", "event", "another configuration", "cancel r1", "signal"}
	if !slices.Equal(names, want) || b.Starts != 1 {
		t.Errorf("%q and %d starts, want %q and 1", names, b.Starts, want)
	}
	if want := []string{"a request that is sent again", "a change of a service", "a schedule"}; !slices.Equal(b.Case.LeftOut, want) {
		t.Errorf("%q are left out; want %q", b.Case.LeftOut, want)
	}
	if got := b.Case.configs[2].Limits.MaxQueue; got == 7 {
		t.Error("a process that starts before the change has the configuration after it")
	}
	if got := b.Case.configs[3].Limits.MaxQueue; got != 7 {
		t.Errorf("a process that starts after the change has max_queue %d", got)
	}
}

// SIM-18: a person may decide for the session where somebody does, and the file of grants is
// there from the first start on.
func TestSIM18WhatPeopleGrantInACasesWorld(t *testing.T) {
	granted := []fsm.Grant{{Tool: "exec", Any: true}}
	for _, test := range []struct {
		moments []sim.Moment
		want    bool
	}{
		{[]sim.Moment{{At: 2, Answer: &sim.PersonAnswer{Decision: true, Approve: true}}}, false},
		{[]sim.Moment{{At: 2, Answer: &sim.PersonAnswer{Decision: true, Approve: true, Grant: fsm.GrantSession}}}, true},
		{[]sim.Moment{{At: 2, Revoke: &sim.Revoke{}}}, true},
	} {
		p := casePlan(nil, append(test.moments, sim.Moment{At: 3, Configure: &sim.Configure{Config: profile.Shelly()}})...)
		p.Grants = granted
		b := CaseWorld("x", &p)
		if b.Grants != test.want {
			t.Errorf("%v: got grants %v, want %v", test.moments, b.Grants, test.want)
		}
		for i, c := range b.Case.configs {
			if diff := cmp.Diff(granted, c.Grants); diff != "" {
				t.Errorf("configuration %d: %s", i, diff)
			}
		}
	}
}

// SIM-18: any line of the script answers any call, each once; one that hangs is none.
func TestSIM18TheAlphabetOfACaseIsItsScripts(t *testing.T) {
	p := casePlan([]script.Line{{Text: "a"}, {Text: "a", Takes: 5}, {Hangs: true}, {Fails: fsm.BrainBusy}})
	p.Stubs = []sim.Stub{{Decl: fsm.ToolDecl{Name: "exec"}, Acts: []sim.Act{{Returns: "x"}, {Returns: "x", Times: 3}, {Deaf: true}, {Reads: "file"}}}}
	c := CaseWorld("x", &p).Case
	ask := &state.Handle{
		Accepted:  state.Accepted{Session: "s"},
		Inferring: state.Inferring{Inf: state.Inference{Begun: state.Begun{Purpose: fsm.PurposeAnswer}}},
		Pending:   state.Pending{Await: state.Await{Call: 4, Kind: fsm.CallBrain}},
	}
	want := []action{
		{"model gives answer 1 to answer", fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(4), Stop: fsm.StopEndTurn, Text: "a"}}},
		{"model gives answer 3 to answer", fsm.Input{Fact: fsm.BrainFailed{Answered: fsm.To(4), Class: fsm.BrainBusy}}},
	}
	if diff := cmp.Diff(want, c.answers(ask, ask.Await), cmp.AllowUnexported(action{})); diff != "" {
		t.Error(diff)
	}
	run := &state.Handle{
		Inferring: state.Inferring{Inf: state.Inference{Round: state.Round{Calls: []fsm.ToolCall{{Name: "exec"}}}}},
		Pending:   state.Pending{Await: state.Await{Call: 5, Kind: fsm.CallTool}},
	}
	want = []action{
		{"exec gives answer 1", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(5), Text: "x"}}},
		{"exec gives answer 3", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(5), Text: "there is no file", Failed: true}}},
	}
	if diff := cmp.Diff(want, c.answers(run, run.Await), cmp.AllowUnexported(action{})); diff != "" {
		t.Error(diff)
	}
}

// SIM-18: a call that nothing answers ends at its deadline, and as nothing else would end it, that is
// no time-out of the world's.
func TestSIM18ACallThatNothingAnswersIsOverdue(t *testing.T) {
	p := casePlan([]script.Line{{Calls: []fsm.ToolCall{{Name: "exec", Args: "{}"}}}, {Hangs: true}})
	p.Stubs = []sim.Stub{{Decl: fsm.ToolDecl{Name: "exec", Effects: fsm.EffectsUnsafe}, Acts: []sim.Act{{Hangs: true}, {Returns: "x", Lost: true}}}}
	b := CaseWorld("x", &p)
	b.Case.Check = func() Check {
		return func(in fsm.Input, moves []state.Move, _ []fsm.Effect, _ *state.Snapshot) *check.Violation {
			_, answered := in.Fact.(fsm.ToolAnswered)
			if answered && slices.ContainsFunc(moves, func(m state.Move) bool { return m.To == state.Thinking }) {
				return &check.Violation{Text: "the model is asked with what a tool that hangs has answered"}
			}
			return nil
		}
	}
	if r := Run(b); r.Found != nil || !r.Complete || r.Resting == 0 {
		t.Errorf("got %+v, complete: %v, at rest: %d; want a whole walk without an answer of the tool", r.Found, r.Complete, r.Resting)
	}
	p = casePlan([]script.Line{{Hangs: true}})
	if r := Run(CaseWorld("x", &p)); r.Found != nil || !r.Complete || r.Resting == 0 {
		t.Errorf("got %+v, complete: %v, at rest: %d; want a whole walk that rests", r.Found, r.Complete, r.Resting)
	}
	for _, test := range []struct {
		handle state.Handle
		want   fsm.TimerID
	}{
		{state.Handle{Pending: state.Pending{Timer: 6, Wait: 7, Await: state.Await{Call: 4, Kind: fsm.CallBrain}}}, 7},
		{state.Handle{Pending: state.Pending{Timer: 6, Await: state.Await{Call: 4, Kind: fsm.CallBrain}}}, 6},
		{state.Handle{Pending: state.Pending{Await: state.Await{Call: 4, Kind: fsm.CallBrain}}}, 0},
	} {
		got := overdue(&test.handle)
		if test.want == 0 && (got == nil || len(got) > 0) || test.want != 0 && !cmp.Equal(got[0].input.Fact, fsm.Fact(fsm.TimerFired{Timer: test.want})) {
			t.Errorf("got %+v; want timer %d", got, test.want)
		}
	}
}

// SIM-17: in a case's world the texts tell states apart, since they may decide.
func TestSIM7TextsTellTheStatesOfACaseApart(t *testing.T) {
	walk := func(lines ...script.Line) Result {
		p := casePlan(lines)
		return Run(CaseWorld("x", &p))
	}
	one, two := walk(script.Line{Text: "a"}), walk(script.Line{Text: "a"}, script.Line{Text: "b"})
	if !one.Complete || !two.Complete || two.Unique <= one.Unique {
		t.Errorf("%d states with one answer, %d with two", one.Unique, two.Unique)
	}
}
