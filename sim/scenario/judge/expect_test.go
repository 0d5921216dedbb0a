package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shelly/fsm/check"
	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/judge"
)

// outcome is what comes of a case.
func outcome(t *testing.T, yaml string) scenario.Outcome {
	t.Helper()
	f, err := scenario.Parse("judged.scenario.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	o := f.Run(sim.Options{})
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	return o
}

// Each expectation holds as it stands, and fails when what is after → stands in
// the place of what is before it.
func TestExpectationsHoldAndFail(t *testing.T) {
	tests := []struct {
		expect, broken string // one key of expect, or always or never
		want           string // in the failure
	}{
		{`replies: ["It is 92% full."]`, `replies: ["It is 93% full."]`, `expect.replies[0]`},
		{`replies: [{id: r1, session: "cli:direct", is_error: false}]`, `replies: [{is_error: true}]`, `expect.replies[0].is_error`},
		{`replies: {$len: 1}`, `replies: []`, `wants 0 entries, got 1 entry`},
		{`handle: {path: {$contains: summarizing}}`, `handle: {path: {$contains: recalling}}`, `expect.handle.path`},
		{`handles: [{kind: event, path: [queued, loading, cognition, failed]}]`, `handles: [{kind: event, path: [queued]}]`, `expect.handles[0].path`},
		{`handles: [{kind: user, path: {$any: true}}, {kind: farewell, path: {$any: true}}]`, `handles: [{kind: user, path: {$any: true}}, {kind: farewell, path: [queued]}]`, `expect.handles[1].path`},
		{`handles: [{id: r1, inferences: {$len: 2}}]`, `handles: [{id: r2, inferences: {$len: 2}}]`, `got  (none)`},
		{`handles: [{kind: farewell, nth: 2, path: {$absent: true}}]`, `handles: [{kind: farewell, nth: 1, path: {$absent: true}}]`, `expect.handles[0].path`},
		{`inference: {path: [thinking, acting, thinking, completed]}`, `inference: {path: [thinking, completed]}`, `too many: [1] "acting", [2] "thinking"`},
		{`inferences: [{$len: 4}, [thinking, completed]]`, `inferences: [{$len: 4}]`, `expect.inferences`},
		{`memory: {entries: 2}`, `memory: {entries: 3}`, `expect.memory.entries`},
		{`memory: {entries: {$gte: 2}}`, `memory: {entries: {$gt: 2}}`, `expect.memory.entries`},
		{`memory: {entries: [{kind: user, embedded: true}, {kind: farewell}]}`, `memory: {entries: ["Old.", {kind: user}]}`, `expect.memory.entries[0]`},
		{`tools: {exec: {starts: 1}}`, `tools: {exec: {starts: 2}}`, `expect.tools.exec.starts`},
		{`notices: ["It is 92% full."]`, `notices: [deferred]`, `expect.notices[0]`},
		{`reports: [{of: event, text: "error: busy: try later"}]`, `reports: []`, `expect.reports`},
		{`refusals: [{id: r1, error: {$contains: "this id"}}]`, `refusals: []`, `expect.refusals`},
		{`exit: clean`, `exit: forced`, `expect.exit`},
		{`lifecycle: {path: [down, initializing, serving, draining, farewell, stopped]}`, `lifecycle: {path: [down]}`, `expect.lifecycle.path`},
		{`asked: [answer, answer, summary, answer, farewell, summary]`, `asked: [answer]`, `expect.asked`},
		{`asked: {$contains: {purpose: answer, tools: [exec], system: {$any: true}, last: {role: tool, tool: exec}}}`,
			`asked: {$contains: {purpose: init}}`, `expect.asked`},
		{`ends: stopped`, `ends: serving`, `- want serving`},
		{`clock: {elapsed: 40s, at: "2026-01-05T09:00:40Z"}`, `clock: {elapsed: 40001ms}`, `expect.clock.elapsed`},
		{`clock: {elapsed: {$lt: 1m}, at: {$gt: "2026-01-05T10:00:00+02:00"}}`, `clock: {at: {$lt: "2026-01-05T09:00:40Z"}}`, `got  "2026-01-05T09:00:40Z"`},
		{`replies: [{after: {$lte: 2300ms}}]`, `replies: [{after: {$lt: 2.3s}}]`, `expect.replies[0].after`},
		{`audit: [{duration: 0.3s}]`, `audit: [{duration: {$gt: 1s}}]`, `expect.audit[0].duration`},
		{`trace: [{count: {of: {timer: handle, after: 5m}, is: 2}}]`, `trace: [{count: {of: {timer: handle, after: 301s}, is: 2}}]`,
			`nearest: step 2, {timer: "handle", after: "300s"}: after is "300s", wants "301s"`},
		{`trace: [{before: [{tool: exec, args: {command: df}}, {reply: {$any: true}}]}]`,
			`trace: [{before: [{reply: {$any: true}}, {tool: exec}]}]`, `want {reply: {$any: true}} before {tool: "exec"}`},
		{`trace: [{before: [{store: {kind: user}}, {exit: clean}]}]`, `trace: [{before: [{exit: clean}, {exit: forced}]}]`, `got  no such event`},
		{`trace: [{before: [{input: requested}, {tool: exec}]}]`, `trace: [{before: [{tool: exec}, {tool: exec, attempt: 1}]}]`, `want {tool: "exec"} before {tool: "exec", attempt: 1}`},
		{`trace: [{in_order: [{ask: answer}, {tool: exec}, {ask: answer}, {report: {of: event}}]}]`,
			`trace: [{in_order: [{tool: exec}, {tool: exec}]}]`, `no such event after the 1 before it`},
		{`trace: [{in_order: [{input: requested}, {state: stopped, table: lifecycle}]}]`,
			`trace: [{in_order: [{input: requested}, {recall: x}]}]`, `want {recall: "x"}`},
		{`trace: [{count: {of: {ask: answer}, is: 3}}]`, `trace: [{count: {of: {ask: answer}, is: {$lt: 3}}}]`, `expect.trace[0].count`},
		{`trace: [{never: {state: recalling}}]`, `trace: [{never: {state: acting, handle: 1}}]`, `never {state: "acting", handle: 1}`},
	}
	for _, test := range tests {
		if o := outcome(t, casetest.Busy+"expect:\n  "+test.expect+"\n"); !o.OK() {
			t.Errorf("%s fails:\n%s", test.expect, o.Failures[0])
		}
		o := outcome(t, casetest.Busy+"expect:\n  "+test.broken+"\n")
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].String(), test.want) {
			t.Errorf("%s: failures %v, want one with %s", test.broken, o.Failures, test.want)
		}
	}
}

