package scenario

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/casetest"
	"shelly/sim/strict"
)

// valid is a file that loads; the cases below break it in one place.
// broken is a file that does not load, and what its error says.
type broken struct {
	name string
	yaml string
	want []string // in the error
}

func brokenFiles(t *testing.T) []broken {
	t.Helper()
	with := func(old, new string) string {
		if !strings.Contains(casetest.Valid, old) {
			t.Fatalf("the valid file has no %q", old)
		}
		return strings.Replace(casetest.Valid, old, new, 1)
	}
	deep := strings.Repeat("[", strict.DepthMax+5) + strings.Repeat("]", strict.DepthMax+5)
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for _, c := range "bcdefghi" {
		before := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+before+",", 8) + "*" + before + "]\n"
	}
	return []broken{
		{"empty file", "", []string{"f.scenario.yaml:1:1: is empty"}},
		{"only comments", "# nothing\n", []string{"1:1: is empty"}},
		{"list at the top", "- a\n- b\n", []string{"1:1: a scenario is a map, found a list"}},
		{"text at the top", "hello\n", []string{"1:1: a scenario is a map, found the text"}},
		{"second document", casetest.Valid + "---\nscenario: 1\n", []string{"12:1: a second document"}},
		{"broken second document", casetest.Valid + "---\na: [b\n", []string{"unclosed ["}},
		{"tab as indentation", with("  exec:", "\texec:"), []string{":4:1: a tab used for indentation; use spaces"}},
		{"colon forgotten", with("brain:", "strict true\nbrain:"), []string{":6:1: expected `key: value`"}},
		{"bracket never closed", with("name: hello", "name: [hello"), []string{":2:7: unclosed ["}},
		{"bracket closed by another", with("name: hello", "name: [hello, }"), []string{":2:15: this bracket does not close the one that is open"}},
		{"bracket closed by another, right after an entry", with("name: hello", "name: [hello}"), []string{":2:13: this bracket does not close the one that is open"}},
		{"bracket closed by another, after a quoted text", with(`["hello"]`, `["hello"}`), []string{":11:20: this bracket does not close the one that is open"}},
		{"bracket too many", with(`{says: "hello"}`, `{says: "hello", sees: {count: 1]}`), []string{":7:36: this bracket does not close the one that is open"}},
		{"comma forgotten", with(`["hello"]`, `["hello" "you"]`), []string{":11:21: a comma is missing before this"}},
		{"list of lines in brackets", with(`["hello"]`, "[\n    - hello\n  ]"), []string{":12:5: within [ ] an entry has no -"}},
		{"bracket at the end", casetest.Valid + "vars: {a: [", []string{": unclosed [ or {"}},
		{"brace never closed", with("name: hello", "name: {hello"), []string{":2:7: unclosed {"}},
		{"quote never closed", with(`["hello"]`, `["hello`), []string{":11:13: unclosed quote"}},
		{"quote closed by the next text's", with("name: hello", `name: "hello`), []string{":2:7: the quote that opens here closes only on line 5; close it where the text ends"}},
		{"quote closed by the next one's in braces", with(`{says: "hello"}`, `{says: "hello}`), []string{":7:12: the quote that opens here closes only on line 9"}},
		{"quote closed by another, after letters of two bytes", with("name: hello", "tags: [é, \"a]\nname: \"b\""), []string{":2:11: the quote that opens here closes only on line 3"}},
		{"quote in a block", with("name: hello", "name: |\n  say \"hi\n\n  > it\ntags: \"x\" y"), []string{":6:11: expected `key: value`"}},
		{"quote in the block of an entry", with("name: hello", "name: x\ntags:\n  - >- # so\n    rock 'n\n  - 'x' y"), []string{":6:9: expected `- `"}},
		{"quote after an empty block", with("name: hello", "tags:\n  - |\n  - \"a\nname: \"b\""), []string{":4:5: the quote that opens here closes only on line 5"}},
		{"single quote closed by the next one", with("name: hello", "name: 'hello # 'no'\ntags: ['a']"), []string{":2:17: the quoted text ends before this"}},
		{"apostrophe in single quotes", with("name: hello", "name: 'it''s Ann's'"), []string{":2:18: the quoted text ends before this; write '' for a ' in it"}},
		{"quote in double quotes", with("name: hello", `name: "a \" b "c" d"`), []string{`:2:16: the quoted text ends before this; write \" for a " in it`}},
		{"two colons", with("name: hello", "name: hello: you"), []string{":2:12: a second `:`"}},
		{"version of YAML", "%YAML 1.2\n---\n" + casetest.Valid, []string{":1:1: this directive is not supported; remove the line"}},
		{"directive that is none", "%yes\n---\n" + casetest.Valid, []string{"this directive is not supported; remove the line"}},
		{"two commas", with("name: hello", "name: hello\ntags: [a,, b]"), []string{":3:10: nothing stands before this comma; remove it, or quote the text"}},
		{"comma first", with("name: hello", "name: hello\ntags: [, b]"), []string{":3:8: nothing stands before this comma"}},
		{"star and blank", with("name: hello", "name: * hello"), []string{":2:7: this character cannot begin a value; quote the text"}},
		{"escape without its digits", with("name: hello", `name: "\xZZ"`), []string{"unknown escape; within double quotes"}},
		{"escape of half a character", with("name: hello", `name: "\ud83d"`), []string{"this escape is no character by itself"}},
		{"reserved character", with("name: hello", "name: @hello"), []string{":2:7: this character cannot begin a value"}},
		{"unknown anchor", with("name: hello", "name: *x"), []string{":2:7: there is no anchor &x before it; quote the text if it begins with *"}},
		{"list on the line of its key", with("brain:", "tags: - a\nbrain:"), []string{":6:7: a list of - entries begins on a line of its own"}},
		{"key among entries", with("  - {user: \"hi\"}", "  - {user: \"hi\"}\n  at: 1s"), []string{":10:3: expected `- ` as in the entries before"}},
		{"text after a quote", with("name: hello", "name: \"hello\" you"), []string{":2:15: expected `key: value`: quote a text that goes on"}},
		{"text after a brace", with("{says: \"hello\"}", "{says: hello} you"), []string{":7:19: expected `- ` as in the entries before", "quote a text"}},
		{"closing bracket alone", with("name: hello", "name: ]"), []string{":2:7: expected a value; quote a text that begins so"}},
		{"unknown escape", with("name: hello", `name: "\d"`), []string{`:2:8: unknown escape; within double quotes write \\ for \`}},
		{"text on the line of its |", with("name: hello", "name: | hello"), []string{":2:9: text after | or > begins on the next line"}},
		{"not UTF-8", "name: \xff\n", []string{":1:7: byte 0xff is not UTF-8"}},
		{"UTF-16", "\xff\xfen\x00", []string{":1:1:", "UTF-8"}},
		{"control character", "na\x1b[31mme: x\n", []string{":1:3: control character U+001B"}},
		{"nested too deep", with(`["hello"]`, deep), []string{"nested too deep; the limit is 40"}},
		{"nested far too deep", strings.Repeat("[", 100_000), []string{"nested too deep"}},
		{"alias bomb", with("tools:", bomb+"tools:"), []string{"unknown key a"}},
		{"alias bomb where data is allowed", bomb + with(`["hello"]`, "*i"), []string{"aliases and variables written out; the limit is 20000"}},
		{"alias of itself", with(`["hello"]`, "&r [*r]"), []string{"nested too deep"}},
		{"merge key", with("- {user: \"hi\"}", "- {<<: {user: hi}}"), []string{":9:6: timeline[0]: merge keys (<<) are not supported"}},
		{"tag", with("name: hello", "name: !!str 5"), []string{":2:7: name: tags (!!str) are not supported"}},
		{"map as a key", with("name: hello", "? {a: b}\n: hello"), []string{"a key is a word, found a map"}},

		{"unknown key", with("brain:", "brian:"), []string{":6:1: brian: unknown key brian; did you mean brain?"}},
		{"key in another case", with("brain:", "Brain:"), []string{"Brain: unknown key Brain; did you mean brain?"}},
		{"unknown nested key", with("{says:", "{sayz:"), []string{":7:6: brain[0].sayz: unknown key sayz; did you mean says?"}},
		{"key that is like no other", with("{says:", "{pronounces:"), []string{"unknown key pronounces; allowed: session, sees, says, calls"}},
		{"key of config", casetest.Valid + "max_queue: 3\n", []string{"max_queue: unknown key max_queue; did you mean config.max_queue?"}},
		{"section of the daemon's at the top", casetest.Valid + "limits: {max_queue: 3}\n", []string{"limits: unknown key limits; a scenario has the settings of the daemon's limits under config"}},
		{"key of faults", casetest.Valid + "crash: {at: $every}\n", []string{"crash: unknown key crash; did you mean faults.crash?"}},
		{"key of expect that resembles another", casetest.Valid + "replies: [hi]\n", []string{"replies: unknown key replies; did you mean expect.replies?"}},
		{"key of an entry", casetest.Valid + "user: hi\n", []string{"user: unknown key user; did you mean about.user or timeline[].user?"}},
		{"starts of no tool", with("\nexpect:\n", "\nexpect:\n  starts: {exec: 1}\n"), []string{"expect.starts: unknown key starts; it is said of each tool, as tools: {exec: {starts: 1}}"}},
		{"fault as a moment", with(`{user: "hi"}`, `{crash: $every}`), []string{"timeline[0].crash: unknown key crash; did you mean faults.crash?"}},
		{"number as a key", with("name:", "1: x\nname:"), []string{":2:1: 1: unknown key 1; allowed:"}},
		{"blank in a key", with("name:", "na me: x\nname:"), []string{"unknown key na me; did you mean name?"}},
		{"key given twice", with("brain:", "name: again\nbrain:"), []string{":6:1: name: already given on line 2"}},
		{"nested key given twice", with("says: \"hello\"", "says: a, says: b"), []string{":7:15: brain[0].says: already given on line 7"}},

		{"name missing", with("name: hello\n", ""), []string{":1:1: the key name is missing"}},
		{"version missing", with("scenario: 1\n", ""), []string{"the key scenario is missing"}},
		{"another version", with("scenario: 1", "scenario: 2"), []string{":1:1: scenario: this is version 2"}},
		{"name empty", with("name: hello", "name: ''"), []string{":2:1: name: is empty"}},
		{"name over two lines", with("name: hello", "name: \"a\\nb\""), []string{":2:1: name: wants one line of text"}},
		{"name that turns", with("name: hello", "name: \"a\\u202eb\""), []string{`found "a\u202eb"`}},
		{"section of the daemon's configuration", casetest.Valid + "config: {limits: {max_queue: 3}}\n", []string{"config.limits: has no section limits in a scenario; write its settings here"}},
		{"setting by the daemon's name", casetest.Valid + "config: {limits.max_queue: 3}\n", []string{"has no section limits in a scenario; write max_queue"}},
		{"limit of no time", casetest.Valid + "config: {handle_timeout: 0s}\n", []string{"config.handle_timeout: 0s is out of range; the least is 1ms"}},
		{"wait of no time", casetest.Valid + "config: {backoff: [1s, 0s]}\n", []string{"config.backoff[1]: 0s is out of range; the least is 1ms"}},
		{"limit over the daemon's", casetest.Valid + "config: {compress_percent: 101}\n", []string{":12:28: config.compress_percent: 101 is out of range; the most is 100"}},
		{"prompt that is empty", casetest.Valid + "config: {prompts: {init: ' '}}\n", []string{"config.prompts.init: is empty"}},
		{"prompt with a control character", casetest.Valid + "config: {prompts: {init: \"a\\e[0m\"}}\n", []string{":12:26: config.prompts.init: holds a control character"}},
		{"prompt that is too long", casetest.Valid + "config: {prompts: {init: " + strings.Repeat("a", fsm.PromptBytesMax+1) + "}}\n", []string{"config.prompts.init: is 65537 bytes long; the most is 65536"}},
		{"question without the marker", casetest.Valid + "profile: shelly\nconfig: {prompts: {question: Well?}}\n", []string{":13:20: config.prompts.question: does not name the marker NEED: that asks for memory, and neither does the system prompt"}},
		{"question without the marker later", with(`{user: "hi"}`, `{configure: {no_cognition: false, prompts: {question: Well?}}}`) + "profile: shelly\nconfig: {no_cognition: true, prompts: {question: Well?}}\n", []string{":9:49: timeline[0].configure.prompts.question: does not name the marker"}},
		{"heartbeat over the daemon's bounds", casetest.Valid + "config: {heartbeat: {every: 59s, do: x, idle: 1h, chance: 101}}\n", []string{"config.heartbeat.every: 59s is out of range; the least is 1m", "config.heartbeat.chance: 101 is out of range; the most is 100"}},
		{"heartbeat with nothing to do", casetest.Valid + "config: {heartbeat: {every: 1h}}\n", []string{"config.heartbeat: there is nothing to do at a beat; give do, or idle such as 4h"}},
		{"more servers than can be", casetest.Valid + "tool_servers: {count: 101, tools: 51}\n", []string{"tool_servers.count: 101 is out of range; the most is 100", "tool_servers.tools: 51 is out of range; the most is 50"}},
		{"schedule of no time", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x}}\n"), []string{"timeline[1].schedule: give one of every, cron and at: when is it done?"}},
		{"schedule of two times", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, every: 1h, cron: '0 9 * * *'}}\n"), []string{"timeline[1].schedule: every and cron exclude each other"}},
		{"schedule more often than the wire has it", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, every: 1ms}}\n"), []string{"timeline[1].schedule.every: 1ms is out of range; the least is 1s"}},
		{"schedule at no minute", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, cron: '61 * * * *'}}\n"), []string{"f.scenario.yaml:10:25: timeline[1].schedule.cron: the minute of cron takes numbers from 0 to 59, ranges, steps and lists of them, or *, but not \"61\""}},
		{"schedule that never comes", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, cron: '0 0 31 2 *'}}\n"), []string{"timeline[1].schedule.cron: cron never comes due"}},
		{"schedule at no time", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, at: tomorrow}}\n"), []string{"timeline[1].schedule.at: wants a time such as 2026-01-31T09:00"}},
		{"schedule in no zone", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, every: 1h, zone: Mars}}\n"), []string{"timeline[1].schedule.zone: \"Mars\" is neither clock.zone, nor UTC, nor an offset"}},
		{"fewer starts than none", with("replies:", "tools: {exec: {starts: -1, uses: {$lt: 0}}}\n  replies:"), []string{"expect.tools.exec.starts: there are never -1 of them", "expect.tools.exec.uses: there are never {$lt: 0} of them"}},
		{"part of an entry", with("replies:", "memory: {entries: 1.5}\n  replies:"), []string{"expect.memory.entries: there are never 1.5 of them"}},
		{"fewer events than none", with("replies:", "trace: [{count: {of: {tool: exec}, is: {$one_of: [-1, x]}}}]\n  replies:"), []string{"expect.trace[0].count.is: there are never"}},
		{"less than no length", with("replies:", "notices: {$len: -1}\n  replies:"), []string{"expect.notices.$len: nothing has the length -1"}},
		{"fewer messages than none", with("says: \"hello\"", "sees: {count: -1}, says: \"hello\""), []string{"brain[0].sees.count: there are never -1 of them"}},
		{"number beyond all", casetest.Valid + "config: {max_queue: 99999999999999999999}\n", []string{"config.max_queue: the number 99999999999999999999 is too large"}},
		{"temperature beyond all", casetest.Valid + "config: {temperature: 99999999999}\n", []string{"the number 99999999999 is too large"}},
		{"duration beyond all", with("takes: 1s", "takes: 99999999999999h"), []string{"the duration 99999999999999h is too large"}},
		{"key that no reply has", with(`["hello"]`, "[{is_eror: {$absent: true}}]"), []string{"expect.replies: unknown key is_eror; did you mean is_error?"}},
		{"key that no session has", with(`replies:`, "sessions: {a: {histroy: []}}\n  replies:"), []string{"unknown key histroy; did you mean history?"}},
		{"key that no message of a prompt has", with(`{says: "hello"}`, `{says: "hello", sees: {last: {rol: user}}}`), []string{"brain[0].sees.last: unknown key rol; did you mean role?"}},
		{"key that no reply of the trace has", casetest.Valid + "never: [{reply: {txt: a}}]\n", []string{"never[0]: unknown key txt; did you mean text?"}},
		{"matcher without $", with(`["hello"]`, "[{text: {contains: x}}]"), []string{"unknown matcher contains; did you mean $contains?"}},
		{"matcher as a text", with(`["hello"]`, "[$any]"), []string{"expect.replies[0]: is the text $any, not the matcher; write {$any: …}"}},
		{"name that paints", with("name: hello", "name: \"a\\e[31m\""), []string{"name: wants one line of text"}},
		{"number for a text", with("name: hello", "name: 12"), []string{":2:7: name: wants text, not the number 12; quote it"}},
		{"list for a text", with("name: hello", "name: [a]"), []string{"name: wants text, not a list"}},
		{"null for a text", with("name: hello", "name: ~"), []string{"name: has no value: a bare ~ is YAML's null; quote it"}},
		{"no value", with("name: hello", "name:"), []string{":2:6: name: has no value"}},
		{"text for a number", with("brain:", "config: {max_queue: \"7\"}\nbrain:"), []string{"config.max_queue: wants a whole number, not text (7)"}},
		{"fraction for a number", with("brain:", "config: {max_queue: 1.5}\nbrain:"), []string{"config.max_queue: wants a whole number, not the number 1.5"}},
		{"octal number", with("brain:", "config: {max_queue: 0o17}\nbrain:"), []string{"config.max_queue: write the number 0o17 in plain decimal"}},
		{"leading zero", with("brain:", "config: {max_queue: 017}\nbrain:"), []string{"in plain decimal"}},
		{"number too large", with("brain:", "config: {max_queue: 99999999999}\nbrain:"), []string{"is too large"}},
		{"number below 1", with("brain:", "config: {max_queue: 0}\nbrain:"), []string{"config.max_queue: 0 is out of range; the least is 1"}},
		{"number for a duration", with("takes: 1s", "takes: 1"), []string{"tools.exec[0].takes: wants a duration such as 300s, not the number 1"}},
		{"infinite duration", with("takes: 1s", "takes: .inf"), []string{"wants a duration"}},
		{"word for a duration", with("takes: 1s", "takes: soon"), []string{`wants a duration such as 300s or 1.5s, not "soon"`}},
		{"negative duration", with("takes: 1s", "takes: -1s"), []string{"the duration -1s is negative"}},
		{"duration too fine", with("takes: 1s", "takes: 1us"), []string{"not in whole milliseconds"}},
		{"word for a switch", with("brain:", "strict: yes\nbrain:"), []string{`strict: wants true or false, not the text "yes"`}},
		{"word that is not allowed", with("- {user: \"hi\"}", "- {shutdown: KILL}"), []string{"timeline[0].shutdown: unknown word KILL; allowed: TERM, INT"}},
		{"schedule on no day", with("hi\"}\n", "hi\"}\n  - {schedule: {add: x, at: \"2026-02-30T10:00\"}}\n"), []string{"not \"2026-02-30T10:00\"; there is no such time: day out of range"}},
		{"start on no day", with("brain:", "clock: {start: \"2027-02-29T00:00:00Z\"}\nbrain:"), []string{"not the text \"2027-02-29T00:00:00Z\"; there is no such time: day out of range"}},
		{"rest at no minute", with("  replies:", "  clock: {at: \"2027-02-28T00:60:00Z\"}\n  replies:"), []string{"matches none; there is no such time: minute out of range"}},
		{"time in words", with("brain:", "clock: {start: today}\nbrain:"), []string{"clock.start: wants a time such as"}},
		{"start before 1970", with("brain:", "clock: {start: \"1969-12-31T00:00:00Z\"}\nbrain:"), []string{"clock.start: is before 1970; the first start is at 1970-01-01T00:00:00Z or later"}},
		{"duration in days", with("takes: 1s", "takes: 1d"), []string{`tools.exec[0].takes: wants a duration such as 300s or 1.5s, not "1d"; there is no unit for days: write 24h for a day`}},
		{"jump in days", with(`{user: "hi"}`, "{clock_jump: -1d}"), []string{`timeline[0].clock_jump: wants a duration forward such as 1h or back such as -30m, not the text "-1d"; there is no unit for days: write 24h for a day`}},
		{"bound in days", with(`["hello"]`, `[{$gt: 1d}]`), []string{"write 24h for a day"}},
		{"expression in days", with("brain:", "always: [\"now < duration('1d12h')\"]\nbrain:"), []string{"wants a duration such as 5s or 300ms, not 1d12h; there is no unit for days: write 24h for a day"}},
		{"map for a list", with(`- {says: "hello"}`, "says: hello"), []string{"brain: wants a list, found a map"}},
		{"list for a map", with("brain:", "config: [a]\nbrain:"), []string{"config: wants a map of init, max_tool_rounds"}},
		{"list for named things", strings.Replace(casetest.Valid, "  exec:\n    - {returns: \"x\", takes: 1s}", "  - exec", 1), []string{"tools: wants a map by name, found a list"}},
		{"empty entry", with(`- {user: "hi"}`, "- {}"), []string{":9:5: timeline[0]: is empty; the keys here are: at, user"}},
		{"empty name of a tool", with("  exec:", "  \"\":"), []string{"the name is empty"}},
		{"arguments that are no map", with(`{says: "hello"}`, `{calls: [{tool: exec, args: [1]}]}`), []string{"args: wants a map of arguments, found a list"}},
		{"number that JSON does not know", with(`{says: "hello"}`, `{calls: [{tool: exec, args: {n: .nan}}]}`), []string{"args.n: write the number .nan in plain decimal"}},
		{"embedding neither off nor a map", with("brain:", "embedding: on\nbrain:"), []string{"embedding: wants off or a map of fails"}},

		{"unknown profile", with("brain:", "profile: countbod\nbrain:"), []string{"profile: unknown profile countbod; did you mean countbot?"}},
		{"profile without a name", with("brain:", "profile: ''\nbrain:"), []string{`profile: unknown profile ""; allowed: default, shelly`}},
		{"no rule's id", with("brain:", "covers: [INF3]\nbrain:"), []string{"covers[0]: wants the id of a rule such as INF-3, not INF3"}},
		{"two answers in one line", with(`{says: "hello"}`, `{says: "a", needs: b}`), []string{":7:5: brain[0]: says or calls and needs exclude each other"}},
		{"line that says nothing", with(`{says: "hello"}`, `{takes: 1s}`), []string{"brain[0]: says nothing"}},
		{"quote in a failure", with(`{says: "hello"}`, `{hangs: true, quotes: last}`), []string{"quotes and stops are for an answer"}},
		{"unknown class", with(`{says: "hello"}`, `{fails: {code: unreachabel}}`), []string{"brain[0].fails.code: unknown class unreachabel; did you mean unreachable?"}},
		{"two outcomes of a tool", with(`returns: "x"`, `returns: "x", hangs: true`), []string{"tools.exec[0]: returns and hangs exclude each other"}},
		{"two effects of a tool", with(`    - {returns: "x", takes: 1s}`, "    - {effects: none}\n    - {effects: unsafe}"), []string{"tools.exec[1].effects: an entry before says none"}},
		{"nothing happens", with(`{user: "hi"}`, `{at: 1s}`), []string{"timeline[0]: nothing happens"}},
		{"two things at one moment", with(`{user: "hi"}`, `{user: "hi", start: true}`), []string{"user and start exclude each other"}},
		{"session of nobody", with(`{user: "hi"}`, `{start: true, session: a}`), []string{"session, channel, chat, id, images and context belong to user"}},
		{"nothing to duplicate", with(`{user: "hi"}`, `{duplicate_last: true}`), []string{"there is no request before it"}},
		{"an outage that is off", with(`{user: "hi"}`, `{store: {works: false}}`), []string{"timeline[0].store: says nothing; give one of fails, hangs: true, works: true and takes"}},
		{"which sessions and not what of them", with(`{user: "hi"}`, `{sessions: {only: load}}`), []string{"timeline[0].sessions: says nothing; give one of "}},
		{"two outages", with(`{user: "hi"}`, `{store: {fails: x, works: true}}`), []string{"timeline[0].store: fails and works exclude each other"}},
		{"unknown point", with("brain:", "faults: {crash: {at: effect.beside}}\nbrain:"), []string{"faults.crash.at: unknown point effect.beside; did you mean effect.before?"}},
		{"point in a list", with("brain:", "faults: {crash: [{at: step.1}, {at: step.0}]}\nbrain:"), []string{"faults.crash[1].at: unknown point step.0"}},
		{"every point and another", with("brain:", "faults: {crash: {at: $every, nth: 2}}\nbrain:"), []string{"$every stands alone"}},
		{"the step twice", with("brain:", "faults: {crash: {at: step.2, nth: 2}}\nbrain:"), []string{"faults.crash.nth: the step is in the point"}},
		{"effect of an append", with("brain:", "faults: {crash: {at: journal.after_append, effect: reply}}\nbrain:"), []string{"faults.crash.effect: is for the points effect.before"}},
		{"variable as a key", with(`{user: "hi"}`, `{"${verb}": true}`) + "vars: {verb: approve}\n", []string{":9:6: timeline[0].${verb}: a variable stands for a value, not for a key; let one stand for the whole map"}},
		{"property in a scenario's file", strings.Replace(casetest.Valid, "scenario: 1", "property: 1", 1), []string{"f.scenario.yaml:1:1: property: this is a property, whose file's name ends in .property.yaml; rename the file"}},
		{"text in place of a list", with(`["hello"]`, `hello`), []string{`:11:12: expect.replies: wants a list, and "hello" matches none; write ["hello"], or {$contains: "hello"} for one of several`}},
		{"number in place of a path", with("replies:", "handle: {path: 3}\n  replies:"), []string{"expect.handle.path: wants a list, and 3 matches none; write [3], or "}},
		{"operator without its sign", with(`["hello"]`, `[{contains: hello}]`), []string{"expect.replies: unknown key contains; did you mean the matcher $contains?"}},
		{"speed of no server", with(`{user: "hi"}`, `{server: {reads: 5/s}}`), []string{":9:6: timeline[0].server: there is no server to be faster or slower; give server, such as server: laptop"}},
		{"no speed", with(`{user: "hi"}`, `{server: {}}`) + "server: laptop\n", []string{"timeline[0].server: is empty; the keys here are: reads, writes"}},
		{"speed in other words", with(`{user: "hi"}`, `{server: {writes: 5}}`) + "server: laptop\n", []string{"timeline[0].server.writes: wants tokens a second such as 25/s, not the number 5"}},
		{"outcome that none is", with(`["hello"]`, "[{outcome: done}]"), []string{":11:23: expect.replies: unknown outcome done; allowed: answered, exhausted, cut, failed, timeout, cancelled, refused"}},
		{"question within an item that none is", with("brain:", "never: [{question: {question: aprove}}]\nbrain:"), []string{"never[0]: unknown question aprove; did you mean approve?"}},
		{"purpose that none is", with("replies:", "asked: {$contains: {purpose: awnser}}\n  replies:"), []string{"expect.asked: unknown purpose awnser; did you mean answer?"}},
		{"exit that none is", with("replies:", "exit: cleen\n  replies:"), []string{"expect.exit: unknown exit cleen; did you mean clean?"}},
		{"effect of an item that none is", with("brain:", "never: [{effect: runtool}]\nbrain:"), []string{"never[0]: unknown effect runtool; did you mean run_tool?"}},
		{"state of an item that none is", with("brain:", "never: [{that: {state: {$one_of: [failed, cognishun]}}}]\nbrain:"), []string{"never[0]: unknown state cognishun; did you mean cognition?"}},
		{"state of an item's other table", with("brain:", "never: [{table: lifecycle, state: thinking}]\nbrain:"), []string{"never[0]: unknown state thinking"}},
		{"word of an item's when", with("brain:", "always: [{that: 'active <= 1', when: {ask: anser}}]\nbrain:"), []string{"always[0]: unknown ask anser; did you mean answer?"}},
		{"word within an item", with("brain:", "never: [{question: {question: aprove}}]\nbrain:"), []string{"never[0]: unknown question aprove; did you mean approve?"}},
		{"timer of an item that is counted", with("expect:", "expect:\n  trace: [{count: {of: {timer: handel}, is: 0}}]"), []string{"expect.trace[0]: unknown timer handel; did you mean handle?"}},
		{"unknown effect", with("brain:", "faults: {crash: {at: effect.after, effect: runtool}}\nbrain:"), []string{"unknown effect runtool; did you mean run_tool?"}},
		{"expects nothing", with("expect:\n  replies: [\"hello\"]\n", ""), []string{":2:1: expects nothing"}},
		{"empty expect", with("  replies: [\"hello\"]\n", "  {}\n"), []string{"expect: is empty"}},
		{"handle without a path", with(`replies: ["hello"]`, "handle: {kind: user}"), []string{"expect.handle: expects nothing"}},
		{"handles without a path", with(`replies: ["hello"]`, "handles: [{kind: user}]"), []string{"expect.handles[0]: expects nothing"}},
		{"tool that is not declared", with(`replies: ["hello"]`, "tools: {exek: {starts: 1}}"), []string{"expect.tools.exek: unknown tool exek; did you mean exec?"}},
		{"lists that hold whatever happens", with(`replies: ["hello"]`, "trace: []\n  handles: []\n  tools: {}"), []string{
			"expect.trace: is empty and so says nothing; leave it out", "expect.handles: is empty and", "expect.tools: is empty and"}},
		{"tokens that no server counts", with(`replies: ["hello"]`, "tokens: {ratio: {$lte: 1.05}}"), []string{"expect.tokens: only a server counts tokens, and without one they are 0; give server, such as server: laptop"}},
		{"two orderings in one", with(`replies: ["hello"]`, "trace: [{never: {tool: a}, before: [{tool: a}, {tool: b}]}]"), []string{"expect.trace[0]: before and never exclude each other"}},
		{"before with one item", with(`replies: ["hello"]`, "trace: [{before: [{tool: a}]}]"), []string{"expect.trace[0].before: wants two items"}},
		{"in_order with one item", with(`replies: ["hello"]`, "trace: [{in_order: [{tool: a}]}]"), []string{"wants two items or more"}},
		{"unknown item", with(`replies: ["hello"]`, "trace: [{never: {tol: a}}]"), []string{"expect.trace[0].never.tol: unknown key tol; did you mean tool?"}},
		{"claim that is a list", with("expect:", "always: [[x]]\nexpect:"), []string{"always[0]: wants an expression such as \"active <= 1\" or an item such as {tool: exec}, found a list"}},
		{"item that is no map", with("expect:", "expect:\n  trace: [{never: x}]"), []string{"expect.trace[0].never: wants a map such as {tool: exec}, found the text"}},
		{"item that is a matcher", with("expect:", "never: [{$any: true}]\nexpect:"), []string{"never[0]: wants a map such as {tool: exec}"}},

		{"profile that is like no other", with("brain:", "profile: mine\nbrain:"), []string{"unknown profile mine; allowed: default, shelly, countbot"}},
		{"unknown setting", with("brain:", "config: {max_quoue: 1}\nbrain:"), []string{"config.max_quoue: unknown key max_quoue; did you mean max_queue?"}},
		{"empty config", with("brain:", "config: {}\nbrain:"), []string{"config: is empty; the keys here are: init, max_tool_rounds"}},
		{"setting without a value", with("brain:", "config: {compress: }\nbrain:"), []string{"config.compress: has no value"}},
		{"word of no switch", with("brain:", "config: {history: some}\nbrain:"), []string{"config.history: unknown word some; allowed: none, answers, all"}},
		{"switch for a word", with("brain:", "config: {cancel: true}\nbrain:"), []string{"config.cancel: wants text, not the switch true"}},
		{"word for a switch of the machine", with("brain:", "config: {compress: on}\nbrain:"), []string{"config.compress: wants true or false"}},
		{"unknown init", with("brain:", "config: {init: once}\nbrain:"), []string{"config.init: unknown word once; allowed: every_start, first_start, off"}},
		{"one wait for a list", with("brain:", "config: {backoff: 1s}\nbrain:"), []string{"config.backoff: wants a list"}},
		{"wait that is none", with("brain:", "config: {backoff: [1s, 2]}\nbrain:"), []string{"config.backoff[1]: wants a duration"}},
		{"temperature in words", with("brain:", "config: {temperature: warm}\nbrain:"), []string{"config.temperature: wants a number such as 0.7"}},
		{"temperature below 0", with("brain:", "config: {temperature: -0.5}\nbrain:"), []string{"write the number -0.5 in plain decimal, at least 0"}},
		{"temperature too fine", with("brain:", "config: {temperature: 0.0001}\nbrain:"), []string{"has more than three decimals"}},
		{"temperature with an exponent", with("brain:", "config: {temperature: 1e1}\nbrain:"), []string{"write the number 1e1 in plain decimal"}},
		{"claims about tokens that no server counts", with("expect:", `always: ["sent < 3"]
never: [{that: "read > 3", when: "written > 0"}]
eventually: [{that: "replies == 1", when: "sent > 0"}]
expect:`), []string{
			"always[0]: only a server counts tokens, and without one sent is 0; give server, such as server: laptop",
			"never[0].that: only a server counts tokens, and without one read is 0; give ",
			"never[0].when: only a server counts tokens, and without one written is 0; give ",
			"eventually[0].when: only a server counts tokens, and without one sent is 0; give "}},
		{"unknown prompt", with("brain:", "config: {prompts: {identiti: x}}\nbrain:"), []string{"config.prompts.identiti: unknown key identiti; did you mean identity?"}},
		{"prompts in a text", with("brain:", "config: {prompts: x}\nbrain:"), []string{"config.prompts: wants a map of identity, sections"}},
		{"section of nothing known", with("brain:", "config: {prompts: {sections: [{title: a, of: memorie}]}}\nbrain:"), []string{"sections[0].of: unknown word memorie; did you mean memory?"}},
		{"tool to declare that is not there", with("brain:", "config: {tools: [exec, spwan]}\nbrain:"), []string{"config.tools[1]: unknown tool spwan; did you mean spawn?"}},
		{"unknown part of about", with("brain:", "about: {nam: x}\nbrain:"), []string{"about.nam: unknown key nam; did you mean name?"}},
		{"clock of nothing", with("brain:", "clock: {}\nbrain:"), []string{"clock: is empty; the keys here are: zone, start, until"}},
		{"until no duration", with("brain:", "clock: {until: 5}\nbrain:"), []string{"clock.until: wants a duration"}},
		{"an offset that is none", with("brain:", "clock: {zone: {name: X, offset: \"25h\"}}\nbrain:"), []string{"clock.zone.offset: wants an offset from UTC such as \"+02:00\""}},

		{"skill without a name", with("brain:", "skills: [{text: x}]\nbrain:"), []string{"skills[0]: the key name is missing"}},
		{"skill with an empty name", with("brain:", "skills: [{name: ''}]\nbrain:"), []string{"skills[0].name: is empty"}},
		{"two skills of one name", with("brain:", "skills: [{name: a}, {name: a}]\nbrain:"), []string{"skills[1].name: an entry before has this name"}},
		{"references in a list", with("brain:", "skills: [{name: a, references: [b]}]\nbrain:"), []string{"skills[0].references: wants a map by name"}},
		{"sessions in a list", with("brain:", "sessions: [a]\nbrain:"), []string{"sessions: wants a map by name"}},
		{"unknown part of a session", with("brain:", "sessions: {a: {histori: []}}\nbrain:"), []string{"sessions.a.histori: unknown key histori; did you mean history?"}},
		{"message of nobody", with("brain:", "sessions: {a: {history: [{text: x}]}}\nbrain:"), []string{"sessions.a.history[0]: the key role is missing"}},
		{"two arguments of a call", with("brain:", "sessions: {a: {history: [{role: assistant, calls: [{tool: t, args: {a: 1}, malformed_arguments: x}]}]}}\nbrain:"), []string{"history[0].calls[0]: args and malformed_arguments exclude each other"}},
		{"loaded skill that is not there", with("brain:", "skills: [{name: weather}]\nsessions: {a: {skills: [wether]}}\nbrain:"), []string{"sessions.a.skills[0]: unknown skill wether; did you mean weather?"}},
		{"loaded reference that is not there", with("brain:", "skills: [{name: a}]\nsessions: {a: {skills: [{name: a, reference: b}]}}\nbrain:"), []string{"have no reference b of a; give its text"}},
		{"file that is no text", with("brain:", "memory_file: [a]\nbrain:"), []string{"memory_file: wants text"}},

		{"raw and says", with(`{says: "hello"}`, `{says: a, raw: b}`), []string{"brain[0]: says or calls and raw exclude each other"}},
		{"tokens of nothing known", with(`{says: "hello"}`, `{says: a, tokens: {promt: 1}}`), []string{"brain[0].tokens.promt: unknown key promt; did you mean prompt?"}},
		{"calls as text without calls", with("brain:", "sessions: {a: {history: [{role: assistant, text: b, as_text: true}]}}\nbrain:"), []string{"history[0].as_text: says that the message's calls were written as text, and it has no calls"}},
		{"bad and good arguments", with(`{says: "hello"}`, `{calls: [{tool: exec, args: {a: 1}, malformed_arguments: x}]}`), []string{"brain[0].calls[0]: args and malformed_arguments exclude each other"}},
		{"unknown purpose", with("timeline:", "brain_for: {compakt: [{says: a}]}\ntimeline:"), []string{"brain_for.compakt: unknown key compakt; did you mean compact?"}},
		{"subagent's line", with("timeline:", "brain_for: {subagent: [{says: a, hangs: true}]}\ntimeline:"), []string{"brain_for.subagent[0]: says or calls and hangs exclude each other"}},
		{"compaction's line", with("timeline:", "brain_for: {compact: [{takes: 1s}]}\ntimeline:"), []string{"brain_for.compact[0]: says nothing"}},
		{"nothing happened, and it worked", with(`returns: "x"`, `returns: "x", nothing: true`), []string{"tools.exec[0]: nothing and invalid belong to fails"}},
		{"retryable and invalid", with(`returns: "x"`, `fails: {code: x, retryable: true}, invalid: true`), []string{"tools.exec[0]: retryable and invalid exclude each other"}},

		{"command that is none", with(`{user: "hi"}`, `{command: new}`), []string{"timeline[0].command: a command begins with /"}},
		{"request and command", with(`{user: "hi"}`, `{user: hi, command: /new}`), []string{"timeline[0]: user and command exclude each other"}},
		{"chat of nobody", with(`{user: "hi"}`, `{cancel: true, chat: a}`), []string{"session, channel, chat, id, images and context belong to user"}},
		{"picture that is no text", with(`{user: "hi"}`, `{user: hi, images: [1]}`), []string{"timeline[0].images[0]: wants text"}},
		{"context without a role", with(`{user: "hi"}`, `{user: hi, context: [{text: a}]}`), []string{"timeline[0].context[0]: the key role is missing"}},
		{"cancel that is not wanted", with(`{user: "hi"}`, `{cancel: false}`), []string{"timeline[0].cancel: wants true; what is not wanted is left out"}},
		{"rest that is not wanted", with(`{user: "hi"}`, `{user: hi}`) + "  rests: false\n", []string{"expect.rests: belongs to replay; of other cases expect.ends tells the state at rest"}},
		{"cancel of a number", with(`{user: "hi"}`, `{cancel: 2}`), []string{"timeline[0].cancel: wants true for the last request, or the id of one"}},
		{"cancel in a list", with(`{user: "hi"}`, `{cancel: [a]}`), []string{"timeline[0].cancel: wants true, one that is named, or a map"}},
		{"approval by a word", with(`{user: "hi"}`, `{approve: yes}`), []string{"timeline[0].approve: wants true for the last question that is open"}},
		{"refusal with a long reason", with(`{user: "hi"}`, `{deny: {reason: "`+strings.Repeat("a", fsm.ReasonBytesMax+1)+`"}}`), []string{"timeline[0].deny.reason: a reason has at most 2,000 bytes, and this one has 2,001; shorten it"}},
		{"a long name of who decides", with(`{user: "hi"}`, `{approve: {by: "`+strings.Repeat("a", fsm.ByBytesMax+1)+`"}}`), []string{"timeline[0].approve.by: who decides has at most 128 bytes, and this has 129"}},
		{"refusal of the 0th", with(`{user: "hi"}`, `{deny: 0}`), []string{"timeline[0].deny: wants a number of at least 1"}},
		{"approval by what there is not", with(`{user: "hi"}`, `{approve: {who: a}}`), []string{"timeline[0].approve.who: unknown key who; allowed: nth, tool, by"}},
		{"word that is no text", with(`{user: "hi"}`, `{resolve: [a]}`), []string{"timeline[0].resolve: wants a map of text, nth"}},
		{"configure with an unknown key", with(`{user: "hi"}`, `{configure: {temprature: 1}}`), []string{"timeline[0].configure.temprature: unknown key temprature; did you mean temperature?"}},
		{"approvals for a tool that there is not (SCN-71)", with("brain:", "config: {approve: {exek: always, exec: never, cron: always}}\nbrain:"), []string{"config.approve.exek: unknown tool exek; did you mean exec?"}},
		{"approvals for a pattern", with("brain:", "config: {approve: {'e*': always}}\nbrain:"), []string{"config.approve.e*: unknown tool e*"}},
		{"configure with approvals for an unknown tool", with(`{user: "hi"}`, `{configure: {approve: {exek: always}}}`), []string{"timeline[0].configure.approve.exek: unknown tool exek; did you mean exec?"}},
		{"approval of a call of an unknown tool", with(`{user: "hi"}`, `{approve: {tool: exek}, optional: true}`), []string{"timeline[0].approve.tool: unknown tool exek; did you mean exec?"}},
		{"refusal of a call of an unknown tool", with(`{user: "hi"}`, `{deny: {tool: exek}}`), []string{"timeline[0].deny.tool: unknown tool exek; did you mean exec?"}},
		{"configure with an unknown tool", with(`{user: "hi"}`, `{configure: {tools: [exek]}}`), []string{"timeline[0].configure.tools[0]: unknown tool exek; did you mean exec?"}},
		{"edit that is no text", with(`{user: "hi"}`, `{edit_memory: 1}`), []string{"timeline[0].edit_memory: wants text"}},
		{"edit of no session", with(`{user: "hi"}`, `{edit_session: {history: []}}`), []string{"timeline[0].edit_session: the key session is missing"}},
		{"edit with an unknown skill", with(`{user: "hi"}`, `{edit_session: {session: a, skills: [b]}}`), []string{"edit_session.skills[0]: unknown skill b; there is none"}},
		{"sessions that fail and work", with(`{user: "hi"}`, `{sessions: {fails: x, works: true}}`), []string{"timeline[0].sessions: fails and works exclude each other"}},
		{"sessions only elsewhere", with(`{user: "hi"}`, `{sessions: {only: lod, hangs: true}}`), []string{"timeline[0].sessions.only: unknown word lod; did you mean load?"}},
		{"skills that fail and hang", with(`{user: "hi"}`, `{skills: {fails: x, hangs: true}}`), []string{"timeline[0].skills: fails and hangs exclude each other"}},
		{"unknown kind of handle", with(`replies: ["hello"]`, "handle: {kind: subagnet, path: []}"), []string{"expect.handle.kind: unknown word subagnet; did you mean subagent?"}},
		{"unknown expectation", with(`replies: ["hello"]`, "mesages: []"), []string{"expect.mesages: unknown key mesages; did you mean messages?"}},

		{"matcher of another tool", with(`["hello"]`, `[{$matches: x}]`), []string{":11:14: expect.replies[0].$matches: unknown matcher $matches; did you mean $regex?"}},
		{"matcher of another tool without $", with(`["hello"]`, "[{text: {in: [x]}}]"), []string{"unknown matcher in; did you mean $one_of?"}},
		{"unknown matcher", with(`["hello"]`, `[{$regx: x}]`), []string{":11:14: expect.replies[0].$regx: unknown matcher $regx; did you mean $regex?"}},
		{"matcher with a neighbour", with(`["hello"]`, `[{$regex: x, text: y}]`), []string{"a matcher is a map with one key; {$all: [ … ]} joins several"}},
		{"no regular expression", with(`["hello"]`, `[{$regex: "["}]`), []string{"expect.replies[0].$regex: is not a valid regular expression: missing closing ]"}},
		{"regular expression that turns the line round", with(`["hello"]`, "[{$regex: \"[\u202e\"}]"), []string{"is not a valid regular expression"}},
		{"regular expression that is no text", with(`["hello"]`, `[{$regex: 1}]`), []string{"$regex: wants text, not the number 1"}},
		{"any with an operand", with(`["hello"]`, `[{$any: 1}]`), []string{"$any: wants true, not the number 1"}},
		{"comparison with a text", with(`["hello"]`, `[{$gt: a}]`), []string{"$gt: wants a number"}},
		{"choice of nothing", with(`["hello"]`, `[{$one_of: []}]`), []string{"$one_of: the list is empty"}},
		{"choice that is no list", with(`["hello"]`, `[{$one_of: a}]`), []string{"$one_of: wants a list"}},
		{"count that is all of nothing", with("expect:", "faults: {crash: {at: $every}}\nexpect:\n  memory: {entries: {$all: {}}}"), []string{"expect.memory.entries.$all: wants a list, found a map"}},
		{"empty matcher", with(`["hello"]`, `[{}]`), []string{"expect.replies[0]: is empty and so says nothing"}},
		{"null in a matcher", with(`["hello"]`, `[null]`), []string{"{$absent: true} expects that there is none"}},
	}
}

func TestSCN2LoadErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	for _, test := range brokenFiles(t) {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f.scenario.yaml", []byte(test.yaml))
			var load *strict.Error
			if !errors.As(err, &load) {
				t.Fatalf("error %v, want a strict.Error", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error:\n%s\nwant in it: %s", err, want)
				}
			}
			for _, r := range err.Error() {
				if r != '\n' && wording.Printable(r) != r {
					t.Errorf("the error shows %U: %q", r, err)
				}
			}
			if p := load.Problems[0]; p.Pos.Line == 0 {
				t.Errorf("problem without a place: %+v", p)
			}
		})
	}
	if _, err := Parse("f.scenario.yaml", []byte(casetest.Valid)); err != nil {
		t.Errorf("the valid file: %v", err)
	}
}

func TestSCN2AllProblemsAreReported(t *testing.T) {
	const source = `scenario: 1
name: 12
coverz: [INF-2]
tools:
  exec:
    - arg: {command: "df"}
      takes: -3s
brain:
  - calls: [{tool: exec}]
    takes: 5
timeline:
  - {user: "磁盘满了吗?", foo: 1}
expect:
  replies: [{$regx: "["}, {$regex: "["}]
`
	_, err := Parse("many.scenario.yaml", []byte(source))
	var load *strict.Error
	if !errors.As(err, &load) {
		t.Fatal(err)
	}
	casetest.SameAsFile(t, "problems", load.Detail())
}

func TestProblemsBeyondTheBoundAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(casetest.Valid)
	for i := range strict.ProblemsMax + 20 {
		b.WriteString("x" + strings.Repeat("y", i) + ": 1\n")
	}
	_, err := Parse("f.scenario.yaml", []byte(b.String()))
	if text := err.Error(); strings.Count(text, "\n") != strict.ProblemsMax || !strings.HasSuffix(text, "and 20 more problems") {
		t.Errorf("error:\n%s", text)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	fsys := fstest.MapFS{
		"folder/x":  {},
		"large":     {Data: []byte(strings.Repeat("x", strict.FileBytesMax+1))},
		"link":      {Mode: os.ModeSymlink},
		"just.yaml": {Data: []byte(casetest.Valid + strings.Repeat("#", strict.FileBytesMax-len(casetest.Valid)))},
	}
	for path, want := range map[string]string{
		"missing": "missing: no such file",
		"folder":  "folder: is a directory, not a file",
		"large":   "large: is too large; the limit is 4096 KiB",
	} {
		if _, err := Load(fsys, path); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	if _, err := Load(fsys, "just.yaml"); err != nil {
		t.Errorf("a file of the largest size: %v", err)
	}
}

func TestAliasesStandForWhatTheyName(t *testing.T) {
	f, err := Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Valid, `["hello"]`, `[&h "hello"]
  reports: {$absent: true}
  notices: [*h]`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Expect.Notices.String(); got != `["hello"]` {
		t.Errorf("notices: %s", got)
	}
}
