package lint_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
	"shelly/sim/scenario/lint"
)

// findings are what Lint finds, without its notes.
func findings(cases []*scenario.File, rules []string) []lint.Finding {
	found, _ := scenario.Lint(cases, rules)
	return found
}

// liveOf is a live case with an expectation.
func liveOf(expect string) string {
	return strings.Replace(casetest.Live, "ends: serving", expect, 1)
}

// What loads but is doubtful is reported at its place (SCN-21, SCN-29).
func TestSCN21WhatIsDoubtfulIsReportedAtItsPlace(t *testing.T) {
	with := func(old, new string) string {
		if !strings.Contains(casetest.Valid, old) {
			t.Fatalf("the valid file has no %q", old)
		}
		return strings.Replace(casetest.Valid, old, new, 1)
	}
	calling := `{calls: [{tool: exec}]}` + "\n  - " + `{says: "hello"}`
	clean := with(`{says: "hello"}`, calling)
	on := func(old, new string) string { return strings.Replace(clean, old, new, 1) }
	const absent = "INF-" + "33" // in two parts, as no rule has this id
	tests := []struct {
		name string
		yaml string
		want string // in the one finding; empty: none
	}{
		{"nothing doubtful", clean, ""},
		{"unknown rule", on("tools:", "covers: [INF-3, "+absent+"]\ntools:"), "a.scenario.yaml:3:17: covers[1]: unknown rule of SPEC.md " + absent + "; did you mean INF-3?"},
		{"rule of no family", on("tools:", "covers: [ZZZ-1]\ntools:"), "unknown rule of SPEC.md ZZZ-1; there is none"},
		{"rule given twice", on("tools:", "covers: [INF-3, INF-3]\ntools:"), "covers[1]: INF-3 is given twice"},
		{"variable of no use", clean + "vars: {wait: 1s}\n", ":13:8: vars.wait: nothing uses it; write ${wait} where its value belongs, or remove it"},
		{"variable of use", on("takes: 1s", "takes: '${wait}'") + "vars: {wait: 1s}\n", ""},
		{"name of a matrix of no use", clean + "matrix: {wait: [1s, 2s]}\n", "matrix.wait: nothing uses it"},
		{"fragment of no use", clean + "include: tools.yaml\n", ":13:1: include: tools.yaml adds nothing: the scenario, or a later fragment"},
		{"fragment of use", clean + "include: [tools.yaml, tags.yaml]\n", "include: tools.yaml adds nothing"},
		{"tool that nobody calls in one case of two", with(`{says: "hello"}`, "'${line}'") + "matrix: {line: [{says: hello}, {calls: [{tool: exec}]}]}\n", ""},
		{"tool that nobody calls", casetest.Valid, ":4:3: tools.exec: no line of the script calls it"},
		{"tool that is only declared", with(`{returns: "x", takes: 1s}`, `{optional: true, description: d}`), ""},
		{"tool that is not to start", with("replies:", "tools: {exec: {starts: 0}}\n  replies:"), ""},
		{"tool that a text names", with(`{says: "hello"}`, `{raw: "<tool_call>exec</tool_call>"}`), ""},
		{"tool that nobody declares", strings.Replace(clean, "tool: exec}", "tool: exec}, {tool: exce}", 1), ":7:28: brain[0].calls[1]: the tool exce is not declared (did you mean exec?)"},
		{"character that nobody sees", strings.Replace(clean, "says: \"hello\"", "says: \"h\u202eello\"", 1), "an invisible character, U+202E"},
		{"emoji with joiners", clean + "memory: [{summary: \"👩\u200d🚀\"}]\n", ""},
		{"nothing happens", strings.Replace(clean, "  - {user: \"hi\"}\n", "  []\n", 1), ":9:1: timeline: is empty, so nobody talks to the agent"},
		{"nobody says when", "scenario: 1\nname: x\nexpect: {ends: serving}\n", ":2:1: name: there is no timeline"},
		{"session of nobody", strings.Replace(on(`{user: "hi"}`, `{user: "hi", session: alice}`), "{calls:", "{session: alcie, calls:", 1), "brain[0].session: unknown session alcie; did you mean alice?; nothing in the timeline is said in it"},
		{"fault in a session of nobody", clean + "faults: {brain: {session: cli:dircet, p: 0.5, fails: busy}}\n", "faults.brain.session: unknown session cli:dircet; did you mean cli:direct?"},
		{"session that a chat may name", strings.Replace(on(`{user: "hi"}`, `{user: "hi", channel: tg, chat: c}`), "{calls:", "{session: other, calls:", 1), ""},
		{"session of a schedule", strings.Replace(on(`{user: "hi"}`, `{schedule: {add: "hi", every: 1m}}`), "{calls:", "{session: \"schedule:s1\", calls:", 1), ""},
		{"all is optional", "scenario: 1\nname: x\nbrain: [{says: a, optional: true}]\ntimeline: [{user: a}]\nnever: [{ask: init}]\n", ":3:1: brain: each entry is optional"},
		{"all is optional in what a property has found", "scenario: 1\nname: x\nfound: {by: a, invariant: b}\nbrain: [{says: a, optional: true}]\ntimeline: [{user: a}]\nnever: [{ask: init}]\n", ""},
		{"all is optional and the process dies", "scenario: 1\nname: x\nbrain: [{says: a, optional: true}]\ntimeline: [{user: a}]\nfaults: {crash: {at: step.1}}\nnever: [{ask: init}]\n", ""},
		{"name that the world does not hold", on(`{returns: "x", takes: 1s}`, `{reads: reprot}`) + "world: {report: x}\n", "tools.exec[0].reads: the world holds nothing by the name reprot; did you mean report?"},
		{"name that nobody may find", on(`{returns: "x", takes: 1s}`, `{reads: other}`) + "world: {report: x}\n", ""},

		{"never an unknown tool", clean + "never: [{tool: exce}]\n", ":13:16: never[0]: unknown tool exce; did you mean exec?; no event matches this"},
		{"never a tool that is like none", clean + "never: [{tool: zzzzzzzz}]\n", ":13:16: never[0]: unknown tool zzzzzzzz; allowed: exec, spawn, message, cron, load_skill, load_skill_reference, read_more; no event matches this"},
		{"always where something unknown", clean + "always: [{that: 'active <= 1', when: {audit: {$one_of: [exec, exce]}}}]\n", "always[0]: unknown audit exce; did you mean exec?"},
		{"count of an unknown tool", on("expect:", "expect:\n  trace: [{count: {of: {tool: exce}, is: 0}}]"), "expect.trace[0]: unknown tool exce; did you mean exec?"},
		{"never an undeclared tool that is called", strings.Replace(clean, "tool: exec}", "tool: rm, undeclared: true}", 1) + "never: [{tool: rm}, {tool: exec}]\n", "tools.exec: no line"},
		{"never a text of one's own", clean + "never: [{reply: exce}]\n", ""},

		{"never in a session of nobody", clean + "never: [{tool: exec, session: cli}]\n", ":13:31: never[0]: unknown session cli; allowed: cli:direct, init, farewell; no event is of it"},
		{"never a save of a session of nobody", clean + "never: [{save: {$one_of: [cli:dircet, init]}}]\n", "never[0]: unknown session cli:dircet; did you mean cli:direct?; no event is of it"},
		{"never in sessions that there are", clean + "sessions: {other: {history: [{role: user, text: a}]}}\nnever: [{tool: exec, session: other}, {ask: init, session: cli:direct}, {tool: exec, session: {$regex: ^b}}]\n", ""},
		{"never in a subagent's session", strings.Replace(clean, "tool: exec}", "tool: exec}, {tool: spawn, undeclared: true}", 1) + "never: [{tool: exec, session: 'subagent:h2'}]\n", ""},
		{"never in a session that a chat may name", strings.Replace(clean, `{user: "hi"}`, `{user: "hi", channel: tg, chat: c}`, 1) + "never: [{tool: exec, session: b}]\n", ""},
		{"never of a request that nobody makes", clean + "never: [{reply: {id: r2}}]\n", ":13:22: never[0]: unknown request r2; did you mean r1?; no event is of it"},
		{"count of notices to a request of nobody", on(`replies: ["hello"]`, `trace: [{count: {of: {notice: {id: {$one_of: [r1, other]}, notice: queued}}, is: 0}}]`), "expect.trace[0]: unknown request other; allowed: r1; no event is of it"},
		{"the path of a request that nobody makes", on(`replies: ["hello"]`, `handle: {id: r3, path: {$absent: true}}`), "expect.handle.id: unknown request r3; did you mean r1?; it has no handle"},
		{"path of a request that nobody makes", on(`replies: ["hello"]`, `handles: [{id: r1, path: {$any: true}}, {id: r3, path: {$absent: true}}]`), "expect.handles[1].id: unknown request r3; did you mean r1?; it has no handle"},
		{"never of requests that there are", strings.Replace(clean, `{user: "hi"}`, "{user: \"hi\", id: mine}\n  - {at: 9s, command: /new}", 1) + "never: [{reply: {id: mine, is_error: true}}, {reply: {id: r2, is_error: true}}, {reply: {id: {$regex: x}}}]\n", ""},
		{"never an argument that nothing has", strings.Replace(clean, "tool: exec}", "tool: exec, args: {command: df, user: a}}", 1) + "never: [{tool: exec, args: {comand: {$regex: rm}}}]\n", ":13:29: never[0]: no call of exec has the argument comand; did you mean command?"},
		{"never a call with an argument that nothing has", on(`{returns: "x", takes: 1s}`, `{returns: "x", takes: 1s, parameters: {type: object, properties: {command: {type: string}}}}`) + "never: [{call: {tool: exec, args: {commands: rm}}}]\n", "no call of exec has the argument commands; did you mean command?"},
		{"never arguments that calls may have", strings.Replace(clean, "tool: exec}", "tool: exec, args: {command: df, a: 1}}", 1) + "never: [{tool: exec, args: {command: rm}}, {tool: exec, args: {b: 1, elsewhere: 2}}]\n", ""},
		{"never an argument that nothing has, however it is gathered", strings.Replace(clean, "tool: exec}", "tool: exec, args: {command: df, user: a}}", 1) + "never: [{tool: {$one_of: [exec]}, args: {$all: [{user: a}, {$one_of: [{comand: {$absent: true}}]}]}}]\n", "never[0]: no call of exec has the argument comand; did you mean command?"},
		{"never an argument of whatever tool", strings.Replace(clean, "tool: exec}", "tool: exec, args: {command: df, user: a}}", 1) + "never: [{args: {comand: rm}}]\n", "never[0]: no call has the argument comand; did you mean command?"},
		{"argument that no audit record has", strings.Replace(on(`["hello"]`, "[hello]\n  audit: [{tool: exec, args: {comand: {$absent: true}}}]"), "tool: exec}", "tool: exec, args: {command: df}}", 1), "expect.audit: no call of exec has the argument comand; did you mean command?"},
		{"argument that no message has", strings.Replace(on(`["hello"]`, "[hello]\n  asked: {$contains: {messages: {$contains: {calls: [{tool: exec, args: {comand: {$absent: true}}}]}}}}"), "tool: exec}", "tool: exec, args: {command: df}}", 1), "expect.asked: no call of exec has the argument comand; did you mean command?"},
		{"argument that a tool wants absent", strings.Replace(on(`{returns: "x", takes: 1s}`, `{args: {comand: {$absent: true}}, returns: "x", takes: 1s}`), "tool: exec}", "tool: exec, args: {command: df}}", 1), ":5:15: tools.exec[0].args: no call of exec has the argument comand; did you mean command?"},
		{"argument that a tool wants", strings.Replace(on(`{returns: "x", takes: 1s}`, `{args: {comand: df}, returns: "x", takes: 1s}`), "tool: exec}", "tool: exec, args: {command: df}}", 1), ""},
		{"the world's own arguments", strings.Replace(clean, "tool: exec}", "tool: exec, args: {command: df}}", 1) + "  world: {x: {tool: exec, args: {comand: {$absent: true}}}}\n", ""},
		{"session of no handle", clean + "always: ['none(handles, .session == \"cli:dircet\")']\n", ":13:10: always[0]: unknown session cli:dircet; did you mean cli:direct?; no handle is of it"},
		{"sessions of which one is of no handle", clean + "never: ['any(map(handles, .session), # in [\"init\", \"other\"])']\n", "never[0]: unknown session other; allowed: cli:direct, init, farewell; no handle is of it"},
		{"request of no handle", clean + "eventually: ['\"r1\" in map(handles, .request) or find(handles, .request == \"r2\") != nil']\n", "eventually[0]: unknown request r2; did you mean r1?; no handle is of it"},
		{"sessions and requests of handles", clean + "always: ['none(handles, .replied and .session == \"cli:direct\" and .request == \"r1\" and .request != \"\")']\n", ""},
		{"never what each text is", clean + "never: [{tool: exec, args: {command: {$regex: \".*\"}}}]\n", `:13:38: never[0]: {$regex: ".*"} matches each text`},
		{"always when what has each length", clean + "always: [{that: active < 9, when: {reply: {$len: {$gte: 0}}}}]\n", `always[0]: {$len: {$gte: 0}} matches each length`},
		{"fault that never strikes", clean + "faults: {tool: [{name: exec, p: 0.5, fails: busy}, {p: 0, fails: busy}]}\n", ":13:53: faults.tool[1].p: is 0, so the fault never strikes"},
		{"fault that never strikes in one case of two", clean + "faults: {store: {p: '${p}', fails: busy}}\nmatrix: {p: [0, 0.5]}\n", ""},

		{"a live model to the letter", liveOf(`replies: ["Paris"]`), ":5:20: expect.replies: wants what a live model says to the letter; say what the text holds"},
		{"a live model to one of some letters", liveOf(`replies: [{text: {$all: [{$len: {$lt: 9}}, {$literal: "x"}]}}]`), "expect.replies: wants what a live model says"},
		{"a live model to the letter in any order", liveOf(`replies: {$unordered: ["Paris"]}`), "expect.replies: wants what a live model says"},
		{"a live model's summary to the letter", liveOf(`memory: {entries: [{summary: "x"}]}`), "expect.memory.entries: wants what"},
		{"a live model by what it holds", liveOf(`replies: [{$contains: Paris}, {id: b, text: {$regex: "^x"}}]`), ""},
		{"a live model that fails", liveOf(`replies: [{text: "error: x", is_error: true}]`), ""},

		{"text that each text contains", on(`["hello"]`, `[{$contains: ""}]`), `:12:13: expect.replies: {$contains: ""} matches each text`},
		{"arguments that each text contains", on(`{returns: "x", takes: 1s}`, `{args: {command: {$contains: ""}}}`), `a.scenario.yaml:5:24: tools.exec[0].args: {$contains: ""} matches each text`},
		{"matcher of each length", on(`replies: ["hello"]`, `notices: {$len: {$gte: 0}}`), `:12:12: expect.notices: {$len: {$gte: 0}} matches each length`},
		{"matcher of some lengths", on(`["hello"]`, `{$len: {$gte: 1}}`), ""},
		{"matcher of each length above -1", on(`replies: ["hello"]`, `notices: {$len: {$gt: -1}}`), `:12:12: expect.notices: {$len: {$gt: -1}} matches each length`},
		{"each number of starts", on(`replies: ["hello"]`, `tools: {exec: {starts: {$gte: 0}}}`), `expect.tools.exec.starts: {$gte: 0} matches each number of them; say how many may be, or remove it`},
		{"each number of uses", on(`replies: ["hello"]`, `tools: {exec: {uses: {$gt: -1}}}`), `.uses: {$gt: -1} matches each number of them`},
		{"each number of entries", on(`replies: ["hello"]`, `memory: {entries: {$gte: 0}}`), `:12:21: expect.memory.entries: {$gte: 0} matches each number of them`},
		{"each number of events", on(`replies: ["hello"]`, `trace: [{count: {of: {tool: exec}, is: {$gte: 0}}}]`), `.is: {$gte: 0} matches each number of them`},
		{"each number of messages", on(`{calls:`, `{sees: {count: {$gte: 0}}, calls:`), `brain[0].sees.count: {$gte: 0} matches each number of them`},
		{"each number, or one", on(`replies: ["hello"]`, `tools: {exec: {starts: {$one_of: [{$gte: 0}, 7]}}}`), `.starts: {$one_of: [{$gte: 0}, 7]} matches each number of them`},
		{"each number, twice", on(`replies: ["hello"]`, `memory: {entries: {$all: [{$gte: 0}, {$any: true}]}}`), `expect.memory.entries: {$all: [{$gte: 0}, {$any: true}]} matches each number of them`},
		{"any length", on(`["hello"]`, `{$len: {$any: true}}`), `expect.replies: {$len: {$any: true}} matches each length`},
		{"some numbers of several", on(`["hello"]`, `{$len: {$all: [{$gte: 0}, {$lt: 2}]}}`), ""},
		{"some numbers", on(`replies: ["hello"]`, `{tools: {exec: {starts: {$gte: 1}, uses: {$lte: 0}}}, memory: {entries: {$gt: 0}}}`), ""},
		{"always what is true", clean + "always: [\"true\"]\n", ":13:10: always[0]: true is true in every run"},
		{"always what is never negative", clean + "always: [active >= 0]\n", ":13:10: always[0]: active >= 0 is true in every run"},
		{"always no negative count", clean + "always: ['0 <= count(handles, .replied)']\n", "always[0]: 0 <= count(handles, .replied) is true in every run"},
		{"eventually what is never negative", clean + "eventually: [tools.exec >= 0]\n", "eventually[0]: tools.exec >= 0 is true in every run"},
		{"never what is false", clean + "never: [replies < 0]\n", "never[0]: replies < 0 is false in every run"},
		{"always when never", clean + "always: [{that: 'active == 0', when: 1 > 2}]\n", "always[0]: 1 > 2 is never true, so nothing is judged"},
		{"always what is less than never", clean + "always: [active > -1]\n", "always[0]: active > -1 is true in every run"},
		{"always what is itself", clean + "always: ['len(handles) == len(handles) || active > 3']\n", "always[0]: len(handles) == len(handles) || active > 3 is true in every run"},
		{"always when a part is never", clean + "always: [{that: 'active == 0', when: 'queued > 0 && replies < 0'}]\n", "always[0]: queued > 0 && replies < 0 is never true, so nothing is judged"},
		{"eventually when not always", clean + "eventually: [{that: 'active == 0', when: 'not (queued >= 0 or active > 1) and step > 1'}]\n", "is never true, so nothing is judged"},
		{"never what joins the impossible", clean + "never: ['active == -1 and queued == 0']\n", "never[0]: active == -1 and queued == 0 is false in every run"},
		{"claims with a part that is known", clean + "always: ['active >= 0 && queued < 9', 'replies < 0 || active < 9', 'tools.exec > 0 || step < 9']\nnever: ['0 == active && replies > 9', '-1 > active || replies > 9']\n", ""},
		{"starts of an unknown tool", clean + "never: ['tools[\"exce\"] > 1']\nalways: [{that: active < 9, when: tools.exec > 0, optional: true}]\n", ":13:9: never[0]: unknown tool exce; did you mean exec?; it never starts"},
		{"grant for an unknown tool", clean + "grants: [{tool: exce, any: true}, {tool: 'e*', any: true}, {tool: cron, any: true}]\n", "grants[0].tool: unknown tool exce; did you mean exec?; no call is spared a question by it"},
		{"edit of grants for an unknown tool", strings.Replace(clean, "expect:", "  - {at: 1s, edit_grants: [{tool: exce, any: true}]}\nexpect:", 1), "timeline[1].edit_grants[0].tool: unknown tool exce"},
		{"tools of servers", clean + "tool_servers: {count: 1, tools: 1}\nnever: [{tool: github__list_issue}]\nconfig: {approve: {github__list_issue: always}}\n", ""},
		{"claims that may not hold", clean + "always: [active >= 1, 'active > 0', 'now >= 0', 'false']\nnever: ['true', active >= 0]\n", ""},
		{"replies, whatever they are", on(`["hello"]`, `{$any: true}`), `:12:12: expect.replies: {$any: true} holds whatever the run does, also if there is nothing in it; say what is to be there`},
		{"replies, whatever else they are", on(`["hello"]`, `{$one_of: [[hello], {$any: true}]}`), `expect.replies: {$one_of: [["hello"], {$any: true}]} holds whatever the run does`},
		{"replies, exactly whatever they are", on(`["hello"]`, `{$exact: {$all: [{$any: true}]}}`), `expect.replies: {$exact: {$all: [{$any: true}]}} holds whatever the run does`},
		{"messages, whatever they are", on(`{calls:`, `{sees: {messages: {$any: true}}, calls:`), `brain[0].sees.messages: {$any: true} holds whatever the run does`},
		{"tools, whatever they are", on(`{calls:`, `{sees: {tools: {$any: true}}, calls:`), `brain[0].sees.tools: {$any: true} holds whatever the run does`},
		{"options, whatever they are", on(`{calls:`, `{sees: {options: {$any: true}}, calls:`), `brain[0].sees.options: {$any: true} holds whatever the run does`},
		{"the lifecycle, whatever it is", on(`replies: ["hello"]`, `lifecycle: {path: {$any: true}}`), `expect.lifecycle.path: {$any: true} holds whatever the run does`},
		{"always any tool", clean + "always: [{tool: {$any: true}}]\n", `:13:10: always[0]: {tool: {$any: true}} matches each event that has its keys; say what those may be, or remove it`},
		{"always any tool, never any, and at last any", clean + "always: [{that: {tool: {$any: true}, attempt: 1}}]\nnever: [{ask: init, session: {$any: true}}]\neventually: [{tool: {$any: true}}]\n", ""},
		{"a world, whatever it is", on(`replies: ["hello"]`, `world: {$any: true}`), `expect.world: {$any: true} holds whatever the run does`},
		{"starts, however many", on(`replies: ["hello"]`, `tools: {exec: {starts: {$any: true}}}`), `.starts: {$any: true} matches each number of them`},
		{"rest at any time", on(`replies: ["hello"]`, `clock: {at: {$any: true}}`), `expect.clock.at: {$any: true} holds whatever the run does`},
		{"what need not be there", on(`["hello"]`, `[{$any: true}]`) + "  inference: {path: {$any: true}}\n  sessions: {\"cli:direct\": {$any: true}}\n  exit: {$absent: true}\n", ""},
		{"each duration", on(`replies: ["hello"]`, `clock: {elapsed: {$gte: 0s}}`), `expect.clock.elapsed: {$gte: "0s"} matches each duration`},
		{"some durations", on(`["hello"]`, `[{text: hello, after: {$gte: 1ms}}]`), ""},
		{"expression of anything", on(`["hello"]`, `[{$regex: "^.*"}]`), `expect.replies: {$regex: "^.*"} matches each text`},
		{"expression of anything, often", on(`["hello"]`, `[{$regex: "(x*)+"}]`), `expect.replies: {$regex: "(x*)+"} matches each text`},
		{"expression of something", on(`["hello"]`, `[{$regex: "^.*$"}, {$regex: ".+"}, {$regex: "x*\\b"}]`), ""},
		{"expression that fits each text", on(`{calls:`, `{sees: {last: {text: {$all: [{$regex: ""}]}}}, calls:`), `brain[0].sees.last: {$regex: ""} matches each text`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cases, err := scenario.Load(fstest.MapFS{
				"a.scenario.yaml": {Data: []byte(test.yaml + "profile: shelly\n")},
				"tools.yaml":      {Data: []byte("tools: {exec: [{returns: y}]}\n")},
				"tags.yaml":       {Data: []byte("tags: [smoke]\n")},
			}, "a.scenario.yaml")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings(cases, []string{"INF-3", "INF-4"}) {
				got = append(got, f.String())
			}
			switch {
			case test.want == "" && got != nil:
				t.Errorf("found %q, want nothing", got)
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("found %q, want %s", got, test.want)
			}
		})
	}
}

