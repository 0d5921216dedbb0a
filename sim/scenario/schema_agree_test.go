package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// ready is a committed schema, to validate by; that it is the types' is a test of package
// format.
func ready(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("../../scenarios/schema/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	s.ID = "" // relative, for editors
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The schema accepts every scenario of the project (SCN-20).
func TestSchemaAcceptsTheProjectsScenarios(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	for path, source := range projectFiles(t) { // order-free: each is looked at by itself
		plain, ok := plainSource(source)
		if !ok {
			t.Fatal(path)
		}
		if err := schema.Validate(plain); err != nil {
			t.Errorf("%s: got %v; want no error", path, err)
		}
	}
}

// projectFiles are the sources of the project's scenarios by path.
func projectFiles(t *testing.T) map[string][]byte {
	t.Helper()
	fsys := os.DirFS("../../scenarios")
	targets, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, target := range targets {
		if strings.HasSuffix(target.Path, document.PropertySuffix) {
			continue
		}
		if files[target.Path], err = strict.ReadFile(fsys, target.Path, strict.FileBytesMax); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// loaderAlone are the words of errors that a schema cannot know of: how a file is
// written, and what is within a text.
var loaderAlone = []string{
	"already given", "tags (", "nested too deep", "aliases written out", "in plain decimal", "is too large", "decimals",
	"is not a valid regular expression", "whole milliseconds", "wants one line", "is negative", "such as 5s or 300ms",
	"control character", "bytes long", // of a prompt
	"the least is 1m", "the least is 1s", "nothing has the length", // of a duration, and in a matcher
	"there is no such time",
}

// What does not fit the types of the format does not fit the schema (SCN-20).
func TestSchemaRefusesWhatDoesNotFitTheTypes(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	refused := 0
	for _, test := range brokenFiles(t) {
		plain, ok := plainSource([]byte(test.yaml))
		if !ok || strings.Contains(test.name, "alias") {
			continue // no YAML, or more than can be written out
		}
		problems := misfits([]byte(test.yaml))
		if len(problems) == 0 || slices.ContainsFunc(loaderAlone, func(words string) bool { return strings.Contains(problems[0].Text, words) }) {
			continue
		}
		refused++
		if schema.Validate(plain) == nil {
			t.Errorf("%s: the schema accepts what the loader refuses: %s", test.name, problems[0].Text)
		}
	}
	if refused < 80 {
		t.Errorf("only %d files were compared", refused)
	}
}

// The schema and the loader take the same words of an item (SCN-20, SCN-56).
func TestSchemaKnowsTheWordsOfItems(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	for item, fits := range map[string]bool{ // order-free: each for itself
		"{ask: answer}": true, "{ask: answre}": false, "{timer: backoff}": true, "{timer: back_off}": false,
		"{notice: deferred}": true, "{notice: defered}": false, "{notice: {notice: deferred}}": true,
		"{question: approve}": true, "{question: allow}": false, "{exit: clean}": true, "{exit: cleen}": false,
		"{table: handle, state: loading}": true, "{table: handles}": false, "{state: loadin}": false,
		"{table: inference, state: compacting}": true, "{state: failed}": true, // former names (INF-30)
		"{input: boot}": true, "{input: boots}": false, "{effect: reply}": true, "{effect: replies}": false,
		"{ask: {$one_of: [answer, init]}}": true, "{ask: {$any: true}}": true, "{ask: \"${word}\"}": true, "{tool: anything}": true,
	} {
		source := "scenario: 1\nname: x\nvars: {word: init}\ntimeline: [{user: hi}]\nnever: [" + item + "]\n"
		plain, _ := plainSource([]byte(source))
		_, loader := Parse("f.scenario.yaml", []byte(source))
		if of := schema.Validate(plain); (loader == nil) != fits || (of == nil) != fits {
			t.Errorf("%s: want %v; the loader says %v, the schema %v", item, fits, loader, of)
		}
	}
}

// SCN-56: what no list matches is not expected of one.
func TestSCN56AListIsExpectedOfWhatIsOne(t *testing.T) {
	for expect, fits := range map[string]bool{ // order-free: each for itself
		"replies: {text: hi}": false, "replies: {$regex: hi}": false, "replies: {$one_of: [hi, 3]}": false, "replies: {$one_of: [hi, [hi]]}": true, "replies: {$one_of: [{$exact: hi}, [hi]]}": true, "asked: [{tools: exec}]": false, "inferences: [{$contains: thinking}]": true, "inferences: [thinking]": false,
		"replies: {$all: [{$len: 2}, hi]}": false, "replies: {$all: [{$len: 1}, {$contains: hi}]}": true, "replies: {$exact: hi}": false, "replies: {$literal: [hi]}": true,
		"replies: {$literal: hi}": false, "replies: {$unordered: [hi]}": true, "replies: {$any: true}": true, "replies: {$len: {$gt: 0}}": true, "replies: {$gt: 1}": false,
		"messages: hi": false, "audit: exec": false, "asked: answer": false, "questions: approve": false, "history_file: x": false, "lifecycle: {path: down}": false,
		"inferences: thinking": false, "memory_file: x": true, "memory: {entries: 1}": true, "exit: clean": true,
	} {
		_, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {"+expect+"}\n"))
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "wants a list, and ") {
			t.Errorf("%s: got %v; fits: %v", expect, err, fits)
		}
	}
	if _, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\nbrain: [{says: hi, sees: {tools: exec}}]\nexpect: {ends: serving}\n")); err == nil || !strings.Contains(err.Error(), "brain[0].sees.tools: wants a list") {
		t.Errorf("got %v", err)
	}
}

// SCN-56: the words of lists and matchers are those that things have, and former names of states are
// known (INF-30).
func TestSCN56WordsWithinListsAndMatchersAreKnown(t *testing.T) {
	for expect, want := range map[string]string{ // order-free: each for itself
		"handle: {path: [queued, loadng]}":                                                  "3:34: expect.handle.path: unknown state loadng; did you mean loading?",
		"handles: [{kind: user, path: {$contains: loadng}}]":                                "expect.handles[0].path: unknown state loadng; did you mean loading?",
		"handle: {path: [queued, \"\"]}":                                                    "unknown state \"\"; allowed: queued",
		"handles: [{kind: user, inferences: [[thinking, {$one_of: [compacting, acing]}]]}]": "expect.handles[0].inferences: unknown state acing; did you mean acting?",
		"inference: {path: [thinking, cognition]}":                                          "expect.inference.path: unknown state cognition",
		"inferences: [[thinking, compacting, {$regex: '^brok'}, failed]]":                   "",
		"inferences: [[thinking, {$regex: '^fail'}]]":                                       "3:34: expect.inferences: {$regex: \"^fail\"} fits no state; allowed: thinking, ",
		"replies: [{outcome: {$one_of: [{$contains: fail}, {$contains: error}]}}]":          "expect.replies: {$contains: \"error\"} fits no outcome; allowed: answered, ",
		"replies: [{outcome: {$all: [{$len: 6}, {$gt: 5}]}}]":                               "expect.replies: ",
		"lifecycle: {path: {$all: [{$len: 2}, [down, servin]]}}":                            "expect.lifecycle.path: unknown state servin; did you mean serving?",
		"replies: [{outcome: {$one_of: [answered, refuse]}}]":                               "expect.replies: unknown outcome refuse; did you mean refused?",
		"replies: [{outcome: {$literal: done}}]":                                            "unknown outcome done",
		"questions: [approve, unknwon]":                                                     "expect.questions: unknown question unknwon; did you mean unknown?",
		"asked: [answer, {$any: true}, {purpose: summary}, sumary]":                         "expect.asked: unknown purpose sumary; did you mean summary?",
		"asked: [{messages: {$contains: {source: [persn]}}}]":                               "expect.asked: unknown source persn; did you mean person?",
		"memory: {entries: [{kind: users}]}":                                                "expect.memory.entries: unknown kind users; did you mean user?",
	} {
		_, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {"+expect+"}\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", expect, err, want)
		}
	}
}

// SCN-56: a matcher for another kind of value than a key has is an error; never would hold whatever
// the run does. The schema knows it of the key itself.
func TestSCN56AMatcherIsForWhatAKeyHas(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	for _, test := range []struct{ in, fit, fail, within string }{ // within: what only the loader looks at
		{"never: [{tool: exec, attempt: %s}]", "2|{$gte: 2}|{$one_of: [1, 2]}|{$any: true}|{$lt: 2}|{$literal: 1}", `"2"|one|[2]|true`, `0|-1|1.5|{$lt: 1}|{$literal: 0}|{$gt: 1s}|{$contains: 2}|{$regex: "2"}|{$len: 1}|{$one_of: ["1", x]}|{$all: [2, x]}|{$literal: "2"}`},
		{"never: [{state: done, handle: %s}]", "1|{$gt: 2}", "x|true", "0|-1|{$lte: 0}|{$all: [1, 0]}"},
		{"never: [{reply: %s}]", `"2"|{is_error: true}|{$literal: {id: a, text: b, is_error: true}}|{$contains: x}|{$gt: 5s}|{$len: {$gt: 9}}`, "2|true|[x]", "{$contains: 2}|{$contains: [x]}|{$contains: {$regex: x}}|{$gt: 5}|{$unordered: [x]}|{$exact: 2}|{$literal: {ids: a}}"},
		{"never: [{reply: %s}]", "{$exact: {id: a, text: b, is_error: true}}|{$one_of: [{$exact: {text: a}}, b]}", "", "{$exact: {text: a}}|{$literal: {text: a}}|{$exact: {$all: [{id: a}, {text: b}]}}|{$one_of: [{$exact: {text: a}}, {$exact: {id: a}}]}"},
		{"never: [{question: %s}]", "{$exact: {question: approve, id: a, session: b}}", "", "{$exact: {question: approve}}"},
		{"expect: {asked: [{messages: %s}]}", "{$contains: {$exact: {role: user, text: hi}}}", "", "{$contains: {$exact: {text: hi}}}|[{$literal: {text: hi}}]"},
		{"expect: {sessions: %s}", "{$exact: {a: {$any: true}}}|{a: {$absent: true}}", "", "{a: {$exact: {version: 1}}}|{$exact: {a: {version: 1, history: [], pending: [], archive: [], ratio: 1}}}"},
		{"never: [{reply: {is_error: %s}}]", "true|{$one_of: [true]}|{$absent: true}", `"true"|no|0`, "{$contains: t}|{$gt: 0}"},
		{"never: [{timer: grace, after: %s}]", `5s|1m30s|{$lt: 1h}|{$regex: "^5"}`, "5|60min|1d|true", "{$gt: 5}|{$lt: 2026-01-05T09:00:00Z}"},
		{"expect: {clock: {at: %s}}", `"2026-01-05T09:00:00Z"|{$gt: "2026-01-05T09:00:00+02:00"}`, "9:00|5s|1", "{$gt: 5s}"},
		{"never: [{effect: %s}]", "reply|{$all: [{$contains: tool}, {$regex: '^run'}]}|{$exact: reply}", "1|[reply]", "{$all: [reply, {$contains: zz}]}|{$exact: replay}|{$all: [replay]}"},
		{"expect: {replies: [{after: %s}]}", "6s|{$lte: 6s}", "6", "{$lte: 6}"},
		{"expect: {audit: [{attempts: %s}]}", "1|0|{$gt: 0}", `"1"|x`, "1.5|-1|{$lt: 0}|{$gt: 1s}"},
		{"expect: {asked: [{tools: %s}]}", "[exec]|{$contains: exec}|{$len: 2}", "exec|1", "[1]|{$contains: 1}|{$regex: e}"},
		{"expect: {asked: [{options: %s}]}", "{temperature: 0.5}|{$any: true}", "hot|1", "{$gt: 1}|{$contains: x}"},
		{"expect: {sessions: {a: %s}}", "{version: 2}|{$absent: true}", "x|2", "{$gt: 1}|{version: {$gt: 1s}}"},
		{"expect: {inferences: [%s]}", "[thinking]|{$contains: thinking}", "", "thinking|{$contains: [thinking]}"},
	} {
		for _, group := range []struct {
			values     string
			fits, told bool // told by the schema too
		}{{test.fit, true, true}, {test.fail, false, true}, {test.within, false, false}} {
			for value := range strings.SplitSeq(group.values, "|") {
				if value == "" {
					continue
				}
				source := "scenario: 1\nname: x\ntools: {exec: [{returns: x, optional: true}]}\ntimeline: [{user: hi}]\nalways: [active <= 1]\n" + fmt.Sprintf(test.in, value) + "\n"
				plain, _ := plainSource([]byte(source))
				_, loader := Parse("f.scenario.yaml", []byte(source))
				if of := schema.Validate(plain); (loader == nil) != group.fits || group.told && (of == nil) != group.fits {
					t.Errorf(test.in+": fits: %v; the loader says %v, the schema %v", value, group.fits, loader, of)
				}
			}
		}
	}
}

// SCN-56: a pattern that fits a word is not in the way of a key that the others have.
func TestSCN56APatternIsOfTheEffectsThatItFits(t *testing.T) {
	for _, item := range []string{"{effect: {$regex: '^run_'}, tool: x}", "{effect: {$one_of: [reply, {$regex: '^run_'}]}, tool: x}", "{effect: {$any: true}, tool: x}", "{table: {$regex: 'n'}, state: {$regex: '^act'}}"} {
		if _, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\ntools: {x: [{returns: x, optional: true}]}\nnever: ["+item+"]\n")); err != nil {
			t.Errorf("%s: %v", item, err)
		}
	}
}

