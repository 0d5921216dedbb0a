package judge_test

import (
	"errors"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
	"shelly/sim/strict"
)

const start = "scenario: 1\nname: x\n"

func TestSCN31ExpressionsAreCheckedWhenTheFileIsLoaded(t *testing.T) {
	_, err := scenario.Parse("wrong.scenario.yaml", []byte(start+`always:
  - activ <= limits.max_active
  - 'active < limits.max_activ'
  - "all(handles, .stat == 'x')"
  - all(handles, .state == "thinking")
  - active
  - {that: "active < 1", when: 'inpt == "boot"'}
  - |
    active < 1 and
      lifecycle == "servin"
  - >
    active < 1 and
    now <
  - "lifecycle == \"servin\""
  - "now < duration('5 s')"
  - "'set_time' in effects"
  - input in ["boot", "bot"]
  - lifecycle == 1
  - active <
  - any(handles, # > 1)
  - len(keys(tools)) == 0
  - now() > 3
  - sum([1, 2], reduce(handles, #acc + .id, 0)) > 3
  - len(1..3) == 3
  - lifecycle + "x" == "y"
  - len([[1], [2]]) == 2
  - len(map(handles, handles)) == 2
  - 'len({"a": 1}) == 2'
  - handles == []
  - "'servin' == lifecycle"
  - $env["now"] == 1
  - ""
  - [a]
  - true
  - {that: "now > 1", whn: "now > 2"}
  - {when: "now > 2"}
never:
  - "`+strings.Repeat("1 + ", 200)+`1 == 2"
`))
	var load *strict.Error
	if !errors.As(err, &load) {
		t.Fatalf("got %v; want a *strict.Error", err)
	}
	casetest.SameAsFile(t, "expressions", load.Detail())
}

// Each expression is true after the last step of the run of world.
func TestSCN31WhatIsMeantIsSaid(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		"active = 1":                   "= compares nothing; write ==, <= or >=",
		"active =< 1":                  "= compares nothing; write ==, <= or >=",
		"none(effects, # == 'replly')": "unknown effect replly; did you mean reply?",
		"all(effects, 'replly' != # or # in ['reply', 'notfy'])":          "unknown effect replly",
		"count(effects, # in ['reply', 'notfy']) == 0":                    "unknown effect notfy; did you mean notify?",
		"effects != ['replly']":                                           "unknown effect replly",
		"effects[0] != 'replly'":                                          "unknown effect replly",
		"first(effects) != 'replly' or last(effects) == 'reply'":          "unknown effect replly",
		"none(handles, hasPrefix(.state, 'actng'))":                       "no state of an unfinished handle begins with \"actng\"; allowed: queued, ",
		"indexOf(lifecycle, 'servng') < 0":                                "no state of the lifecycle contains",
		"none(handles, .kind contains 'usr')":                             "no kind contains",
		"none(handles, .inference matches '^actng')":                      "no state of an inference matches",
		"not (input startsWith 'bot_')":                                   "no input begins with",
		"none(effects, # endsWith 'tools')":                               "no effect ends with",
		"none(effects, hasSuffix(#, 'tools'))":                            "no effect ends with",
		"none(handles, lower(.state) == 'Queued')":                        "unknown state of an unfinished handle Queued; did you mean queued?",
		"upper(lifecycle) != 'STOPED'":                                    "unknown state of the lifecycle STOPED; did you mean STOPPED?",
		"not ('actng' in map(handles, .inference))":                       "unknown state of an inference actng; did you mean acting?",
		"first(map(handles, .inference)) != 'actng'":                      "unknown state of an inference actng",
		"none(map(handles, .kind), # == 'usr')":                           "unknown kind usr; did you mean user?",
		"find(handles, .replied)?.state != 'quued'":                       "unknown state of an unfinished handle quued",
		"none(map(map(handles, .kind), upper(#)), # in ['USER', 'EVNT'])": "unknown kind EVNT; did you mean EVENT?",
		"(active > 1 ? 'busy' : lifecycle) != 'servng'":                   "unknown state of the lifecycle servng; did you mean serving?",
		"input != nil":             "input is always there; compare it with what it may be",
		"nil != limits.max_active": "limits.max_active is always there",
		"handles.count > 1":        "a list has no fields; write count(handles, .state == 'queued'), or any, all, filter or map",
	} {
		_, err := scenario.Parse("wrong.scenario.yaml", []byte(start+"always: [\""+text+"\"]\n"))
		if err == nil || !strings.Contains(err.Error(), "always[0]: "+want) {
			t.Errorf("%s: got %v; want an error with %q", text, err, want)
		}
	}
}