func TestAlwaysAndNeverAreHeldAgainstEveryEvent(t *testing.T) {
	if o := outcome(t, casetest.Busy+"always:\n  - {tool: exec, args: {command: df}}\nnever:\n  - {tool: exec, args: {command: rm}}\n"); !o.OK() {
		t.Errorf("fails:\n%s", o.Failures[0])
	}
	o := outcome(t, casetest.Busy+"always:\n  - {ask: answer}\nnever:\n  - {report: {$any: true}}\n")
	if len(o.Failures) != 2 || o.Failures[0].Path != "always[0].ask" || o.Failures[1].Path != "never[0]" {
		t.Fatalf("failures: %v", o.Failures)
	}
	for _, f := range o.Failures {
		if last := f.Trace[len(f.Trace)-1]; !strings.Contains(last, "brain_") {
			t.Errorf("%s: the trace ends with %s, not where it shows", f.Path, last)
		}
	}
}

// What fails every case fails a case that expects something else.
func TestSCN3WhatNothingWasScriptedForFails(t *testing.T) {
	const expect = "expect: {ends: serving}\n"
	tests := []struct{ name, yaml, want string }{
		{"model call without a line", "timeline: [{user: hi}]\n", "unexpected: a model call for answer"},
		{"summary in a strict case", "strict: true\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\n", "unexpected: a model call for summary"},
		{"tool call without an entry", "tools: {exec: []}\nbrain: [{calls: [{tool: exec}]}, {says: done}]\ntimeline: [{user: hi}]\n", "unexpected: a call of exec {}"},
		{"line that nobody asked for", "brain: [{says: hi}]\n", "brain[0] no call used this entry"},
		{"summary that nobody asked for", "brain_for: {summary: [{says: hi}]}\n", "brain_for.summary[0] no call"},
		{"entry that nobody called", "tools: {exec: [{returns: x}]}\n", "tools.exec[0] no call"},
	}
	for _, test := range tests {
		o := outcome(t, "scenario: 1\nname: x\n"+test.yaml+expect)
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].String(), test.want) {
			t.Errorf("%s: failures %v, want one with %q", test.name, o.Failures, test.want)
		}
	}
	for _, yaml := range []string{
		"brain: [{says: hi, optional: true}]\n",
		"tools: {exec: [{returns: x, optional: true}]}\n",
	} {
		if o := outcome(t, "scenario: 1\nname: x\n"+yaml+expect); !o.OK() {
			t.Errorf("%s fails:\n%s", yaml, o.Failures[0])
		}
	}
}