// SCN-56: what is wrong with a matcher is told at its own place, and how to write it.
func TestSCN56AMatcherThatNothingFitsIsToldAtItsPlace(t *testing.T) {
	for source, want := range map[string]string{ // order-free: each for itself
		"expect: {replies: [{text: {$contains: 92}}]}":                           "3:27: expect.replies: wants text, and {$contains: 92} matches none; quote it if it is meant as text",
		"expect: {replies: [7]}":                                                 "3:20: expect.replies: wants text or a map of after, ",
		"expect: {replies: [{after: 2d}]}":                                       "3:28: expect.replies: wants a duration such as 300s or 1.5s, and \"2d\" matches none; there is no unit for days: write 24h for a day",
		"expect: {replies: [{contains: x}]}":                                     "3:21: expect.replies: unknown key contains; did you mean the matcher $contains?",
		"never: [{reply: {$exact: {text: x}}}]":                                  "3:17: never[0]: each has the key id too, so that {$exact: {text: \"x\"}} without it matches none; name every key, or ",
		"never: [{reply: secret, session: b}]":                                   "3:25: never[0]: no event has reply and session; beside reply there can be effect, handle",
		"never: [{effect: reply, tool: exec}]":                                   "3:25: never[0]: no event has the effect reply and tool; beside effect there can be handle, reply",
		"never: [{effect: clear_timer, timer: grace}]":                           "no event has the effect clear_timer and timer",
		"always: [{that: active == 1, when: {input: boot, state: serving}}]":     "always[0]: no event has input and state",
		"expect: {trace: [{eventually: {reply: x, tool: pay}}]}":                 "expect.trace[0]: no event has reply and tool",
		"never: [{tool: exec, tol: exec}]":                                       "3:22: never[0].tol: unknown key tol; did you mean tool?",
		"never: [{effect: {$regex: '^run-'}}]":                                   "3:18: never[0]: {$regex: \"^run-\"} fits no effect; allowed: ",
		"never: [{table: handle, state: {$one_of: [done, {$contains: think}]}}]": "never[0]: {$contains: \"think\"} fits no state; allowed: queued, ",
		"never: [{effect: {$any: true}, reply: x, session: b}]":                  "never[0]: no event has effect and reply and session; beside effect there can be after, args, ",
		"never: [{effect: {$regex: '^run_'}, reply: x}]":                         "never[0]: no event has the effect run_tool or run_probe and reply; beside effect there can be args, attempt, ",
		"expect: {questions: [3]}":                                               "3:22: expect.questions: unknown question 3; allowed: approve",
		"expect: {trace: [{count: {of: {tool: x}, is: x}}]}":                     "3:46: expect.trace[0].count.is: there are never \"x\" of them",
	} {
		if _, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\n"+source+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", source, err, want)
		}
	}
}