func TestSCN31NamesOfTheStateAfterAStep(t *testing.T) {
	for _, text := range []string{
		"now == duration('40s')", "step == 15", "epoch == 1", "crashes == 0", "input == 'stored'", "effects == ['clear_timer', 'exit']",
		"lifecycle == 'stopped'", "len(handles) == 0", "active + subagents + queued + parked == 0", "requests == 1", "replies == 1", "asked == 6",
		"tools.exec == 1", "tools['none'] == 0", "memory == 2", "limits.max_active == 1", "limits.handle_timeout == duration('300s')",
		"len(filter(map(handles, .age), # > 1)) == 0", "none(handles, .inference == 'acting')", "find(handles, .id == 7)?.state == nil",
		"first(sort(uniq(map(effects, upper(#))))) == 'CLEAR_TIMER'", "any(effects, # == 'exit') and effects[1] == 'exit'", "find(effects, # == 'reply') == nil",
		"any(effects, any(map(handles, .state), # == 'parked') or # == 'exit')", "let n = asked; n > requests and n - 5 == requests",
		"none(handles, .state startsWith 'q' or .inference contains 'act' or .inference matches '^$')", "indexOf(lifecycle, 'top') == 1", "(active > 1 ? 'busy' : lifecycle) != 'busy'",
		"none(handles, .kind endsWith 'er' or lower(.state) in ['queued', ''])", "lifecycle contains ''",
		"let h = find(handles, .id == 7); h == nil or h.state == 'queued'",
	} {
		if o := outcome(t, casetest.Busy+"eventually:\n  - {that: \""+text+"\", when: {exit: clean}}\n"); !o.OK() {
			t.Errorf("%s: got a failure; want none:\n%s", text, o.Failures[0])
		}
	}
	// In between there is a handle.
	for _, text := range []string{
		"handles[0].id == 1 and handles[0].kind == 'user' and handles[0].state == 'cognition'", "handles[0].session == 'cli:direct'",
		"handles[0].request == 'r1'", "handles[0].inference == 'acting'", "handles[0].attempts == 1", "handles[0].calls == 1", "active == 1",
		"handles[0].age == 1000", "not handles[0].replied", "handles[0].crashes + handles[0].needs == 0",
	} {
		if o := outcome(t, casetest.Busy+"always:\n  - {that: \""+text+"\", when: {tool: exec}}\n"); !o.OK() {
			t.Errorf("%s: got a failure; want none:\n%s", text, o.Failures[0])
		}
	}
}

func TestSCN31TheFirstStepThatBreaksAClaimIsReported(t *testing.T) {
	tests := []struct{ claim, path, step, want string }{
		{`always: ["active < limits.max_active"]`, "always[0]", "requested", "+ got  active = 1, limits.max_active = 1\n"},
		{`never: ["any(handles, .inference == 'acting')"]`, "never[0]", "brain_answered", `handles = [{id: 1, inference: "acting"}]`},
		{`always: [{that: "epoch == 2", when: "asked > 3"}]`, "always[0]", "event_raised", "is false after step 9 (+10s)"},
		{`always: [{that: {ask: answer}, when: "lifecycle != 'serving'"}]`, "always[0].ask", "signalled", `got  "farewell"`},
		{`never: [{that: {input: brain_answered}, when: "asked > 4"}]`, "never[0]", "brain_answered", "+40s"},
		{`never: [{that: "input == 'stored'", when: {reply: {$any: true}}}]`, "never[0]", "stored", "is true after step 8"},
		{`always: ["find(handles, .id == 1).age >= 0"]`, "always[0]", "boot", "cannot be evaluated after step 1 (+0s): cannot get age from nothing"},
		{`never: [{that: {tool: exec}, when: "handles[3].id == 1"}]`, "never[0].when", "boot", "cannot be evaluated"},
	}
	for _, test := range tests {
		o := outcome(t, casetest.Busy+test.claim+"\n")
		if len(o.Failures) != 1 {
			t.Errorf("%s: failures %v", test.claim, o.Failures)
			continue
		}
		f := o.Failures[0]
		if last := f.Trace[len(f.Trace)-1]; f.Path != test.path || !strings.Contains(last, test.step) || !strings.Contains(f.String(), test.want) {
			t.Errorf("%s: want %s at %s with %s in\n%s", test.claim, test.path, test.step, test.want, f)
		}
	}
}