// SCN-10: a call that nothing was scripted for is shown where the script lacks it, with the steps up
// to it, once, and of the model with what it was asked.
func TestSCN10ACallWithoutAnEntryIsShownAtItsScript(t *testing.T) {
	const head = "scenario: 1\nname: x\nexpect: {ends: serving}\n"
	for _, test := range []struct{ yaml, at, hint, last string }{
		{"tools:\n  exec: []\nbrain: [{calls: [{tool: exec}]}, {says: done}]\ntimeline: [{user: hi}]\n", "5:3: tools.exec unexpected", "", "run_tool(exec)"},
		{"timeline: [{user: hi}, {at: 9s, user: ho, session: b}]\nbrain: [{says: hi, times: 1}]\n", "5:1: brain unexpected", `session b; the last message: {role: "user", text: "`, "session_loaded"},
		{"timeline: [{user: hi}]\n", "2:1: unexpected", `session cli:direct; the last message: {role: "user"`, "session_loaded"},
		{"profile: shelly\nstrict: true\nbrain: [{says: hi}]\nbrain_for: {init: [{says: a}], summary: []}\ntimeline: [{user: hi}]\n", "7:32: brain_for.summary unexpected", "the last message: ", "ask_brain(summary)"},
		{"profile: shelly\nstrict: true\nbrain: [{says: hi}]\nbrain_for: {init: [{says: a}]}\ntimeline: [{user: hi}]\n", "7:1: brain_for unexpected", "the last message: ", "ask_brain(summary)"},
	} {
		o := outcome(t, head+test.yaml)
		if len(o.Failures) != 1 {
			t.Fatalf("%s: failures %v", test.yaml, o.Failures)
		}
		f := o.Failures[0]
		if !strings.Contains(f.String(), test.at) || !strings.Contains(f.Hint, test.hint) || test.hint == "" && f.Hint != "" {
			t.Errorf("%s: got %s, hint %q; want %s, hint %q", test.yaml, f, f.Hint, test.at, test.hint)
		}
		if last := f.Trace[len(f.Trace)-1]; !strings.Contains(last, test.last) {
			t.Errorf("%s: the trace ends with %s; want %s", test.yaml, last, test.last)
		}
	}
}

// SCN-10: a call of a tool that is not declared stands before what came of it, however much that is.
func TestSCN10ACallOfAnUndeclaredToolComesFirst(t *testing.T) {
	for _, optional := range []int{1, 30} {
		o := outcome(t, `scenario: 1
name: x
tools: {look: [`+strings.Repeat("{returns: x}, ", optional)+`]}
brain:
  - calls: [{tool: luk}]
  - says: done
timeline: [{user: hi}]
expect: {replies: [other]}
`)
		var got []string
		for _, f := range o.Failures {
			got = append(got, f.Path)
		}
		if len(got) < 3 || got[0] != "brain[0].calls[0]" || got[1] != "tools.look[0]" {
			t.Errorf("with %d entries: got %q; want the call first, then the entries that were not used", optional, got)
		}
	}
}