func TestSCN20SchemaKnowsTheBoundsOfValues(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	skill, live, zone := "skills: [{name: %s}]", "brain: live\nrepeat: %s", "clock: {zone: {name: X, offset: %s}}"
	for _, test := range []struct {
		in   string
		fit  []string
		fail []string
	}{
		{live, []string{"1", "1000"}, []string{"0", "1001"}},
		{zone, []string{"Z", "z", "UTC", `"+5"`, `"+530"`, `"-0530"`, `"+14:59"`, `"-00:00"`}, []string{`"+15"`, `"+5:30"`, `"+02:60"`, `"+99:00"`, "+0200", "0", `""`}},
		{skill, []string{"x"}, []string{`""`}},
		{"config: {max_queue: %s}", []string{"1", "100000"}, []string{"0", "100001", "3000000000"}},
		{"config: {answer_percent: %s}", []string{"0", "50"}, []string{"-1", "51"}},
		{"config: {heartbeat: {every: 1h, idle: 1h, chance: %s}}", []string{"1", "100"}, []string{"0", "101"}},
		{"config: {prompts: {init: %s}}", []string{"x"}, []string{`""`, `" "`}},
		{"tool_servers: {count: 1, tools: %s}", []string{"1", "50"}, []string{"0", "51"}},
		{"faults: {store: {fails: x, nth: %s}}", []string{"1", "2147483647"}, []string{"0", "2147483648"}},
		{"expect: %s", []string{"{golden: [trace]}", "{handles: [{path: [queued]}]}", "{tools: {exec: {starts: 0}}}"}, []string{"{golden: []}", "{handles: []}", "{tools: {}}", "{trace: []}"}},
		{"expect: {trace: [{before: %s}]}", []string{"[{reply: a}, {reply: b}]"}, []string{"[{reply: a}]", "[{reply: a}, {reply: b}, {reply: c}]"}},
		{"expect: {trace: [{in_order: %s}]}", []string{"[{reply: a}, {reply: b}, {reply: c}]"}, []string{"[]", "[{reply: a}]"}},
	} {
		for _, value := range slices.Concat(test.fit, test.fail) {
			source := "scenario: 1\nname: x\ntools: {exec: [{returns: x, optional: true}]}\ntimeline: [{user: hi}]\nnever: [{exit: clean}]\n" + fmt.Sprintf(test.in, value) + "\n"
			if !strings.Contains(source, "live") {
				source += "brain: [{says: hi}]\n"
			}
			plain, _ := plainSource([]byte(source))
			_, loader := Parse("f.scenario.yaml", []byte(source))
			want := slices.Contains(test.fit, value)
			if of := schema.Validate(plain); (loader == nil) != want || (of == nil) != want {
				t.Errorf("%s: want %v; the loader says %v, the schema %v", source, want, loader, of)
			}
		}
	}
}