func TestSCN31ClaimsThatHold(t *testing.T) {
	for _, claims := range []string{
		`always: ["active <= limits.max_active", {tool: exec, args: {command: df}}, {that: "asked > 0", when: {tool: exec}}]`,
		`never: ["replies > requests", {recall: {$any: true}}, {that: {exit: clean}, when: "lifecycle == 'serving'"}]`,
		`always: [{that: "epoch == 2", when: "now > duration('1h')", optional: true}, {that: {tool: exec}, when: {tool: exec}}]`,
	} {
		if o := outcome(t, casetest.Busy+claims+"\n"); !o.OK() {
			t.Errorf("%s fails:\n%s", claims, o.Failures[0])
		}
	}
}

// A claim that nothing in the run is judged by would hold whatever it says.
func TestSCN31AClaimThatNothingIsJudgedByFails(t *testing.T) {
	for _, test := range []struct{ key, claim, path, want string }{
		{"always", `that: "active <= 1", when: {tool: none}`, "always[0].when", "matches no event"},
		{"always", `that: "active <= 1", when: "epoch == 2"`, "always[0].when", "is true after no step"},
		{"always", `that: {skill: weather}`, "always[0]", "has keys that no event has, so"},
		{"always", `that: {ask: answer}, when: {tool: exec}`, "always[0]", "has keys that no event has in the steps of when"},
		{"never", `that: "active <= 1", when: {reply: helo}`, "never[0].when", "nearest: step 8"},
		{"never", `that: {skill: weather}, when: "epoch == 2"`, "never[0].when", "is true after no step"},
		{"eventually", `that: "replies == 2", when: {tool: none}`, "eventually[0].when", "matches no event"},
		{"eventually", `that: {reply: one}, when: "epoch == 2"`, "eventually[0].when", "is true after no step"},
	} {
		o := outcome(t, casetest.Busy+test.key+": [{"+test.claim+"}]\n")
		if len(o.Failures) != 1 || o.Failures[0].Path != test.path || !strings.Contains(o.Failures[0].String(), test.want) {
			t.Errorf("%s: want %s at %s in\n%v", test.claim, test.want, test.path, o.Failures)
		}
		if o := outcome(t, casetest.Busy+test.key+": [{"+test.claim+", optional: true}]\n"); !o.OK() {
			t.Errorf("%s, optional, fails:\n%s", test.claim, o.Failures[0])
		}
	}
	for _, claim := range []string{`always: [{that: "active <= 1"`, `never: [{that: {tool: exec}`, `eventually: [{that: {tool: exec}`} {
		if _, err := scenario.Parse("f", []byte(start+claim+", optional: true}]\n")); err == nil || !strings.Contains(err.Error(), "with when") {
			t.Errorf("%s, which judges each run, may say optional: %v", claim, err)
		}
	}
}

func TestSCN31ARunAwayExpressionFailsWithWords(t *testing.T) {
	list := "let a = [" + strings.TrimSuffix(strings.Repeat("1,", 50), ",") + "]; "
	for text, want := range map[string]string{
		list + "all(a, all(a, all(a, all(a, true))))":                     "costs too much: more than 5000000 passes of its loops in one run",
		list + "all(a, all(a, all(a, len([1,1,1,1,1,1,1,1,1,1]) == 10)))": "costs too much: the lists that it makes are too long",
	} {
		o := outcome(t, casetest.Busy+"always:\n  - \""+text+"\"\n")
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].Text, want) {
			t.Errorf("%s: got %v; want 1 of them, [0].Text with %q", text, o.Failures, want)
		}
	}
}

func TestSCN31CrashesAndStartsAreCounted(t *testing.T) {
	o := outcome(t, start+`brain: [{says: hi}]
timeline: [{user: hi}, {at: 20s, shutdown: TERM}, {at: 30s, start: true}]
faults: {crash: {at: effect.after, effect: ask_brain}}
eventually: ["epoch == 2 and crashes == 1 and requests == 1 and asked == 2", "epoch == 3 and crashes == 1 and lifecycle == 'serving'"]
`)
	if !o.OK() {
		t.Errorf("fails:\n%s", o.Failures[0])
	}
}

