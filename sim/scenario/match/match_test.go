package match

import (
	"strings"
	"testing"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// expectation returns the matcher that a file has at expect.replies.
func expectation(t *testing.T, yaml string) *Matcher {
	t.Helper()
	m, err := read(t, yaml)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// read reads it, or says what is wrong with it.
func read(t *testing.T, yaml string) (Matcher, error) {
	t.Helper()
	source := []byte("scenario: 1\nname: x\nexpect:\n  replies: " + yaml + "\n")
	root, problem := strict.Parse(source, "a scenario", "")
	if problem != nil {
		t.Fatal(problem)
	}
	d := &strict.Decoder{}
	m := Read(d, root.Get("expect").Get("replies"), "expect.replies")
	if err := strict.Failed("f.scenario.yaml", nil, d.Problems); err != nil {
		return m, err
	}
	return m, nil
}

func TestSCN8AMatcherSaysWhatDoesNotMatch(t *testing.T) {
	const reply = `{"id": "r1", "text": "disk is 92% full", "tokens": 12, "is_error": false, "calls": [{"tool": "exec"}, {"tool": "grep"}], "none": null}`
	tests := []struct {
		matcher string
		value   string // JSON
		wrong   string // part of what the mismatch says; empty: it matches
	}{
		{`a`, `"a"`, ""},
		{`a`, `"b"`, `want "a" got "b"`},
		{`"1"`, `1`, `want "1" got 1`},
		{`1`, `1.0`, ""},
		{`9007199254740993`, `9007199254740992`, "got 9007199254740992"},
		{`1.5`, `1.5`, ""},
		{`true`, `true`, ""},
		{`true`, `"true"`, `want true got "true"`},
		{`2026-01-05`, `"2026-01-05"`, ""},

		{`[a, b]`, `["a", "b"]`, ""},
		{`[a, b]`, `["b", "a"]`, `x[0] want "a"`},
		{`[a]`, `["a", "b"]`, "wants 1 entry, got 2 entries"},
		{`[a, b]`, `["a"]`, "wants 2 entries, got 1 entry"},
		{`[]`, `[]`, ""},
		{`[]`, `"a"`, `want [] got "a"`},

		{`{id: r1}`, reply, ""},
		{`{id: r1, calls: [{tool: exec}, {tool: grep}]}`, reply, ""},
		{`{id: r2}`, reply, `x.id want "r2" got "r1"`},
		{`{missing: r2}`, reply, `x.missing want "r2" got (none)`},
		{`{calls: [{tool: exec}, {tool: sed}]}`, reply, `x.calls[1].tool want "sed"`},
		{`{a: 1}`, `"a"`, `want {a: 1} got "a"`},
		{`{$exact: {a: 1, b: 3}}`, `{"a": 2, "b": 3, "a": 1}`, ""}, // as a tool reads it

		{`{$any: true}`, `0`, ""},
		{`{missing: {$any: true}}`, reply, "want {$any: true} got (none)"},
		{`{none: {$absent: true}}`, reply, ""},
		{`{missing: {$absent: true}}`, reply, ""},
		{`{id: {$absent: true}}`, reply, `want {$absent: true} got "r1"`},

		{`{$exact: {tool: exec}}`, `{"tool": "exec"}`, ""},
		{`{$exact: {tool: exec}}`, `{"tool": "exec", "n": 1}`, "has the key n too"},
		{`{$exact: [{tool: exec}]}`, `[{"tool": "exec", "n": 1}]`, "has the key n too"},
		{`{$exact: {a: {b: 1}}}`, `{"a": {"b": 1, "c": 2}}`, "has the key c too"},
		{`{$exact: {a: {$gt: 1}}}`, `{"a": 2}`, ""},
		{`{$exact: {$one_of: [{a: 1}, {a: 1, b: 2}]}}`, `{"a": 1, "b": 2}`, ""},
		{`{$exact: {$one_of: [{a: 1}, {b: 2}]}}`, `{"a": 1, "b": 2}`, "want {$one_of: [{a: 1}, {b: 2}]}"},
		{`{$exact: {$all: [{a: {$gt: 0}}, {a: {$lt: 2}}]}}`, `{"a": 1, "n": 1}`, "has the key n too"},
		{`{$exact: {$unordered: [{a: 1}, {b: 2}]}}`, `[{"b": 2}, {"a": 1}]`, ""},
		{`{$exact: {$unordered: [{a: 1}, {b: 2}]}}`, `[{"b": 2, "n": 1}, {"a": 1}]`, "no entry is left that matches"},
		{`{$exact: {$contains: {a: 1}}}`, `[{"b": 2}, {"a": 1, "n": 1}]`, "want {$contains: {a: 1}}"},
		{`{$exact: {list: {$unordered: [{$one_of: [{a: 1}]}]}}}`, `{"list": [{"a": 1, "n": 1}]}`, "no entry is left that matches"},

		{`{text: {$contains: "92%"}}`, reply, ""},
		{`{text: {$contains: "93%"}}`, reply, `want {$contains: "93%"}`},
		{`{$contains: {tool: b}}`, `[{"tool": "a"}, {"tool": "b", "n": 1}]`, ""},
		{`{$contains: {tool: c}}`, `[{"tool": "a"}]`, `want {$contains: {tool: "c"}}`},
		{`{$contains: a}`, `1`, "got 1"},

		{`{$regex: "^a+$"}`, `"aaa"`, ""},
		{`{$regex: "(a+)+$"}`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"`, "want {$regex"},
		{`{$regex: "1"}`, `1`, "got 1"},

		{`{$one_of: [a, {$regex: "^b"}]}`, `"bc"`, ""},
		{`{$one_of: [a, b]}`, `"c"`, `want {$one_of: ["a", "b"]} got "c"`},
		{`{$all: [{$contains: a}, {$len: 2}]}`, `"ab"`, ""},
		{`{$all: [{$contains: a}, {$len: 2}]}`, `"abc"`, "its length is 3"},

		{`{$gt: 1}`, `2`, ""},
		{`{$gt: 2}`, `2`, "want {$gt: 2} got 2"},
		{`{$gte: 2}`, `2`, ""},
		{`{$gte: 2.5}`, `2`, "got 2"},
		{`{$lt: 3}`, `2.5`, ""},
		{`{$lt: 2}`, `2`, "got 2"},
		{`{$lte: 2}`, `2`, ""},
		{`{$lte: 1}`, `2`, "got 2"},
		{`{$lt: 3}`, `"2"`, `got "2"`},

		{`{$lt: 5s}`, `"4999ms"`, ""},
		{`{$lt: 5s}`, `"5000ms"`, `want {$lt: "5s"} got "5000ms"`},
		{`{$gte: 1m30s}`, `"90s"`, ""},
		{`{$lt: 5s}`, `4`, "got 4"},
		{`{$lt: 5}`, `"4s"`, `got "4s"`},
		{`{$lt: 5s}`, `"soon"`, `got "soon"`},
		{`{$gt: 2026-01-05T09:00:00Z}`, `"2026-01-05T10:00:01+01:00"`, ""},
		{`{$gt: 2026-01-05T09:00:00Z}`, `"2026-01-05T10:00:00+01:00"`, "got"},
		{`{$gt: 2026-01-05T09:00:00Z}`, `"5s"`, `got "5s"`},
		{`90s`, `"1m30s"`, `want "90s"`}, // a text, not a duration

		{`{$len: 3}`, `"äöü"`, ""},
		{`{$len: {$gt: 1}}`, `[1, 2]`, ""},
		{`{$len: 1}`, `{"a": 1}`, ""},
		{`{$len: 1}`, `[1, 2]`, "its length is 2"},
		{`{$len: 1}`, `5`, "got 5"},

		{`{$unordered: [b, a]}`, `["a", "b"]`, ""},
		{`{$unordered: [{$any: true}, a]}`, `["a", "b"]`, ""}, // a must get its own entry
		{`{$unordered: [a, a]}`, `["a", "b"]`, "no entry is left that matches"},
		{`{$unordered: [a]}`, `["a", "b"]`, "wants 1 entry, got 2 entries"},
		{`{$unordered: [a]}`, `"a"`, `got "a"`},

		{`{$literal: {$any: 1}}`, `{"$any": 1}`, ""},
		{`{$literal: {a: 1}}`, `{"a": 1, "b": 2}`, "got {a: 1, b: 2}"},
		{`{$literal: [1, null]}`, `[1, null]`, ""},
	}
	for _, test := range tests {
		got, err := data.OfJSON(test.value)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", test.value, err)
		}
		wrong := expectation(t, test.matcher).Match(got, "x")
		switch {
		case test.wrong == "" && wrong != nil:
			t.Errorf("%s does not match %s: %+v", test.matcher, test.value, *wrong)
		case test.wrong == "":
		case wrong == nil:
			t.Errorf("%s matches %s", test.matcher, test.value)
		default:
			text := wrong.Path + " want " + wrong.Want + " got " + wrong.Got + " " + wrong.Text
			if !strings.Contains(text, test.wrong) {
				t.Errorf("%s on %s: %s; want in it: %s", test.matcher, test.value, text, test.wrong)
			}
			if wrong.Pos.Line != 4 {
				t.Errorf("%s: the mismatch is at %+v, not in line 4", test.matcher, wrong.Pos)
			}
		}
	}
}

// SCN-56: of matchers that exclude each other $all would match nothing, and never with it always hold.
func TestSCN56AllOfMatchersThatExcludeEachOtherDoNotLoad(t *testing.T) {
	for yaml, want := range map[string]string{
		`{$all: [reply, notify]}`:                                       `nothing is both "reply" and "notify"; {$one_of: [ … ]} is for one or the other`,
		`{$all: [{$regex: ^a}, {$contains: b}, c]}`:                     `nothing is both {$regex: "^a"} and "c"`,
		`{$all: [a, {$one_of: [b, {$regex: c}]}]}`:                      `nothing is both "a" and`,
		`{$all: [a, [a]]}`:                                              `nothing is both "a" and ["a"]`,
		`{$all: [{$len: 1}, {$len: {$gt: 1}}]}`:                         `nothing is both {$len: 1} and {$len: {$gt: 1}}`,
		`{$all: [ab, {$len: 1}]}`:                                       `nothing is both "ab" and {$len: 1}`,
		`{$all: [{$gt: 3}, {$lt: 2}]}`:                                  `nothing is both {$gt: 3} and {$lt: 2}`,
		`{$all: [{$lte: 2}, {$gt: 2}]}`:                                 `nothing is both {$lte: 2} and {$gt: 2}`,
		`{$all: [{$gte: 2}, {$lt: 2}]}`:                                 `nothing is both {$gte: 2} and {$lt: 2}`,
		`{$all: [{$gt: 5s}, {$lt: 5000ms}]}`:                            `nothing is both {$gt: "5s"} and {$lt: "5000ms"}`,
		`{$all: [{$gt: 3}, {$lt: 5s}]}`:                                 `nothing is both {$gt: 3} and {$lt: "5s"}`,
		`{$all: [{$absent: true}, a]}`:                                  `nothing is both {$absent: true} and "a"`,
		`{$all: [{$absent: true}, {$any: true}]}`:                       "", // null is
		`{$all: [{$literal: true}, {$any: true}, {$gt: 1}]}`:            `nothing is both {$literal: true} and {$gt: 1}`,
		`{a: [{$one_of: [{$all: [b, c]}, d]}]}`:                         `nothing is both "b" and "c"`,
		`{$all: [{a: 1}, {b: x, a: 2}]}`:                                `nothing is both {a: 1} and {b: "x", a: 2}`,
		`{$all: [{$exact: a}, {$exact: b}]}`:                            `nothing is both {$exact: "a"} and {$exact: "b"}`,
		`{$exact: {$all: [{a: 1}, {b: 2}]}}`:                            `4:21: expect.replies.$exact: nothing is both {a: 1} and {b: 2}`,
		`{a: {$exact: [{c: {$all: [{a: 1}, {a: 1, b: 2}]}}]}}`:          `nothing is both {a: 1} and {a: 1, b: 2}`,
		`{$all: [{$exact: {a: 1}}, {b: {$any: true}}]}`:                 `nothing is both {$exact: {a: 1}} and {b: {$any: true}}`,
		`{$all: [{a: {b: 1, c: 2}}, {a: {c: {$gt: 2}}}]}`:               `nothing is both {a: {b: 1, c: 2}} and {a: {c: {$gt: 2}}}`,
		`{$all: [{$one_of: [{$gt: 5}, 6]}, {$lt: 2}]}`:                  `nothing is both {$one_of: [{$gt: 5}, 6]} and {$lt: 2}`,
		`{$all: [{$gt: 5}, {$all: [{$any: true}, {$lt: 2}]}]}`:          `nothing is both {$gt: 5} and {$all: [{$any: true}, {$lt: 2}]}`,
		`{$all: [{$one_of: [{$gt: 5}, 1]}, {$lt: 2}]}`:                  "",
		`{$all: [{a: 1}, {b: 2}, {a: {$gt: 0}}]}`:                       "",
		`{$exact: {$all: [{a: 1}, {a: {$gt: 0}, b: {$absent: true}}]}}`: "",
		`{$exact: {$one_of: [{a: 1}, {b: 2}]}}`:                         "",
		`{$all: [a, {$contains: a}, {$regex: a}, {$len: 1}]}`:           "",
		`{$all: [{$gte: 2}, {$lte: 2}, 2.0]}`:                           "",
		`{$all: [90s, 1m30s, {$lt: 2m}]}`:                               "",
		`{$all: [a, {id: r1}, {$literal: {text: a}}]}`:                  "", // a is the main part of a map
		`{$all: [a, {$one_of: [{id: r1}, b]}]}`:                         "",
		`{$all: [{$absent: true}, {$literal: null}]}`:                   "",
		`{$all: [{$contains: a}, {$len: 2}, {$unordered: [a, b]}]}`:     "",
	} {
		_, err := read(t, yaml)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s does not load: %v", yaml, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v; want %q", yaml, err, want)
		}
	}
}

func TestMatcherForATextTakesTheMainPart(t *testing.T) {
	reply := data.Map("text", data.With("id", data.Text("r1")), data.With("text", data.Text("hello")))
	for yaml, matches := range map[string]bool{
		`hello`: true, `{$contains: ell}`: true, `{$len: 5}`: true, `{$regex: "^h"}`: true, `{$exact: hello}`: true,
		`{$literal: hello}`: true, `{$literal: {id: r1, text: hello}}`: true, `{$literal: {text: hello}}`: false, `{$one_of: [a, hello]}`: true, `{$all: [{$contains: h}, {id: r1}]}`: true,
		`{id: r1}`: true, `{$any: true}`: true, `r1`: false, `{$contains: r1}`: false, `{id: r2}`: false,
	} {
		if got := expectation(t, yaml).Match(reply, "x") == nil; got != matches {
			t.Errorf("%s matches: %t", yaml, got)
		}
	}
}

func TestSCN34DurationsAndTimesAreComparedByWhatTheyAreWorth(t *testing.T) {
	half, noon := data.Duration(90_000), data.Instant(1767603600000)
	for yaml, matches := range map[string]bool{
		`90s`: true, `1m30s`: true, `1.5m`: true, `"90000ms"`: true, `91s`: false, `90`: false, `x`: false,
		`{$lt: 2m}`: true, `{$lt: 90s}`: false, `{$gt: 1}`: false, `{$one_of: [1s, 1m30s]}`: true, `{$literal: 90s}`: true, `{$regex: "^90s$"}`: true,
	} {
		if got := expectation(t, yaml).Match(half, "x") == nil; got != matches {
			t.Errorf("%s matches 90 s: %t", yaml, got)
		}
	}
	for yaml, matches := range map[string]bool{
		`2026-01-05T09:00:00Z`: true, `"2026-01-05T10:00:00+01:00"`: true, `"2026-01-05T09:00:01Z"`: false, `0s`: false,
		`{$gte: "2026-01-05T09:00:00Z"}`: true, `{$gt: "2026-01-05T09:00:00Z"}`: false, `{$gt: 5s}`: false,
	} {
		if got := expectation(t, yaml).Match(noon, "x") == nil; got != matches {
			t.Errorf("%s matches 09:00: %t", yaml, got)
		}
	}
	late := data.Instant(10_413_792_000_000) // 2300, in nanoseconds more than 64 bits hold
	for yaml, matches := range map[string]bool{`{$lt: "2200-01-01T00:00:00Z"}`: false, `{$gt: "2200-01-01T00:00:00Z"}`: true, `{$lt: "9999-01-01T00:00:00Z"}`: true} {
		if got := expectation(t, yaml).Match(late, "x") == nil; got != matches {
			t.Errorf("%s matches 2300: %t", yaml, got)
		}
	}
}

func TestSCN33WhatComesNearestIsNamed(t *testing.T) {
	const calls = `[{"tool": "exec", "args": {"command": "df"}, "id": 1}, {"tool": "read", "args": {"path": "/a"}}, {"tool": "exec", "args": {"command": "du"}}]`
	long := strings.Repeat("ABCDEFGHIJ", 7)
	tests := []struct{ matcher, value, hint string }{
		{`{$contains: {tool: exec, args: {command: "df -h"}}}`, calls,
			`nearest: [0], {tool: "exec", args: {command: "df"}}: args.command is "df", wants "df -h"`},
		{`{$contains: {tool: read, args: {command: du}}}`, calls, `nearest: [2], {tool: "exec", args: {command: "du"}}: tool is "exec", wants "read"`},
		{`{$contains: {tool: read, attempt: 2}}`, calls, `nearest: [1], {tool: "read"}: attempt is missing, wants 2`},
		{`{$contains: {tool: exec}}`, `[{"name": 1}]`, ``},
		{`{$contains: {a: 1, b: x}}`, `[{"a": 1}, {"a": 1, "b": "a long way off"}]`, `nearest: [1], {a: 1, b: "a long way off"}: b is "a long way off", wants "x"`},
		{`{$contains: done}`, `["queued", "dome", "lone"]`, `nearest: [1]: is "dome", wants "done"`},
		{`{$contains: done}`, `["tone", "gone"]`, `nearest: [0]: is "tone", wants "done"`},
		{`{$contains: "disk is 92%"}`, `"the disk is 93% full"`, `nearest: has "disk is 9", then "3% full", wants "2%"`},
		{`{$contains: "xyz"}`, `"the disk"`, ``},
		{`[a, b, c]`, `["a", "c"]`, `missing: [1] "b"`},
		{`[a, c]`, `["a", "b", "c"]`, `too many: [1] "b"`},
		{`[a, b]`, `["x", "b", "y"]`, `missing: [0] "a"; too many: [0] "x", [2] "y"`},
		{`[a]`, `["1", "2", "3", "4", "5", "6"]`, `missing: [0] "a"; too many: [0] "1", [1] "2", [2] "3", [3] "4" and 2 more`},
		{`[{tool: exec}, {tool: exec, args: {command: dd}}]`, calls, `nearest: [2], {tool: "exec", args: {command: "du"}}: args.command is "du", wants "dd"`},
		{`[{tool: exec}, {args: {path: /b}}]`, calls, `nearest: [1], {args: {path: "/a"}}: args.path is "/a", wants "/b"`},
		{`{$unordered: [{tool: exec}, {tool: exec}, {tool: write}]}`, calls, `nearest: [1], {tool: "read"}: tool is "read", wants "write"`},
		{`{$unordered: [b, a, c]}`, `["a", "b"]`, `missing: [2] "c"`},
		{`{$unordered: [b]}`, `["a", "b"]`, `too many: [0] "a"`},
		{long + "xx", `"` + long + `yx"`, `differs at character 71: "…IJABCDEFGHIJyx", wants "…IJABCDEFGHIJxx"`},
		{long, `"` + long + `y"`, `goes on after character 70: "…IJABCDEFGHIJy"`},
		{long + "x", `"` + long + `"`, `ends at character 70, wants "…IJABCDEFGHIJx" after it`},
		{`[` + long + `x]`, `["` + long + `"]`, `ends at character 70, wants "…IJABCDEFGHIJx" after it`},
		{`{$contains: ` + long + `x}`, `["b", "` + long + `"]`, `nearest: [1]: ends at character 70, wants "…IJABCDEFGHIJx" after it`},
		{`short`, `"other"`, ``},
		{`{$gt: 1}`, `1`, ``},
		{`{$regex: "/hi/i"}`, `"Hi"`, `the slashes are part of the expression; without them it is "(?i)hi"`},
		{`{$regex: /hi/}`, `"Hi"`, `the slashes are part of the expression; without them it is "hi"`},
		{`{$regex: /tmp/x}`, `"Hi"`, ``},
		{`{$regex: //i}`, `"Hi"`, ``},
	}
	for _, test := range tests {
		got, err := data.OfJSON(test.value)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", test.value, err)
		}
		wrong := expectation(t, test.matcher).Match(got, "x")
		if wrong == nil {
			t.Errorf("%s matches %s", test.matcher, test.value)
			continue
		}
		if wrong.Explain(); wrong.Hint != test.hint {
			t.Errorf("%s on %s:\n got %s\nwant %s", test.matcher, test.value, wrong.Hint, test.hint)
		}
	}
}