// SCN-10, SCN-24: what is wrong with a case has its place in the file.
func TestSCN10AMomentThatComesToNothingHasItsPlace(t *testing.T) {
	const head = "scenario: 1\nname: x\nexpect: {ends: serving}\ntimeline:\n  - {event: {kind: disk.full}}\n"
	for entry, want := range map[string]string{ // order-free: each for itself
		"cancel: true":         "judged.scenario.yaml:6:5: timeline[1] unexpected: a cancel, but there was no request\n",
		"cancel: q9":           "judged.scenario.yaml:6:5: timeline[1] unexpected: a cancel, but there was no request q9\n",
		"approve: true":        "judged.scenario.yaml:6:5: timeline[1] unexpected: a decision, but no tool call waited for one; does its tool have approve: true?\n",
		"resolve: it was sent": "judged.scenario.yaml:6:5: timeline[1] unexpected: a resolution, but nothing was held\n",
		"revoke: true":         "judged.scenario.yaml:6:5: timeline[1] unexpected: a revocation, but there was no grant to revoke\n",
		"start: true":          "judged.scenario.yaml:6:5: timeline[1] unexpected: a start, but the process has not stopped yet\n",
		"schedule: {run: s1}":  "judged.scenario.yaml:6:5: timeline[1] unexpected: a change of a schedule that was refused: ",
	} {
		o := outcome(t, head+"  - {at: 1s, "+entry+"}\nbrain: [{says: Full.}]\n")
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].String(), want) {
			t.Errorf("%s: %v, want %s", entry, o.Failures, want)
		}
	}
	if o := outcome(t, head+"  - {at: 1s, start: true, optional: true}\nbrain: [{says: Full.}]\n"); len(o.Failures) > 0 {
		t.Errorf("an optional start fails: %v", o.Failures)
	}
	killed := head + "  - {at: 1s, start: true}\nbrain: [{says: Full.}]\nfaults: {crash: {at: step.2, restart_after: 100ms}}\n"
	if o := outcome(t, killed); len(o.Failures) > 0 { // it may have been for the stop that the crash came before (SCN-6)
		t.Errorf("a start after a crash fails: %v", o.Failures)
	}
	for fault, want := range map[string]string{ // order-free: each for itself
		"recall: {fails: x}":           "faults.recall this fault hit nothing: there was no such call; add",
		"brain: {fails: busy, nth: 9}": "faults.brain this fault hit nothing: there were fewer than 9 such calls; add",
		"journal: {full: {nth: 99}}":   "faults.journal.full this fault hit nothing: there were fewer than 99 such appends; add",
	} {
		o := outcome(t, "scenario: 1\nname: x\nexpect: {ends: serving}\ntimeline: [{user: a}]\nbrain: [{says: b}]\nfaults: {"+fault+"}\n")
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].String(), want) {
			t.Errorf("%s: %v, want %s", fault, o.Failures, want)
		}
	}
}

func TestSCN5WhatTheModelSawAndTheToolGotIsAsserted(t *testing.T) {
	for old, new := range map[string]string{
		"last: {role: user}":           "last: {role: tool}",
		"tools: [exec]":                "tools: []",
		"args: {command: df}, returns": "args: {command: du}, returns",
	} {
		o := outcome(t, strings.Replace(casetest.Busy, old, new, 1)+"expect: {ends: stopped}\n")
		if len(o.Failures) != 1 || len(o.Failures[0].Trace) > 3 {
			t.Errorf("%s: failures %v, want one that shows where the call is made", new, o.Failures)
		}
	}
}

func TestSCN10FailuresAsPeopleReadThem(t *testing.T) {
	yaml := strings.Replace(casetest.Busy, "name: much happens", "name: 磁盘 fails in several ways", 1) + `expect:
  replies: ["It is 93% full."]
  memory: {entries: [{kind: user}]}
  trace:
    - never: {tool: exec}
    - in_order: [{ask: answer}, {tool: exec, args: {command: "df -h /"}}]
    - {eventually: {store: {kind: event}}, after: {input: event_raised}, within: 5s}
  handle: {path: [queued, loading, cognition, done]}
always:
  - {ask: answer}
  - all(handles, .age < duration("1s"))
eventually:
  - {that: requests == 2, when: {input: requested}, within: 30s}
`
	var b strings.Builder
	for _, f := range outcome(t, yaml).Failures {
		b.WriteString(f.String() + "\n")
	}
	casetest.SameAsFile(t, "failures", b.String())
}

// SCN-10: what the world saw of steps that a crash took away is shown with them.
func TestSCN10StepsThatACrashTookAwayAreMarked(t *testing.T) {
	o := outcome(t, `scenario: 1
name: a lost start
profile: shelly
tools: {look: [{returns: x, effects: none, times: 2}]}
brain: [{calls: [{tool: look}]}, {says: Done.}]
timeline: [{user: Look}]
faults: {crash: {at: effect.after, effect: run_tool}}
never: ["tools['look'] == 2"]
`)
	if len(o.Failures) != 1 {
		t.Fatalf("failures %v", o.Failures)
	}
	trace := strings.Join(o.Failures[0].Trace, "\n")
	if want := "⇒ run_tool(look) (lost in the crash)\n  3  "; !strings.Contains(trace, want) {
		t.Errorf("no %q in:\n%s", want, trace)
	}
}

func TestFailuresBeyondTheBoundAreCounted(t *testing.T) {
	yaml := "scenario: 1\nname: x\nbrain:\n" + strings.Repeat("  - {says: hi}\n", 20+5) + "expect: {ends: serving}\n"
	o := outcome(t, yaml)
	if n := len(o.Failures); n != 20+1 || o.Failures[n-1].Text != "and 5 more failures" {
		t.Errorf("%d failures, the last %v", n, o.Failures[n-1])
	}
}