func TestSCN32APromiseIsKeptInTime(t *testing.T) {
	tests := []struct {
		promise string
		want    []string // in the failure; none: it holds
	}{
		{`"replies == 1"`, nil},
		{`{reply: {$any: true}}`, nil},
		{`{that: "replies == requests", when: "requests > replies", within: 2300ms}`, nil},
		{`{that: "replies == requests", when: "requests > replies", within: 2299ms}`,
			[]string{"was waited for from step 2 (+0s) until +2299ms", "it comes at step 8 (+2300ms); replies = 0, requests = 1 after step 4 (+1300ms)"}},
		{`{that: {tool: exec}, when: {ask: answer}}`, []string{"from step 4 (+1300ms) until rest at +40s", "it never happens"}},
		{`{that: {ask: answer}, when: {tool: exec}, within: 300ms}`, nil},
		{`{that: {ask: answer}, when: {tool: exec}, within: 299ms}`, []string{"from step 3 (+1s) until +1299ms", "it comes at step 4 (+1300ms)"}},
		{`{that: {tool: exec}, when: "asked == 1"}`, nil},
		{`{that: {tool: exec}, when: "tools.exec == 1"}`, nil},
		{`{that: {tool: exec}, when: {tool: exec}}`, []string{"from step 3 (+1s)"}},
		{`{that: "tools.exec == 1", when: {tool: exec}, within: 0s}`, nil},
		{`{that: "epoch < 0", when: "asked == 100", optional: true}`, nil},
		{`{that: "handles[0].kind == 'user'", when: {tool: exec}}`, nil},
		{`"handles[0].kind == 'user'"`, []string{"cannot be evaluated after step 1 (+0s): index out of range"}},
		{`{that: "epoch == 2", within: 5s}`, []string{"was waited for from the start until +5s", "epoch = 1 after step 8 (+2300ms)"}},
		{`"epoch == 2"`, []string{"was waited for from the start until rest at +40s"}},
	}
	for _, test := range tests {
		o := outcome(t, casetest.Busy+"eventually:\n  - "+test.promise+"\n")
		if test.want == nil {
			if !o.OK() {
				t.Errorf("%s fails:\n%s", test.promise, o.Failures[0])
			}
			continue
		}
		if len(o.Failures) != 1 {
			t.Errorf("%s: failures %v", test.promise, o.Failures)
			continue
		}
		for _, want := range test.want {
			if text := o.Failures[0].String(); !strings.Contains(text, want) {
				t.Errorf("%s: want %s in\n%s", test.promise, want, text)
			}
		}
	}
}

func TestSCN32APromiseOfTheTraceIsKeptInTime(t *testing.T) {
	for ordering, want := range map[string]string{
		`{eventually: {tool: exec}}`:                                               "",
		`{eventually: {tool: exec}, within: 1s}`:                                   "",
		`{eventually: {tool: exec}, within: 999ms}`:                                "from the start until +999ms",
		`{eventually: {reply: {$any: true}}, after: {tool: exec}, within: 1300ms}`: "",
		`{eventually: {reply: {$any: true}}, after: {tool: exec}, within: 1299ms}`: "it comes at step 8",
		`{eventually: {tool: exec}, after: {reply: {$any: true}}}`:                 "from step 8 (+2300ms) until rest at +40s",
		`{eventually: {tool: exec}, after: {recall: x}}`:                           "no such event",
	} {
		o := outcome(t, casetest.Busy+"expect: {trace: ["+ordering+"]}\n")
		if want == "" != o.OK() || want != "" && !strings.Contains(o.Failures[0].String(), want) {
			t.Errorf("%s: want %q, got %v", ordering, want, o.Failures)
		}
	}
	if _, err := scenario.Parse("f", []byte(start+"expect: {trace: [{never: {tool: exec}, within: 5s}]}\n")); err == nil || !strings.Contains(err.Error(), "belong to eventually") {
		t.Errorf("within together with never: %v", err)
	}
}

// What is judged is the same each time, and two judges of one file do not meet.
func TestExpressionsOfOneFileAreJudgedApart(t *testing.T) {
	f, err := scenario.Parse("f", []byte(casetest.Busy+"always: [\"all(handles, .age < 1000)\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	for range 4 {
		go func() {
			text := ""
			for _, failure := range f.Run(sim.Options{}).Failures {
				text += failure.String()
			}
			done <- text
		}()
	}
	first := <-done
	for range 3 {
		if other := <-done; other != first || first == "" {
			t.Errorf("failures differ:\n%s\n%s", first, other)
		}
	}
}

// SCN-31: an item of when occurs in a step whichever of its events it is.
func TestSCN31WhenOccursAnywhereInAStep(t *testing.T) {
	const asks = "scenario: 1\nname: x\nprofile: default\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\n"
	const when = "when: {input: session_loaded}}]\n" // the model is asked in this step, after that event
	if o := outcome(t, asks+"always: [{that: \"asked > 0\", "+when); !o.OK() {
		t.Errorf("got %v; want a claim that holds", o.Failures)
	}
	if o := outcome(t, asks+"never: [{that: {ask: answer}, "+when); len(o.Failures) != 1 || o.Failures[0].Path != "never[0]" {
		t.Errorf("got %v; want one failure of never", o.Failures)
	}
}