// Of a property lint looks at what may be drawn, and at what must hold (SCN-21).
func TestSCN21WhatIsDoubtfulInAPropertyIsReported(t *testing.T) {
	const clean = `property: 1
name: x
profile: default
runs: {seeds: 1}
tools: {exec: [{returns: done}]}
generate:
  timeline: {length: {max: 2}, pick: [{user: one}, {approve: {tool: exec}}]}
  brain: {length: {max: 2}, pick: [{says: x}, {calls: {tools: $declared}}, {calls: [{tool: exec}]}]}
invariants: [$all, "tools.exec < 9"]
cover: [{name: a, when: "tools.exec > 0", at_least: 1%}]
`
	for _, test := range []struct{ name, old, new, want string }{
		{"nothing doubtful", "seeds: 1", "seeds: 2", ""},
		{"unknown rule", "name: x", "name: x\ncovers: [INF-5]", "a.property.yaml:3:10: covers[0]: unknown rule of SPEC.md INF-5"},
		{"the same in each value of a list", "{user: one}", "{user: one}, {edit_grants: [{tool: exce, match: {command: {$one_of: [a, b]}}}]}", "edit_grants[0].tool: unknown tool exce"},
		{"grant for an unknown tool", "{user: one}", "{user: one}, {edit_grants: [{tool: exce, any: true}]}", "generate.timeline.pick[1].edit_grants[0].tool: unknown tool exce"},
		{"call of a tool that nobody declares", "[{tool: exec}]", "[{tool: exec}, {tool: exce}]", ":8:99: generate.brain.pick[2].calls[1]: the tool exce is not declared (did you mean exec?)"},
		{"call that is not declared on purpose", "[{tool: exec}]", "[{tool: exce, undeclared: true}]", ""},
		{"session of nobody", "{says: x}", "{says: x, session: alice}", ":8:46: generate.brain.pick[0].session: unknown session alice"},
		{"session of a request that names none", "{says: x}", "{says: x, session: 'cli:direct'}", ""},
		{"regressions in a folder of nearly that name", "runs:", "regressions: ./regresions/*.scenario.yaml\nruns:", "a.property.yaml:4:1: regressions: no file matches, and there is no such folder; did you mean ./regressions/*.scenario.yaml?"},
		{"regressions that none found would be of", "runs:", "regressions: ./regressions/b.*.scenario.yaml\nruns:", "regressions: a case that the property finds is written as regressions/a.1.scenario.yaml, which this does not match, so it would not be played again; write ./regressions/*.scenario.yaml"},
		{"regressions of this property alone", "runs:", "regressions: ./regressions/a.*.scenario.yaml\nruns:", ""},
		{"regressions that there are none of yet", "runs:", "regressions: ./found/*.scenario.yaml\nruns:", ""},
		{"regressions beside the property", "runs:", "regressions: a.*.scenario.yaml\nruns:", ""},
		{"starts of an unknown tool", "tools.exec < 9", "tools.exce < 9", ":9:20: invariants[1]: unknown tool exce; did you mean exec?; it never starts"},
		{"invariant that always holds", "tools.exec < 9", "active >= 0", "invariants[1]: active >= 0 is true in every run; say what may not hold, or remove it"},
		{"cover of an unknown tool", "tools.exec > 0", "tools.exce > 0", ":10:19: cover[0].when: unknown tool exce"},
		{"session and request that cases may have", "tools.exec > 0", "any(handles, .session == 'b' and .request == 'r7')", ""},
		{"cover that is always met", "tools.exec > 0", "queued >= 0", "cover[0].when: queued >= 0 is true in every run; say what cases may not reach, or remove it"},
	} {
		if !strings.Contains(clean, test.old) {
			t.Fatalf("%s: the clean file has no %q", test.name, test.old)
		}
		const path = "a.property.yaml"
		cases, err := scenario.Load(fstest.MapFS{path: {Data: []byte(strings.Replace(clean, test.old, test.new, 1))}, "regressions/read.me": {}}, path)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := findings(cases, []string{"INF-3"})
		switch {
		case test.want == "" && got != nil:
			t.Errorf("%s: found %v, want nothing", test.name, got)
		case test.want != "" && (len(got) != 1 || !strings.Contains(got[0].String(), test.want)):
			t.Errorf("%s: found %v, want %s", test.name, got, test.want)
		}
	}
}

