package judge_test

import (
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario"
)

// looks is a case of a tool that is asked again after a crash.
const looks = `scenario: 1
name: looks
profile: shelly
tools: {look: [{returns: x, effects: idempotent, times: 3}]}
brain: [{calls: [{tool: look}]}, {says: Done.}]
timeline: [{user: Look}]
`

// SCN-54: each claim that holds without a crash and breaks after one fails the case, once,
// unless it is excused.
func TestSCN54ClaimsHoldAfterEachCrash(t *testing.T) {
	for _, test := range []struct{ claim, may, broken string }{
		{`never: ["crashes > 0"]`, `"never[0]"`, "never[0]"},
		{`always: ["epoch == 1"]`, `"always[0]"`, "always[0]"},
		{`never: [{state: parked, handle: 7}]`, ``, ""},
		{`expect: {tools: {look: {starts: 1}}}`, `starts.look`, "expect.tools.look.starts"},
		{`expect: {tools: {look: {uses: 1}}}`, ``, ""},
		{`expect: {replies: [Done.], memory: {entries: 1}, messages: []}`, ``, ""},
	} {
		o := outcome(t, looks+test.claim+"\nfaults: {crash: {at: $every}}\n")
		if test.broken == "" && o.OK() {
			continue
		}
		if len(o.Failures) != 1 || o.Failures[0].Path != test.broken || !strings.Contains(o.Failures[0].Text, "with a crash; the first, at point") {
			t.Errorf("%s: got %v; want 1 failure at %q, with a crash", test.claim, o.Failures, test.broken)
			continue
		}
		if o := outcome(t, looks+test.claim+"\nfaults: {crash: {at: $every, may_change: ["+test.may+"]}}\n"); !o.OK() || len(o.Needless) != 0 {
			t.Errorf("%s, excused: %v, needless %v", test.claim, o.Failures, o.Needless)
		}
	}
}

// SCN-54: what --every-crash runs is held to always and never.
func TestSCN54ClaimsHoldWithEveryCrash(t *testing.T) {
	f, err := scenario.Parse("f.scenario.yaml", []byte(looks+"never: [\"crashes > 0\"]\nexpect: {replies: [Done.], tools: {look: {starts: 1}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.CrashEverywhere()
	o := f.Run(sim.Options{})
	if len(o.Failures) != 1 || o.Failures[0].Path != "never[0]" || !strings.HasSuffix(o.Failures[0].Again, " --every-crash") {
		t.Errorf("failures %v", o.Failures)
	}
	if got := strings.Join(o.StraightOnly, " "); got != "expect.replies expect.tools" {
		t.Errorf("held only without a crash: %s", got)
	}
}

// SCN-54: an exception that no run needs is a finding, one for no claim of the case an
// error.
func TestSCN54ExceptionsThatNobodyNeeds(t *testing.T) {
	const claims = "expect: {replies: [Done.], tools: {look: {starts: 1}}}\n"
	f, err := scenario.Parse("f.scenario.yaml", []byte(looks+claims+"faults: {crash: {at: $every, may_change: [replies, starts.look]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	found, notes := scenario.Lint([]*scenario.File{f}, nil)
	if len(found) != 1 || !strings.Contains(found[0].String(), "may_change[0]: replies holds after every crash") {
		t.Errorf("found %v", found)
	}
	if len(notes) != 1 || !strings.HasSuffix(notes[0].String(), "held only without a crash: expect.replies") {
		t.Errorf("notes %v", notes)
	}
	_, err = scenario.Parse("f.scenario.yaml", []byte(looks+claims+"faults: {crash: {at: $every, may_change: [starts.lok]}}\n"))
	if err == nil || !strings.Contains(err.Error(), "did you mean starts.look?") {
		t.Errorf("error %v", err)
	}
}

// SCN-54: of each number that a case expects every run is held to it, and of memory to what the case has
// added: one that is excused and holds each time is an exception that no run needs.
func TestSCN54EachNumberIsHeldToInEveryRun(t *testing.T) {
	for claim, expect := range map[string]string{ // order-free: each for itself
		"memory":    "memory: {entries: 1}",
		"replies":   "replies: {$len: 1}",
		"messages":  "messages: []",
		"uses.look": "tools: {look: {uses: {$lt: 2}}}",
	} {
		o := outcome(t, looks+"memory: [{summary: Old.}]\nexpect: {"+expect+"}\nfaults: {crash: {at: $every, may_change: ["+claim+"]}}\n")
		if !o.OK() || len(o.Needless) != 1 || o.Needless[0] != claim {
			t.Errorf("%s: got %v, needless %v; want this one", expect, o.Failures, o.Needless)
		}
	}
}

// SCN-54: an exception is for the claim that it names, and for no other.
func TestSCN54AnExceptionExcusesNoOtherClaim(t *testing.T) {
	o := outcome(t, looks+"never: [\"crashes > 0\"]\nexpect: {tools: {look: {starts: 1}}}\nfaults: {crash: {at: $every, may_change: [starts.look]}}\n")
	if len(o.Failures) != 1 || o.Failures[0].Path != "never[0]" {
		t.Errorf("got %v; want one failure of never", o.Failures)
	}
}

// SIM-6: a case that has a crash of its own is not run once more for each point.
func TestSIM6ACaseWithACrashOfItsOwnIsNotCrashedEverywhere(t *testing.T) {
	f, err := scenario.Parse("f.scenario.yaml", []byte(looks+"faults: {crash: {at: effect.after, effect: run_tool}}\nexpect: {replies: [Done.]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.CrashEverywhere()
	if o := f.Run(sim.Options{}); !o.OK() || o.Points != 0 {
		t.Errorf("got %d points, %v; want no points and no failure", o.Points, o.Failures)
	}
}

// SCN-24: a crash whose point never came fails the case, unless it is optional.
func TestSCN24ACrashThatNeverHappensFails(t *testing.T) {
	for faults, want := range map[string]string{ // order-free: each for itself
		"{crash: {at: step.99}}":                                    "faults.crash",
		"{crash: [{at: step.2}, {at: effect.before, nth: 99}]}":     "faults.crash[1]",
		"{crash: {at: step.99, optional: true}}":                    "",
		"{crash: {at: effect.after, effect: run_tool, nth: 1}}":     "",
		"{crash: [{at: step.2}, {at: step.98}, {at: step.99}]}":     "faults.crash[1] faults.crash[2]",
		"{crash: {at: effect.after, effect: send_message, nth: 1}}": "faults.crash",
	} {
		o := outcome(t, looks+"faults: "+faults+"\nexpect: {replies: [Done.]}\n")
		var got []string
		for _, f := range o.Failures {
			got = append(got, f.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got failures at %q; want %q", faults, got, want)
		}
	}
}