// misfits are the problems of a file that are reported before its values are checked
// against each other.
func misfits(source []byte) []strict.Problem {
	_, err := document.Load(nil, "f.scenario.yaml", source, format.Read, func(*format.File) []strict.Problem { return nil })
	if wrong, ok := errors.AsType[*strict.Error](err); ok {
		return wrong.Problems
	}
	return nil
}

// Whatever the loader accepts, the schema accepts: the project's scenarios, changed
// here and there (SCN-20).
func TestSchemaAcceptsWhatLoads(t *testing.T) {
	schema := ready(t, "scenario.v1.json")
	files := projectFiles(t)
	paths := make([]string, 0, len(files))
	for path := range files { // order-free: sorted below
		paths = append(paths, path)
	}
	slices.Sort(paths)
	rapid.Check(t, func(t *rapid.T) {
		root, _ := strict.Parse(files[rapid.SampledFrom(paths).Draw(t, "path")], "a scenario", "")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			change(t, root)
		}
		source, err := strict.Write(root, 0)
		if err != nil {
			t.Skip("no YAML any more")
		}
		if _, err := Parse("f.scenario.yaml", source); err != nil {
			t.Skip("does not load")
		}
		plain, _ := plainSource(source)
		if err := schema.Validate(plain); err != nil {
			t.Errorf("the schema refuses what loads: %v\n%s", err, source)
		}
	})
}

