package scenario

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim"
	"shelly/sim/scenario/casetest"
	"shelly/sim/strict"
)

const smallProperty = `property: 1
name: small
tools:
  exec: [{returns: ok, effects: none}]
runs: {seeds: 2}
generate:
  timeline:
    length: {min: 1, max: 2}
    pick: [{user: {$one_of: [a, b]}}, {cancel: true}]
  brain:
    length: {max: 2}
    pick: [{says: {$text: {max: 9}}}, {calls: {tools: $declared, args: $from_schema, max: 2}}]
invariants: [$all]
`

// brokenProperty is a property that does not load, and the error that it gives.
type brokenProperty struct {
	yaml, want string
	alone      bool // a schema cannot know
}

func brokenProperties() []brokenProperty {
	edit := func(old, to, want string) brokenProperty {
		return brokenProperty{yaml: strings.Replace(smallProperty, old, to, 1), want: want}
	}
	alone := func(b brokenProperty) brokenProperty {
		b.alone = true
		return b
	}
	return []brokenProperty{
		edit("property: 1", "scenario: 1", "p.property.yaml:1:1: scenario: this is a scenario, whose file's name ends in .scenario.yaml; rename the file"),
		edit("property: 1", "property: 2", "1:1: property: this is version 2 of the format; only version 1 is known"),
		edit("runs:", "run:", "5:1: run: unknown key run; did you mean runs?"),
		edit("{seeds: 2}", "{seed: 2}", "5:8: runs.seed: unknown key seed; did you mean seeds?"),
		edit("{seeds: 2}", "{}", "5:7: runs: is empty; the keys here are: seeds, max_steps, budget, shrink"),
		edit("{cancel: true}", "{cancle: true}", "9:40: generate.timeline.pick[1].cancle: unknown key cancle; did you mean cancel?"),
		edit("{cancel: true}", "{wieght: 2, cancel: true}", "9:40: generate.timeline.pick[1].wieght: unknown key wieght; did you mean weight?"),
		edit("{cancel: true}", "{cancel: true, at: 1s}", "generate.timeline.pick[1].at: unknown key at; "),
		edit("{cancel: true}", "{session: a}", "9:39: generate.timeline.pick[1]: nothing happens; give one of user, "),
		alone(edit("[a, b]", "[a, 7]", `generate.timeline.pick[0].user: wants text, not the number 7`)),
		edit("[a, b]", "[]", "generate.timeline.pick[0].user.$one_of: wants a list of values, found an empty list"),
		alone(edit("[a, b]", "[a, {$one_of: [b]}]", "generate.timeline.pick[0].user.$one_of[1]: nothing is drawn within $one_of")),
		edit("$one_of", "$oneof", "generate.timeline.pick[0].user: unknown generator $oneof; did you mean $one_of?"),
		alone(edit("{says: {$text: {max: 9}}}", "{calls: {tools: [exec, exce]}}", "generate.brain.pick[0].calls.tools: unknown tool exce; did you mean exec?; for one that is not declared, say unknown_tool")),
		alone(edit("{cancel: true}", "{approve: {tool: exce, nth: {$one_of: [1, 2]}}}", "generate.timeline.pick[1].approve.tool: unknown tool exce; did you mean exec?")),
		edit("{$text: {max: 9}}", "{$text: {min: 3, max: 20000}}", "generate.brain.pick[0].says.$text: the number 20000 is too large; the limit is 10000"),
		alone(edit("length: {min: 1, max: 2}", "length: {min: 3, max: 2}", "generate.timeline.length: max is less than min")),
		edit("$declared", "$declard", `tools: wants $declared or a list of tools, found the text "$declard"`),
		edit("$from_schema", "$from", `args: unknown word $from; allowed: $from_schema`),
		alone(edit("[$all]", "[$al]", "invariants[0]: unknown word $al; did you mean $all?")),
		alone(edit("[$all]", `["handels == 0"]`, "unknown name handels; did you mean handles?")),
		alone(edit("[$all]", `["sent < 9"]`, "invariants[0]: only a server counts tokens, and without one sent is 0; give server, such as server: laptop")),
		alone(edit("[$all]", "[$all]\ncover: [{name: x, when: read > 0, at_least: 5%}]", "cover[0].when: only a server counts tokens, and without one read is 0; give ")),
		edit("[$all]", "[]", "invariants: is empty; give $all, or an expression"),
		edit("[$all]", "[$all]\ncover: [{name: x, when: active > 0, at_least: 5}]", "cover[0].at_least: wants a share such as 5% or 0.5%, more than 0% and at most 100%, not the number 5"),
		edit("[$all]", "[$all]\ncover: [{name: x, when: active > 0, at_least: 0%}]", `more than 0% and at most 100%, not the text "0%"`),
		edit("[$all]", "[$all]\ncover: [{name: x, when: active > 0, at_least: 100.1%}]", `more than 0% and at most 100%, not the text "100.1%"`),
		alone(edit("length: {min: 1, max: 2}", "length: {max: 0}", "8:5: generate.timeline.length: max is 0: nothing would happen")),
		alone(edit("length: {max: 2}", "length: {max: 0}", "11:5: generate.brain.length: max is 0: nothing of it would be picked")),
		alone(edit("    length: {max: 2}\n", "", "10:3: generate.brain: the key length is missing: nothing of it would be picked")),
		alone(edit("[$all]", "[$all]\ncover: [{name: x, when: active > 0, at_least: 5%}, {name: x, when: active > 1, at_least: 5%}]", "14:53: cover[1].name: x is the name of one before it; ")),
		edit("invariants", "  faults: {crash: {p: 0.1, at: []}}\ninvariants", "13:32: generate.faults.crash.at: the list is empty, so the process would die nowhere; "),
		alone(edit("invariants", "regressions: ./kept*/*.scenario.yaml\ninvariants", "regressions: the folder is that to which what is found is written, so it has no pattern; ")),
		edit("length: {min: 1, max: 2}", "length: {min: 1}", "generate.timeline.length: the key max is missing"),
		edit("invariants", "  faults: {tool.eror: 0.1}\ninvariants", "generate.faults.tool.eror: unknown key tool.eror; did you mean tool.error?"),
		edit("invariants", "  faults: {crash: {p: 0.1, at: effect}}\ninvariants", "generate.faults.crash.at: unknown point effect; "),
		alone(edit("invariants", "regressions: ../up/*.scenario.yaml\ninvariants", "regressions: wants a pattern for scenarios in the property's folder or below")),
		edit("{returns: ok, effects: none}", "{returns: ok, args: {a: 1}}", "tools.exec[0].args: unknown key args; "),
		alone(edit("{returns: ok, effects: none}", "{returns: ok, hangs: {$one_of: [true]}}", "tools.exec[0]: returns and hangs exclude each other; give one of them")),
		edit("invariants", "timeline: [{user: a}]\ninvariants", "timeline: unknown key timeline; "),
		alone(edit("user: {$one_of: [a, b]}", `user: "${x}"`, "x")),
	}
}