func TestSCN13ABrokenInvariantFailsACaseThatExpectsSomethingElse(t *testing.T) {
	f, err := scenario.Parse("judged.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {ends: serving}\n"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(f.Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result.Violations = []sim.Broken{{Violation: check.Violation{Invariant: "INV-5", Text: "two at once"}}}
	v := judge.Run(f.File, result, golden.Kept{}, nil)
	if len(v.Failures) != 1 || v.Failures[0].Text != "INV-5: two at once" {
		t.Errorf("failures %v, want the broken invariant", v.Failures)
	}
}

func TestSCN6AtEqualTimesTheOrderIsTheFiles(t *testing.T) {
	const request, event = "{user: hi}", "{event: {source: disk, kind: full}}"
	for _, test := range []struct{ timeline, trace string }{
		{request + ", " + event, "{input: requested}, {input: event_raised}"},
		{event + ", " + request, "{input: event_raised}, {input: requested}"},
		{"{at: 2s, user: hi}, {at: 1s, event: {source: disk, kind: full}}", "{input: event_raised}, {input: requested}"},
	} {
		o := outcome(t, "scenario: 1\nname: x\nbrain: [{says: a}, {says: b}]\ntimeline: ["+test.timeline+"]\nexpect: {trace: [{in_order: ["+test.trace+"]}]}\n")
		if !o.OK() {
			t.Errorf("%s: got a failure; want none:\n%s", test.timeline, o.Failures[0])
		}
	}
}

func TestSCN7CrashAtEveryPointIsTriedAndReported(t *testing.T) {
	o := outcome(t, "scenario: 1\nname: x\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\nfaults: {crash: {at: $every}}\nexpect: {replies: [hi]}\n")
	if !o.OK() || o.Points < 20 {
		t.Errorf("%d points, failures %v", o.Points, o.Failures)
	}
	// What the matrix finds is reported at the key that asks for it, else at the name.
	for _, test := range []struct {
		faults string
		line   int
	}{{"faults: {crash: {at: $every}}\n", 3}, {"", 2}} {
		f, err := scenario.Parse("judged.scenario.yaml", []byte("scenario: 1\nname: x\n"+test.faults+"expect: {ends: serving}\n"))
		if err != nil {
			t.Fatal(err)
		}
		f.CrashEverywhere()
		o := f.Run(sim.Options{})
		lost := []crash.Failure{{Ordinal: 3, Point: sim.AfterAppend, Text: "memory lost it"}}
		v := judge.Run(f.File, o.Result, golden.Kept{}, judge.NewCrashes(f.File, o.Result).Failures(lost))
		if !o.OK() || o.Points < 3 || len(v.Failures) != 1 || v.Failures[0].Text != "crash at point 3 (journal.after_append): memory lost it" || v.Failures[0].Pos.Line != test.line {
			t.Errorf("%d points, %v, %v", o.Points, o.Failures, v.Failures)
		}
	}
}

func TestAgainQuotesWhatAShellWouldTakeApart(t *testing.T) {
	for file, want := range map[string]string{
		"a/b.scenario.yaml":     "shelly test a/b.scenario.yaml:3",
		"my $x's.scenario.yaml": `shelly test 'my $x'\''s.scenario.yaml:3'`,
	} {
		if got := judge.AgainAt(file, 3); got != want {
			t.Errorf("%s: got %s; want %s", file, got, want)
		}
	}
}

// A handle that came and ended in a single step has its path as any other, also in a golden.
func TestSCN35AHandleThatEndsAtOnceHasItsPath(t *testing.T) {
	o := outcome(t, `
scenario: 1
name: x
profile: shelly
config: {commands: true}
timeline: [{user: /new, id: n, session: s}, {at: 1s, user: /new, id: o, session: s}]
expect:
  handles:
    - {id: n, path: [queued, loading, done]}
    - {kind: user, nth: 2, path: [queued, loading, done]}
  golden: [paths]
`)
	for _, f := range o.Failures {
		if f.Path != "expect.golden" {
			t.Errorf("%s: got %s; want %s", f.Path, f.Got, "expect.golden")
		}
	}
	if !strings.Contains(string(o.Golden.Got), "id: o, path: [queued, loading, done]") {
		t.Errorf("the golden has no handle o:\n%s", o.Golden.Got)
	}
}

// Two runs whose events differ in anything that the model is told have different goldens.
func TestSCN59AGoldenTellsEventsApart(t *testing.T) {
	kept := map[string]string{}
	for _, event := range []string{
		"kind: disk.full, subject: /var", "kind: disk.slow, subject: /var", "kind: disk.full, subject: /srv",
		"kind: disk.full, subject: /var, detail: 99%", "kind: disk.full, subject: /var, detail: 99%, do: Clean it.",
	} {
		o := outcome(t, "scenario: 1\nname: x\nbrain: [{says: Ok.}]\ntimeline: [{event: {"+event+"}}]\nexpect: {golden: [asked]}\n")
		got := string(o.Golden.Got)
		if other, found := kept[got]; found {
			t.Errorf("the golden is that of %s, too:\n%s", other, got)
		}
		if strings.Contains(got, "System event") {
			t.Errorf("the golden has a sentence of shelly's:\n%s", got)
		}
		kept[got] = event
	}
}

// SCN-15: what the model asks for is an event whether it is called, read in a text or offered at
// all; what runs is another.
func TestSCN15ACallIsSeenWhateverComesOfIt(t *testing.T) {
	const head = `scenario: 1
name: x
profile: default
calls_as_text: true
config: {max_calls_per_answer: 1}
tools: {look: [{returns: x, effects: none}, {returns: y}]}
brain:
  - raw: '<tool_call>{"name": "look", "arguments": {"a": 1}}</tool_call>'
  - calls: [{tool: look}, {tool: fly, undeclared: true}]
  - says: "Call look, then fly."
timeline: [{user: hi, session: s}]
`
	for claim, holds := range map[string]bool{ // order-free: each for itself
		"expect: {trace: [{count: {of: {call: look}, is: 2}}]}":                                                          true,
		"expect: {trace: [{in_order: [{call: {args: {a: 1}}}, {tool: look}, {call: look}, {call: fly}, {tool: look}]}]}": true,
		"never: [{call: {declared: false}}]":                                                                             false,
		"never: [{tool: fly}]":                                                                                           true,
		"never: [{call: exec}]":                                                                                          true,
		"always: [{call: {declared: true}}]":                                                                             false,
		"always: [{call: {$any: true}, session: s, handle: 1}]":                                                          true,
	} {
		if o := outcome(t, head+claim+"\n"); o.OK() != holds {
			t.Errorf("%s holds: %v; want %v: %v", claim, o.OK(), holds, o.Failures)
		}
	}
}

// SCN-34: when a piece comes is compared by what it is worth, as other durations are.
func TestSCN34TheTimesOfPiecesAreDurations(t *testing.T) {
	for at, holds := range map[string]bool{"90s": true, "1m30s": true, "90000ms": true, "{$gt: 1m}": true, "89s": false} { // order-free: each for itself
		o := outcome(t, "scenario: 1\nname: x\nbrain: [{says: hi, takes: 90s, stream: {chunks: 1}}]\ntimeline: [{user: hi}]\nexpect: {streamed: [{at: "+at+"}]}\n")
		if (len(o.Failures) == 0) != holds {
			t.Errorf("at: %s: holds: %v; got %v", at, holds, o.Failures)
		}
	}
}

func TestSCN33WordsThatWentElsewhereAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ timeline, expect, hint string }{ // order-free: each for itself
		"an event to a chat":     {"{event: {kind: disk.full, channel: cli, chat: direct}}", "replies: [Full.]", "expect.messages would hold: "},
		"an event to nobody":     {"{event: {kind: disk.full}}", "messages: [Full.]", "the answer to an event that names no channel and chat goes nowhere"},
		"a request":              {"{user: Full?}", "messages: {$len: 1}", "expect.replies would hold: "},
		"a request, other words": {"{user: Full?}", "replies: [Empty.]", ""},
	} {
		o := outcome(t, "scenario: 1\nname: x\nprofile: default\ntimeline: ["+c.timeline+"]\nbrain: [{says: Full.}]\nexpect: {"+c.expect+"}\n")
		if len(o.Failures) != 1 || !strings.HasPrefix(o.Failures[0].Hint, c.hint) || c.hint == "" && strings.Contains(o.Failures[0].Hint, "would hold") {
			t.Errorf("%s: %v; want the hint %s", name, o.Failures, c.hint)
		}
	}
}