// A list that misses one entry is reported at that entry's own place.
func TestSCN33AMissingEntryIsShownWhereItStands(t *testing.T) {
	wrong := expectation(t, `[a, b, c]`).Match(data.Value{Kind: data.ListKind, List: []data.Value{data.Text("a"), data.Text("c")}}, "x")
	if wrong.Explain(); wrong.Pos.Line != 4 || wrong.Pos.Col != 16 {
		t.Errorf("at %+v, want 4:16", wrong.Pos)
	}
}

// What comes nearest is one line, however long the candidates are.
func TestSCN33TheNearestIsOneShortLine(t *testing.T) {
	long := data.Value{Kind: data.ListKind, List: []data.Value{data.Map("", data.With("a", data.Text(strings.Repeat("x\n", 5000))), data.With("b", data.Int(1)))}}
	wrong := expectation(t, `{$contains: {a: "y", b: 1}}`).Match(long, "x")
	if wrong.Explain(); len(wrong.Hint) > nearestBytesMax+5 || strings.Contains(wrong.Hint, "\n") || !strings.HasPrefix(wrong.Hint, "nearest: [0]") {
		t.Errorf("%d bytes: %s", len(wrong.Hint), wrong.Hint)
	}
}

// SCN-33: what is long in the first entry of a list does not hide the others.
func TestSCN33ALongListIsShownByWhatIsWanted(t *testing.T) {
	entry := func(who, text string) data.Value {
		return data.Map("who", data.With("who", data.Text(who)), data.With("text", data.Text(text)), data.With("n", data.Int(len(text))))
	}
	long := strings.Repeat("x", 1000)
	for _, test := range []struct{ want, text, got string }{
		{`[{who: a}, {who: b}]`, long, `[{who: "a"}, {who: "b"}, {who: "c"}]`},
		{`[a, b]`, long, `["a", "b", "c"]`},
		{`[{n: 1}, c]`, long, `[{who: "a", n: 1000}, {who: "b", n: 1000}, {who: "c", n: 1000}]`},
		{`{$unordered: [{who: a}, {n: 3}, {who: c}]}`, long, `[{who: "a", n: 1000}, {who: "b", n: 1000}, {who: "c", n: 1000}]`},
		{`{$contains: d}`, long, `["a", "b", "c"]`},
		{`{$contains: {who: d}}`, long, `[{who: "a"}, {who: "b"}, {who: "c"}]`},
		{`{$exact: [{who: a, text: a, n: 1}]}`, "a", `[{who: "a", text: "a", n: 1}, {who: "b", text: "a", n: 1}, {who: "c", text: "a", n: 1}]`},
		{`[{text: a}]`, long, `[{text: "` + long[:82] + `…, {text: "` + long[:82] + `…, {text: "` + long[:82] + `…]`},
		{`{$len: 2}`, long, `["a", "b", "c"]`},
	} {
		got := data.List([]string{"a", "b", "c"}, func(who string) data.Value { return entry(who, test.text) })
		wrong := expectation(t, test.want).Match(got, "x")
		if wrong == nil {
			t.Fatalf("%s matches", test.want)
		}
		if wrong.Explain(); wrong.Got != test.got {
			t.Errorf("%s: got %s, want %s", test.want, wrong.Got, test.got)
		}
	}
}