// PRP-2: a property is read as strictly as a scenario, each value that may be drawn too.
func TestPRP2PropertiesAreReadStrictly(t *testing.T) {
	if f, err := loadProperty(nil, "p.property.yaml", []byte(smallProperty)); err != nil || f.Property() == nil {
		t.Fatal(err)
	}
	for _, test := range brokenProperties() {
		_, err := loadProperty(nil, "p.property.yaml", []byte(test.yaml))
		var load *strict.Error
		if !errors.As(err, &load) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
			continue
		}
		seen := map[strict.Problem]bool{}
		for _, p := range load.Problems {
			if seen[p] {
				t.Errorf("told twice: %v", err)
			}
			seen[p] = true
		}
		if strings.HasSuffix(test.want, " is missing") && len(seen) > 1 {
			t.Errorf("the error says more than %s: %v", test.want, err)
		}
	}
}

// PRP-8: regressions are found in whatever folder the property is; its name is no part of the pattern.
func TestPRP8RegressionsAreFoundInAFolderOfAnyName(t *testing.T) {
	text := []byte(strings.Replace(smallProperty, "invariants", "regressions: ./kept/*.scenario.yaml\ninvariants", 1))
	for _, folder := range []string{"a", "a [1]", `a*?[\b`} {
		f, err := loadProperty(fstest.MapFS{folder + "/kept/x.scenario.yaml": {Data: []byte(casetest.Valid)}}, folder+"/p.property.yaml", text)
		if err != nil || len(f.Regressions()) != 1 {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

// PRP-1: a property is found and loaded beside scenarios, and is no case itself.
func TestPRP1APropertyIsNotACase(t *testing.T) {
	fsys := fstest.MapFS{"p.property.yaml": {Data: []byte(smallProperty)}}
	cases, err := Load(fsys, "p.property.yaml")
	if err != nil || len(cases) != 1 || cases[0].Name != "small" || cases[0].Line() != 1 {
		t.Fatalf("got %v, %v; want 1 of them, [0].Name %q, [0].Line() 1", cases, err, "small")
	}
	if out := cases[0].Run(sim.Options{}); out.Err == nil {
		t.Error("a property was played as a case")
	}
	if _, err := LoadOne(fsys, "p.property.yaml"); err == nil || !strings.Contains(err.Error(), "is a property file, not a scenario") {
		t.Errorf("error %v", err)
	}
}

// PRP-3: the entries of a bomb of aliases are not written out.
func TestPRP3AliasesOfAPropertyAreBounded(t *testing.T) {
	bomb := "[&a [x, x, x, x, x, x, x, x, x, x]"
	for name := 'b'; name <= 'f'; name++ {
		bomb += fmt.Sprintf(", &%c [%s]", name, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", name-1), 10), ", "))
	}
	source := strings.Replace(smallProperty, "{cancel: true}", "{user: "+bomb+"]}", 1)
	_, err := loadProperty(nil, "p.property.yaml", []byte(source))
	if err == nil || !strings.Contains(err.Error(), "too many values, aliases") {
		t.Errorf("error %v", err)
	}
}

// PRP-8: a case that was found by its trace passes whenever it is played alone, so it is played twice.
func TestPRP8ACaseFoundByItsTraceIsPlayedTwice(t *testing.T) {
	for _, test := range []struct {
		found string
		asked bool
		runs  int
	}{
		{"", false, 1}, {"", true, 2},
		{"found: {by: p.property.yaml, invariant: trace, seed: 3}\n", false, 2},
		{"found: {by: p.property.yaml, invariant: INV-1, seed: 3}\n", false, 1},
		{"skip: later\nfound: {by: p.property.yaml, invariant: trace}\n", true, 1},
	} {
		f := readCase(t, "scenario: 1\nname: x\n"+test.found+"timeline: [{user: hi}]\nbrain: [{says: hello}]\nexpect: {replies: [hello]}\n")
		runs := 0
		out, differs := f.RunTwice(test.asked, func() sim.Options { runs++; return sim.Options{} })
		if runs != test.runs || differs || out.Err != nil {
			t.Errorf("%q, asked %v: %d runs, differs %v, %v; want %d", test.found, test.asked, runs, differs, out.Err, test.runs)
		}
	}
}