func TestSCN3AnEntryWhoseCallWasNotApprovedSaysSo(t *testing.T) {
	const yaml = "scenario: 1\nname: x\nprofile: default\nexpect: {ends: serving}\ntimeline: [{user: hi}%s]\n" +
		"brain: [{calls: [{tool: exec}]}, {says: done}]\ntools: {exec: [{approve: true, returns: x}]}\n"
	const hint = "a person was asked about a call of exec and did not approve it"
	for said, more := range map[string]string{"": "; does the timeline have {approve: true}?", ", {at: 1s, deny: true}": ""} { // order-free: each by itself
		if o := outcome(t, fmt.Sprintf(yaml, said)); len(o.Failures) != 1 || o.Failures[0].Hint != hint+more {
			t.Errorf("%s: %v, want the hint %s", said, o.Failures, hint+more)
		}
	}
	if o := outcome(t, fmt.Sprintf(yaml, ", {at: 1s, approve: true}")); !o.OK() {
		t.Errorf("approved: %v", o.Failures)
	}
}

// SCN-15: calls that are alike are uses of their own, and a call that is started again is one.
func TestSCN15UsesAreCallsAndStartsAreStarts(t *testing.T) {
	for _, test := range []struct{ entries, calls, tools, broken string }{
		{"[{returns: x, times: 2}]", "[{tool: exec, args: {n: 1}}, {tool: exec, args: {n: 1}}]", "{starts: 2, uses: 2}", "{starts: 2, uses: 1}"},
		{"[{fails: {code: busy, retryable: true}}, {returns: x}]", "[{tool: exec, args: {n: 1}}]", "{starts: 2, uses: 1}", "{starts: 2, uses: 2}"},
	} {
		played := func(tools string) scenario.Outcome {
			return outcome(t, "scenario: 1\nname: x\nprofile: default\ntools: {exec: "+test.entries+"}\nbrain: [{calls: "+test.calls+"}, {says: done}]\n"+
				"timeline: [{user: hi}]\nexpect: {tools: {exec: "+tools+"}}\n")
		}
		if o := played(test.tools); !o.OK() {
			t.Errorf("%s: %v", test.tools, o.Failures)
		}
		if o := played(test.broken); len(o.Failures) != 1 || o.Failures[0].Path != "expect.tools.exec.uses" {
			t.Errorf("%s: got %v; want one failure of the uses", test.broken, o.Failures)
		}
	}
}