// SCN-33: a key that is not there is told with those that are, and a text that looks like what is no
// text as one.
func TestSCN33WhatIsThereIsTold(t *testing.T) {
	for _, test := range []struct{ want, got, hint string }{
		{"{cli: {a: 1}}", `{"cli:direct": {"a": 1}, "b": {}}`, `there is no cli; there is: cli:direct, b`},
		{"{sesions: 1}", `{"sessions": 1}`, `there is no sesions; did you mean sessions?`},
		{"{a: 1}", `{}`, `there is no a, nor anything else`},
		{"{a: {$gt: 1}, before: 2}", `{"a": 2, "c": 3}`, `there is no before; there is: a, c`},
		{"{a: {before: 1}}", `{"a": {"c": 1}}`, `there is no before; there is: c`},
		{"{a: 1}", `{"a": 2}`, ``},
		{"[5]", `["5"]`, `what was got is a text; quote it: "5"`},
		{"[true]", `["true"]`, `what was got is a text; quote it: "true"`},
		{"[5]", `["6"]`, ``},
		{`["5"]`, `[5]`, ``},
		{`["für"]`, `["für"]`, `differs at character 2: U+0075 'u', wants U+00FC 'ü'`},
		{`["a b"]`, `["a b"]`, `differs at character 2: U+00A0, wants U+0020 ' '`},
		{`["abc"]`, `["abd"]`, ``},
		{`["abü"]`, `["ab"]`, ``},
	} {
		got, err := data.OfJSON(test.got)
		if err != nil {
			t.Fatal(err)
		}
		wrong := expectation(t, test.want).Match(got, "x")
		if wrong == nil {
			t.Fatalf("%s matches %s", test.want, test.got)
		}
		if wrong.Explain(); wrong.Hint != test.hint {
			t.Errorf("%s, %s: hint %q, want %q", test.want, test.got, wrong.Hint, test.hint)
		}
	}
}