// A file that names no profile means what the daemon's default means; all such files are
// one finding (SCN-21, SCN-14).
func TestSCN21FilesWithoutAProfileAreOneFinding(t *testing.T) {
	var cases []*scenario.File
	for _, text := range []string{"name: a", "name: b\nprofile: default", "name: c"} {
		f, err := scenario.Parse(text[6:7], []byte("scenario: 1\n"+text+"\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\nexpect: {replies: [hi]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Plan().Config.Profile; got != "default" {
			t.Errorf("%s plays in %s", f.Name, got)
		}
		cases = append(cases, f)
	}
	if got := findings(cases, nil); len(got) != 1 || !strings.HasPrefix(got[0].String(), "a:2:1: profile: no profile in 2 files,") {
		t.Errorf("found %v", got)
	}
}

// What concerns several cases is reported of those that should be mended (SCN-21).
// The tools of a replay are those that its boot declares, as in a counterexample of a walk.
func TestSCN21AReplayHasTheToolsOfItsBoot(t *testing.T) {
	f, err := scenario.Parse("a", []byte(`scenario: 1
name: x
replay: [{input: {kind: boot, config: {tools: [{name: look, effects: none}]}}}]
never: [{tool: look}, {audit: look}, {reply: {id: r1, is_error: true}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := findings([]*scenario.File{f}, nil); len(got) > 0 {
		t.Errorf("found %v", got)
	}
}

func TestSCN21WhatConcernsSeveralCasesIsReported(t *testing.T) {
	fsys := fstest.MapFS{}
	for path, head := range map[string]string{ // order-free: a map is made of a map
		"a": "name: one\ntags: [network]", "b": "name: two\ntags: [network]", "c": "name: three\ntags: [network]",
		"d": "name: two\ntags: [netwrok, rare]",
	} {
		fsys[path] = &fstest.MapFile{Data: []byte("scenario: 1\n" + head + "\ntimeline: [{user: hi}]\nbrain: [{says: x}]\nexpect: {replies: [x]}\nprofile: shelly\n")}
	}
	var cases []*scenario.File
	for _, path := range []string{"a", "b", "c", "d"} {
		f, err := scenario.LoadOne(fsys, path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, f)
	}
	var got []string
	for _, f := range findings(cases, nil) {
		got = append(got, f.String())
	}
	want := []string{
		"d:2:1: name: b:2:1 has the same name; no report tells the two apart, so rename one",
		"d:3:8: tags[0]: no other case has the tag netwrok; did you mean network, as in 3 others?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}