// SCN-23, SCN-55: what a world holds and what a server has read may be other than is expected.
func TestSCN23TheWorldAndTheTokensMayBeOthers(t *testing.T) {
	const around = "scenario: 1\nname: x\nprofile: default\nserver: laptop\nworld: {kept: 1, gone: 2}\n" +
		"tools: {exec: [{returns: x, writes: {new: [a]}, removes: [gone]}]}\nbrain: [{calls: [{tool: exec, args: {}}]}, {says: done}]\ntimeline: [{user: hi}]\nexpect: "
	for _, test := range []struct{ holds, fails, path string }{
		{`{world: {kept: 1, new: [a], gone: {$absent: true}}}`, `{world: {kept: 2}}`, "expect.world.kept"},
		{`{world: {$exact: {kept: 1, new: [a]}}}`, `{world: {$exact: {kept: 1}}}`, "expect.world"},
		{`{world: {$len: 2}}`, `{world: {new: [b]}}`, "expect.world.new[0]"},
		{`{tokens: {calls: {$gte: 2}, sessions: {"cli:direct": {calls: {$gte: 2}}}}}`, `{tokens: {calls: 0}}`, "expect.tokens.calls"},
		{`{tokens: {read: {$gt: 0}}}`, `{tokens: {sessions: {other: {calls: 1}}}}`, "expect.tokens.sessions.other"},
	} {
		if o := outcome(t, around+test.holds+"\n"); !o.OK() {
			t.Errorf("%s: %v", test.holds, o.Failures)
		}
		if o := outcome(t, around+test.fails+"\n"); len(o.Failures) != 1 || o.Failures[0].Path != test.path {
			t.Errorf("%s: got %v; want one failure at %s", test.fails, o.Failures, test.path)
		}
	}
}

