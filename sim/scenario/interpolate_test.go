package scenario

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

func TestSCN17VariablesStandForTheirValues(t *testing.T) {
	const source = `scenario: 1
name: ${what} of ${n}
vars:
  what: a case
  n: 3
  on: true
  args: {command: "df ${n}", deep: [1, x]}
  words: [hello, bye]
  pattern: "^h"
  last: ${n}
strict: ${on}
world: {whole: "${last}", part: "$${n} ${n}"}
config: {max_queue: "${n}"}
tools:
  exec: [{args: "${args}", returns: 'cost $${n}: $5 and $$${n}', takes: "${n}00ms"}]
brain:
  - {calls: [{tool: exec, args: "${args}"}]}
  - says: |
      ${n}
      ${what}
  - {says: "${last}"}
expect:
  replies: ${words}
  reports: [{$regex: "${pattern}"}]
`
	f, err := Parse("f.scenario.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	exec := f.Tools.Stubs[0].Value[0]
	for _, test := range []struct{ what, got, want string }{
		{"name", f.Name, "a case of 3"},
		{"a number", strconv.Itoa(f.Plan().Config.Limits.MaxQueue), "3"},
		{"a map, in which $ means nothing", string(f.Script.Lines[0].Calls[0].Args), `{"command":"df ${n}","deep":[1,"x"]}`},
		{"a matcher", exec.Args.String(), `{command: "df ${n}", deep: [1, "x"]}`},
		{"$${ is ${", *exec.Returns, "cost ${n}: $5 and $${n}"},
		{"a part of a duration", data.Int(int(*exec.Takes)).Text, "300"},
		{"data as it stands", string(f.World[0].Value), `"${n}"`},
		{"data with a literal", string(f.World[1].Value), `"${n} 3"`},
		{"a block", *f.Script.Lines[1].Says, "3\na case\n"},
		{"a value as it stands", *f.Script.Lines[2].Says, "${n}"},
		{"a list", f.Expect.Replies.String(), `["hello", "bye"]`},
		{"a matcher's operand", f.Expect.Reports.String(), `[{$regex: "^h"}]`},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.what, test.got, test.want)
		}
	}
	if !f.Strict {
		t.Error("a switch: false")
	}
	if list := f.UnusedVars(); list != nil {
		t.Errorf("unused: %v", list)
	}
}

