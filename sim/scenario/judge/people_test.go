package judge_test

import (
	"slices"
	"strings"
	"testing"

	"shelly/sim/scenario/casetest"
)

// A session may be called as a place in a list is.
func TestSCN15ASessionMayBeANumber(t *testing.T) {
	const head = "scenario: 1\nname: x\nbrain: [{says: a}, {says: b}]\ntimeline: [{user: A, session: s}, {at: 1s, user: B, session: s}]\nexpect:\n  "
	first := outcome(t, head+`sessions: {other: {version: 1}}`).Failures[0].Trace
	for _, name := range []string{"-1", "0"} {
		o := outcome(t, head+`sessions: {"`+name+`": {version: 1}}`)
		if f := o.Failures[0]; f.Path != "expect.sessions."+name || !slices.Equal(f.Trace, first) {
			t.Errorf("%s\n\nwith the steps of another session's failure:\n%s", f, strings.Join(first, "\n"))
		}
	}
}

func TestSCN15ExpectationsOfSessionsAndPeopleHoldAndFail(t *testing.T) {
	if o := outcome(t, casetest.Office+"expect: {ends: serving}\n"); !o.OK() {
		t.Fatalf("the case itself:\n%s", o.Failures[0])
	}
	for _, test := range []struct{ expect, broken, want string }{
		{`replies: [{text: Begun., outcome: answered}, {outcome: cancelled}]`, `replies: [{outcome: failed}, {outcome: cancelled}]`, `expect.replies[0].outcome`},
		{`sessions: {"web:7": {history: {$contains: Begun.}, skills: [weather]}}`, `sessions: {"web:7": {skills: []}}`, `skills`},
		{`sessions: {"web:7": {history: {$contains: {role: assistant, used: [exec]}}, version: {$gte: 2}, pending: []}}`, `sessions: {"web:7": {version: 1}}`, `version`},
		{`sessions: {"web:7": {archive: {$contains: {role: tool, tool: exec, text: ok}}}}`, `sessions: {"web:8": {$any: true}}`, `expect.sessions`},
		{`memory_file: "Ann likes tea."`, `memory_file: ""`, `expect.memory_file`},
		{`history_file: []`, `history_file: [x]`, `expect.history_file`},
		{`messages: {$contains: {channel: mail, chat: ann, text: psst, is_error: false}}`, `messages: []`, `expect.messages`},
		{`messages: [psst, Counted., Looked.]`, `messages: [psst, Counted.]`, `expect.messages`},
		{`questions: [approve]`, `questions: [unknown]`, `expect.questions[0]`},
		{`questions: [{question: approve, tool: exec, args: {n: 1}, id: r1, session: "web:7"}]`, `questions: [{tool: rm}]`, `expect.questions[0].tool`},
		{`audit: {$contains: {tool: exec, args: {n: 1}, result: ok, failed: false, attempts: 1, message: Go}}`, `audit: []`, `expect.audit`},
		{`notices: {$contains: {id: r2, notice: queued, ahead: 1}}`, `notices: {$contains: {ahead: 2}}`, `expect.notices`},
		{`handles: [{kind: subagent, path: {$contains: done}}, {kind: system, path: {$any: true}}, {kind: schedule, path: {$any: true}}]`, `handles: [{kind: memory, path: {$any: true}}]`, `got  (none)`},
		{`asked: {$contains: {purpose: subagent, session: {$contains: "subagent:"}, count: 2, options: {temperature: 0.25}}}`, `asked: {$contains: {count: 99}}`, `expect.asked`},
		{`trace: [{in_order: [{load: "web:7"}, {question: approve}, {timer: approval, after: 3600s}, {tool: exec, attempt: 1, session: "web:7"}, {audit: exec}, {skill: weather}, {timer: backoff}, {message: psst}, {schedule: {$any: true}}, {save: "web:7"}]}]`,
			`trace: [{never: {message: {channel: mail}}}]`, `expect.trace[0].never`},
	} {
		if o := outcome(t, casetest.Office+"expect:\n  "+test.expect+"\n"); !o.OK() {
			t.Errorf("%s fails:\n%s", test.expect, o.Failures[0])
		}
		o := outcome(t, casetest.Office+"expect:\n  "+test.broken+"\n")
		if len(o.Failures) != 1 || !strings.Contains(o.Failures[0].String(), test.want) {
			t.Errorf("%s: failures %v, want one with %s", test.broken, o.Failures, test.want)
		}
	}
}

func TestSCN5WhatTheModelSawOfTheRestIsAsserted(t *testing.T) {
	for old, new := range map[string]string{
		"count: 4":                              "count: 5",
		`system: {$contains: "Ann likes tea."}`: "system: {$absent: true}",
		"options: {temperature: 0.25}, tools":   "options: {temperature: 0.3}, tools",
		"tools: {$contains: spawn}":             "tools: [spawn]",
		"last: {images: [png]}":                 "last: {images: [jpg]}, tokens: {$any: true}",
	} {
		if !strings.Contains(casetest.Office, old) {
			t.Fatalf("the case has no %q", old)
		}
		o := outcome(t, strings.Replace(casetest.Office, old, new, 1)+"expect: {ends: serving}\n")
		if len(o.Failures) == 0 || !strings.Contains(o.Failures[0].Path, "brain[0].sees") {
			t.Errorf("%s: failures %v", new, o.Failures)
		}
	}
}