// SCN-5: each key of sees is held against what the model was sent.
func TestSCN5EachKeyOfSeesMayFail(t *testing.T) {
	for _, sees := range []string{
		"last: {role: tool}", "messages: []", "count: 1", "system: x", "tools: []", "options: {max_tokens: 1}", "tokens: 1",
	} {
		o := outcome(t, strings.Replace(casetest.Busy, "sees: {last: {role: user}, tools: [exec]}", "sees: {"+sees+"}", 1)+"expect: {ends: stopped}\n")
		key, _, _ := strings.Cut(sees, ":")
		if len(o.Failures) != 1 || !strings.HasPrefix(o.Failures[0].Path, "brain[0].sees."+key) {
			t.Errorf("%s: got %v; want one failure there", sees, o.Failures)
		}
	}
}

// SIM-13: what the world counts fails a case, whatever it expects.
func TestSIM13WhatTheWorldMustNotHaveSeenFailsACase(t *testing.T) {
	f, err := scenario.Parse("judged.scenario.yaml", []byte(casetest.Busy+"expect: {ends: stopped}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct { // order-free: each for itself
		wrong func(*sim.Result)
		want  string
	}{
		"nothing":             {func(*sim.Result) {}, ""},
		"a tool twice":        {func(r *sim.Result) { r.Ran = append(r.Ran, r.Ran[0]) }, "INV-6: "},
		"a reply twice":       {func(r *sim.Result) { r.Replied = append(r.Replied, r.Replied[0]) }, "INV-1: "},
		"a request, no reply": {func(r *sim.Result) { r.Requests[0].Done = false }, "INV-1: request r1 has no reply"},
	} {
		o := f.Run(sim.Options{})
		test.wrong(o.Result)
		v := judge.Run(f.File, o.Result, golden.Kept{}, nil)
		switch {
		case test.want == "" && v.Failures != nil:
			t.Errorf("%s: got %v; want no failure", name, v.Failures)
		case test.want != "" && (len(v.Failures) != 1 || v.Failures[0].Path != "invariants" || !strings.HasPrefix(v.Failures[0].Text, test.want)):
			t.Errorf("%s: got %v; want one failure with %s", name, v.Failures, test.want)
		}
	}
}

// SCN-3, SCN-5: each entry of a tool is held against the call that took it, and each wants one.
func TestSCN5EachEntryOfAToolIsHeldAgainstItsCall(t *testing.T) {
	const two = "scenario: 1\nname: x\nprofile: default\ntools: {exec: [{args: {n: 1}, returns: a}, {args: {n: 2}, returns: b}]}\n"
	for _, test := range []struct{ calls, path string }{
		{"[{tool: exec, args: {n: 1}}, {tool: exec, args: {n: 2}}]", ""},
		{"[{tool: exec, args: {n: 1}}, {tool: exec, args: {n: 3}}]", "tools.exec[1].args.n"},
		{"[{tool: exec, args: {n: 1}}]", "tools.exec[1]"},
	} {
		o := outcome(t, two+"brain: [{calls: "+test.calls+"}, {says: done}]\ntimeline: [{user: hi}]\nexpect: {replies: [done]}\n")
		if test.path == "" && o.OK() {
			continue
		}
		if len(o.Failures) != 1 || o.Failures[0].Path != test.path {
			t.Errorf("%s: got %v; want one failure at %q", test.calls, o.Failures, test.path)
		}
	}
}

// SCN-10: so does a call of a builtin tool that the machine has refused, with what the model was told.
func TestSCN10ARefusedCallOfABuiltinToolComesFirst(t *testing.T) {
	const lines = `scenario: 1
name: x
profile: default
brain:
  - calls: [{tool: message, args: {content: hello}}, {tool: message, args: {txt: hello}}]
  - calls: [{tool: cron, args: {evry: 1m, action: add}}]
  - calls: [{tool: spawn, malformed_arguments: "{"}]
  - calls: [{tool: message, args: {txt: hello}}]
  - {calls: [{tool: cron, args: {}}], optional: true}
  - says: done
timeline: [{user: hi, channel: tg, chat: c}]
`
	o := outcome(t, lines+"expect: {messages: [other]}\n")
	var got []string
	for _, f := range o.Failures {
		got = append(got, f.Path+" "+f.Text)
	}
	want := []string{
		`brain[0].calls[1] the call of message was answered with "error: missing argument: content"`,
		`brain[1].calls[0] the call of cron was answered with "error: missing argument: message"`,
		`brain[3].calls[0] the call of message was answered with "error: missing argument: content"`,
	}
	if len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %q; want %q, then what is wrong with the messages", got, want)
	}
	if o := outcome(t, lines+"expect: {messages: [hello]}\n"); !o.OK() {
		t.Errorf("a case that holds fails: %v", o.Failures)
	}
}