// change changes one value or key of a file.
func change(t *rapid.T, root *strict.Node) {
	var parents []*strict.Node
	var walk func(n *strict.Node)
	walk = func(n *strict.Node) {
		if len(n.Content) > 0 {
			parents = append(parents, n)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(root)
	in := parents[rapid.IntRange(0, len(parents)-1).Draw(t, "in")]
	i := rapid.IntRange(0, len(in.Content)-1).Draw(t, "at")
	width := 1
	if in.Kind == strict.MapKind {
		width, i = 2, i/2*2
	}
	value := in.Content[i+width-1]
	switch rapid.SampledFrom([]string{"drop", "scalar", "variable", "list", "map", "move"}).Draw(t, "how") {
	case "drop":
		in.Content = slices.Delete(in.Content, i, i+width)
	case "scalar":
		word := rapid.SampledFrom([]string{"true", "false", "0", "1", "2.5", "-1", "x", `""`, "1s", "off", "{$any: true}", "[]", "{}", "~", "2026-01-05T09:00:00Z", `"1"`}).Draw(t, "word")
		other, _ := strict.Parse([]byte("it: "+word), "a map", "")
		in.Content[i+width-1] = other.Content[1]
	case "list":
		in.Content[i+width-1] = strict.List(value)
	case "map":
		key := rapid.SampledFrom([]string{"text", "$contains", "$len", "$all", "code", "session", "args"}).Draw(t, "key")
		in.Content[i+width-1] = strict.Map(strict.Text(key), value)
	case "variable":
		root.Put("vars", strict.Map(strict.Text("it"), value))
		in.Content[i+width-1] = strict.Text("${it}")
	case "move":
		other := parents[rapid.IntRange(0, len(parents)-1).Draw(t, "other")]
		if o := rapid.IntRange(0, len(other.Content)-1).Draw(t, "from"); other.Kind == strict.MapKind && in.Kind == strict.MapKind {
			in.Content = append(in.Content, copied(other.Content[o/2*2]), copied(other.Content[o/2*2+1]))
		}
	}
}

// copied is a copy of a node, with what its aliases stand for: one of them, moved below its own
// anchor, would have no end.
func copied(n *strict.Node) *strict.Node {
	n = n.Follow()
	c := *n
	c.Content = nil
	for _, item := range n.Content {
		c.Content = append(c.Content, copied(item))
	}
	return &c
}

// plainSource is a file as a program reads it that knows YAML and not the format, or
// false where it is none, or has a number that JSON does not know.
func plainSource(source []byte) (plain any, ok bool) {
	root, problem := strict.Parse(source, "a file", "")
	if problem != nil || root == nil {
		return nil, false
	}
	v, _ := data.Read(&strict.Decoder{}, root, "")
	return plain, json.Unmarshal([]byte(v.JSON()), &plain) == nil
}

// The schema accepts every property of the project, and refuses what a scenario alone
// has or a property does not know (PRP-2).
func TestTheSchemaOfPropertiesAcceptsEveryProperty(t *testing.T) {
	schema := ready(t, "property.v1.json")
	fsys := os.DirFS("../../scenarios")
	seen := 0
	targets, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if !strings.HasSuffix(target.Path, document.PropertySuffix) {
			continue
		}
		seen++
		source, err := strict.ReadFile(fsys, target.Path, strict.FileBytesMax)
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := plainSource(source)
		if err := schema.Validate(plain); err != nil {
			t.Errorf("%s: got %v; want no error", target.Path, err)
		}
	}
	if seen == 0 {
		t.Error("there is no property")
	}
	for _, test := range brokenProperties() {
		plain, ok := plainSource([]byte(test.yaml))
		if !ok || test.alone {
			continue
		}
		if schema.Validate(plain) == nil {
			t.Errorf("the schema accepts what the loader refuses: %s", test.want)
		}
	}
}