func TestSCN17WhatIsNotAVariable(t *testing.T) {
	with := func(vars, brain string) string {
		return "scenario: 1\nname: x\nvars: " + vars + "\nbrain:\n  - " + brain + "\nexpect: {ends: serving}\n"
	}
	tests := []struct{ name, yaml, want string }{
		{"unknown", with("{user: a}", `says: "hi  ${usr}"`), ":5:16: brain[0].says: unknown variable usr; did you mean user? ($${ stands for ${ itself)"},
		{"unknown where there is none", "scenario: 1\nname: ${x}\nexpect: {ends: serving}\n", ":2:7: name: unknown variable x; the file has no vars ($${"},
		{"the second of a text", with("{a: b}", "says: ${a} and ${c}"), ":5:20: brain[0].says: unknown variable c"},
		{"after a literal", with("{a: b}", "says: $${c} ${d}"), ":5:17: brain[0].says: unknown variable d"},
		{"on a later line", with("{a: b}", "says: |\n      x\n      yz ${c}"), ":7:10: brain[0].says: unknown variable c"},
		{"written with an escape", with("{a: b}", `says: "\x24{c}"`), ":5:11: brain[0].says: unknown variable c"},
		{"environment", with("{home: b}", "says: ${HOME}"), "unknown variable HOME; did you mean home?"},
		{"no end", with("{a: b}", "says: ${a"), "brain[0].says: ${ has no closing }"},
		{"map within a text", with("{a: {b: c}}", "says: x ${a}"), "the variable a is a map; it can stand for a whole value, not within a text"},
		{"list in a block", with("{a: [b]}", "says: |-\n      ${a}"), "the variable a is a list"},
		{"value of a wrong type", with("{wait: soon}", "{says: a, takes: '${wait}'}"), `:3:14: brain[0].takes: wants a duration such as 300s or 1.5s, not "soon"`},
		{"within a value", with("{ask: [{tool: exec, arg: {}}]}", "calls: ${ask}"), ":3:27: brain[0].calls[0].arg: unknown key arg; did you mean args?"},
		{"word that is not allowed", with("{word: lost}", "{says: a, quotes: '${word}'}"), "brain[0].quotes: unknown word lost"},
		{"matcher", "scenario: 1\nname: x\nvars: {p: '['}\nexpect: {replies: [{$regex: '${p}'}]}\n", ":3:11: expect.replies[0].$regex: is not a valid regular expression"},
		{"name of a variable", with("{A: b}", "says: a"), ":3:8: vars.A: the name of a variable is a lower-case letter"},
		{"vars given twice", with("{a: b}", "says: a\nvars: {c: d}"), ":6:1: vars: already given on line 3"},
		{"variable given twice", with("{a: b, a: c}", "says: a"), ":3:14: vars.a: already given on line 3"},
		{"no value", with("{a: }", "says: a"), "vars.a: has no value"},
		{"tag", with("{a: !!str 1}", "says: a"), "vars.a: tags (!!str) are not supported"},
		{"list of variables", with("[a]", "says: a"), "vars: wants a map of values by name, found a list"},
		{"no variables", with("{}", "says: a"), "vars: wants a map of values by name, found an empty map"},
		{"quotes forgotten", with("{a: b}", "{says: ${a}}"), ":5:12: quote a text with ${…} within { } or [ ]"},
	}
	for _, test := range tests {
		_, err := Parse("f.scenario.yaml", []byte(test.yaml))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

// A key is not a text, and a variable that stands in an alias is put in wherever the
// alias stands.
func TestSCN17AliasesAreInterpolatedAndKeysAreNot(t *testing.T) {
	f, err := Parse("f.scenario.yaml", []byte(`scenario: 1
name: x
vars: {a: b, own: &own "${a}"}
tools: {"${a}": [{returns: &said "is ${a}"}]}
brain: [{says: *said}, {says: *own}]
expect: {tools: {"${a}": {starts: 0}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{f.Tools.Stubs[0].Name, *f.Tools.Stubs[0].Value[0].Returns, *f.Script.Lines[0].Says, *f.Script.Lines[1].Says}
	if want := []string{"${a}", "is b", "is b", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSCN17UnusedVariablesAreNamed(t *testing.T) {
	fsys := folder(map[string]string{
		"x/part.yaml": "vars: {a: 1, b: 2}\n",
		"x/x.scenario.yaml": `scenario: 1
name: x
include: part.yaml
vars: {b: 3, c: 4, d: 5}
matrix: {m: [1, 2], n: [1]}
brain: [{says: "${c} ${m}"}]
expect: {ends: serving}
`})
	cases, err := Load(fsys, "x/x.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range cases {
		if list := f.UnusedVars(); !slices.Equal(list, []string{"vars.b", "vars.d", "matrix.n"}) {
			t.Errorf("unused: %v", list)
		}
	}
	if at := cases[0].Where("vars.d"); at != (strict.Pos{Line: 4, Col: 20}) {
		t.Errorf("place: %+v", at)
	}
}

// What is wrong with the variables is told once, and not again where they stand for a value.
func TestSCN17WrongVariablesAreToldWhereTheyAreGiven(t *testing.T) {
	for _, used := range []string{
		"tool_servers: {count: \"${n}\", tools: 1}", "config: {max_queue: \"${n}\"}", "server: {slots: \"${n}\"}", "faults: {store: {fails: x, nth: \"${n}\"}}",
		"never: [{tool: {$contains: \"${n}\"}, attempt: \"${n}\"}]", "expect: {replies: {$len: \"${n}\"}, audit: [{attempts: {$gt: \"${n}\"}, failed: \"${n}\"}]}",
	} {
		_, err := Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\nvars: {}\n"+used+"\n"))
		if want := "f.scenario.yaml:3:7: vars: wants a map of values by name, found an empty map"; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "f.scenario.yaml:4:") {
			t.Errorf("%s: got %v; want %s alone", used, err, want)
		}
	}
}
