package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
)

// TOL-1, TOL-5.
// The model reads no bounds of arguments, and a failure names the one that was broken.
func TestTOL64TheBoundsOfArgumentsAreForTheCheckAlone(t *testing.T) {
	decl := fsm.ToolDecl{Name: "list", Parameters: `{"type":"object","properties":{"depth":{"type":"integer","minimum":1,"maximum":10,"description":"Levels"},` +
		`"names":{"type":"array","items":{"type":"string","maxLength":9},"minItems":1,"maxItems":3}},"required":["depth"],"additionalProperties":false}`}
	added, err := Own(decl, func(context.Context, fsm.RunTool, Arguments) Result { return Result{Text: "ran"} })
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"object","properties":{"depth":{"type":"integer","description":"Levels"},"names":{"type":"array","items":{"type":"string"}}},"required":["depth"]}`; added.Decl.Parameters != want {
		t.Errorf("the model reads %s", added.Decl.Parameters)
	}
	for args, says := range map[string]string{`{"depth": 11}`: "10", `{"depth": 1, "width": 2}`: "width", `{"depth": 1, "names": []}`: "names", `{"depth": 1}`: "ran"} {
		if got := added.Run(t.Context(), fsm.RunTool{Name: "list", Args: args}); got.Failed != (says != "ran") || !strings.Contains(got.Text, says) {
			t.Errorf("%s: got %+v; want Failed %v, Text with %q", args, got, (says != "ran"), says)
		}
	}
}

// With an invalid schema nothing runs: one that is not JSON is found when the tool is made, any
// other by each call.
func TestTOL2WithoutASchemaNothingRuns(t *testing.T) {
	run := func(context.Context, fsm.RunTool, Arguments) Result { return Result{Text: "ran"} }
	if _, err := Own(fsm.ToolDecl{Name: "list", Parameters: `{"type":`}, run); err == nil {
		t.Error("a schema that is cut is taken")
	}
	added, err := Own(fsm.ToolDecl{Name: "list", Parameters: `{"type":"object","properties":{"depth":{"$ref":"#/nowhere"}}}`}, run)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := added.Run(t.Context(), fsm.RunTool{Name: "list", Args: `{"depth": 1}`}); !got.Invalid || !strings.Contains(got.Text, "schema of list") {
			t.Errorf("%+v; want that the schema is wrong", got)
		}
	}
}

func TestExecIsDeclaredOnlyWhenAllowed(t *testing.T) {
	w := newWorld(t)
	effects := func(r *Runner) map[string]fsm.ToolEffects {
		m := map[string]fsm.ToolEffects{}
		for _, d := range r.Declarations() {
			m[d.Name] = d.Effects
			if !json.Valid([]byte(d.Parameters)) || d.Description == "" {
				t.Errorf("declaration %+v", d)
			}
		}
		return m
	}
	want := map[string]fsm.ToolEffects{}
	if diff := cmp.Diff(want, effects(w.runner())); diff != "" {
		t.Errorf("not allowed (-want +got)\n%s", diff)
	}
	if got := w.call("exec", map[string]any{"command": "echo hi"}); !got.Failed || !strings.Contains(got.Text, "not allowed here") {
		t.Errorf("exec ran: %+v", got)
	}
	w.allowExec()
	want["exec"] = fsm.EffectsUnsafe
	if diff := cmp.Diff(want, effects(w.runner())); diff != "" {
		t.Errorf("allowed (-want +got)\n%s", diff)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*Options)
	}{
		{"no workspace", "no such file or directory", func(o *Options) { o.Workspace += "/nowhere" }},
		{"short results", "the least is 1024", func(o *Options) { o.ResultBytesMax = 1023 }},
		{"no time-out", "must be positive", func(o *Options) { o.Exec = &Exec{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newWorld(t).options
			c.change(&o)
			if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// What a schema says about the object as a whole holds too, and a property that refers to the
// whole schema is checked as a part of it: by itself it would refer to itself.
func TestTOL2ArgumentsFitTheWholeSchema(t *testing.T) {
	for _, c := range []struct{ schema, good, bad, want string }{
		{`{"type":"object","minProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
			`{"a": "x"}`, `{}`, "; pick takes: a (a string), b (a string)"},
		{`{"type":"object","properties":{"not":{"$ref":"#"},"any":{"type":"array","items":{"$ref":"#"}},"word":{"type":"string"}}}`,
			`{"not": {"any": [{"word": "a"}, {"not": {"word": "b"}}]}}`, `{"not": {"any": [{"word": 7}]}}`, `type: 7 has type "integer"`},
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: c.schema})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.parse(c.good); err != nil {
			t.Errorf("%s: got %v; want no error", c.good, err)
		}
		if _, _, err := s.parse(c.bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want an error with %q", c.bad, err, c.want)
		}
	}
}

// A null that a schema allows has a meaning of its own; another one is as if it was left out.
func TestTOL2ANullThatIsAllowedIsPassedOn(t *testing.T) {
	s, err := newSignature(fsm.ToolDecl{Name: "set", Parameters: `{"type":"object","properties":{"owner":{"type":["string","null"]},"state":{"enum":["open",null]},"title":{"type":"string"}}}`})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := s.parse(`{"owner": null, "state": null, "title": null}`)
	if _, given := a["title"]; err != nil || given || len(a) != 2 {
		t.Errorf("got %v, %v, %v; want given false, 2 of them", a, err, given)
	}
	s, err = newSignature(fsm.ToolDecl{Name: "set", Parameters: `{"type":"object","required":["id"],"minProperties":1,
		"$defs":{"owner":{"anyOf":[{"$ref":"#/$defs/name"},{"type":"null"}]},"name":{"type":"string"}},"properties":{"id":{"type":"integer"},
		"owner":{"$ref":"#/$defs/owner"},"heir":{"allOf":[{"$ref":"#/properties/owner"}]},"title":{"$ref":"#/$defs/name"},"under":{"$ref":"#"}}}`})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err = s.parse(`{"id": 1, "owner": null, "heir": null, "title": null, "under": null}`)
	if _, given := a["owner"]; err != nil || !given || len(a) != 3 {
		t.Errorf("with references: %v, %v", a, err)
	}
}

// A whole number of 64 bits, such as a long id, is neither rounded nor refused.
func TestTOL2LongNumbersStayAsTheyAre(t *testing.T) {
	s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: `{"type":"object","properties":{"id":{"type":"integer","minimum":1},"ids":{"type":"array","items":{"type":"integer"}},"part":{"type":"number"}}}`})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := s.parse(`{"id": 9007199254740993, "ids": [-9223372036854775808, 18446744073709551615, 7, 2.0], "part": 0.1}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(a); err != nil || string(got) != `{"id":9007199254740993,"ids":[-9223372036854775808,18446744073709551615,7,2],"part":0.1}` {
		t.Errorf("got %s, %v; want %s", got, err, `{"id":9007199254740993,"ids":[-9223372036854775808,18446744073709551615,7,2],"part":0.1}`)
	}
	if n := a.Number("id", 0); n != numberMax {
		t.Errorf("as a bounded number it is %d", n)
	}
	for args, want := range map[string]string{
		`{"id": -9007199254740993}`: "argument id must be a whole number from 1 on, not -9007199254740993",
		`{"part": 1e999999999}`:     "the number 1e999999999 is too large",
	} {
		if _, _, err := s.parse(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// What is written as a text but can mean only one thing counts as that. Lists are read so only where
// no approval may be about them.
func TestTOL2ATextThatHoldsTheValueCountsAsIt(t *testing.T) {
	const parameters = `{"type":"object","required":["must"],"properties":{"must":{"type":"integer"},"n":{"type":"integer"},"on":{"type":"boolean"},"text":{"type":"string"},
		"either":{"anyOf":[{"type":"integer"},{"type":"null"}]},"any":{},"one":{"enum":["a","b"]},"argv":{"type":"array","items":{"type":"string"}},
		"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"}},"required":["old"]}}}}`
	for _, c := range []struct {
		subject          []string
		args, want, fail string
	}{
		{nil, `{"must": "1", "n": " 7 ", "on": " true ", "either": "3"}`, `{"either":3,"must":1,"n":7,"on":true}`, ""},
		{nil, `{"must": 1, "text": "7", "any": "7"}`, `{"any":"7","must":1,"text":"7"}`, ""},
		{nil, `{"must": ""}`, "", `argument must must be a whole number, not the text ""`},
		{nil, `{"must": 1, "text": 7}`, "", "argument text must be a string, not 7"},
		{nil, `{"must": 1, "on": "1"}`, "", `argument on must be true or false, not the text "1"`},
		{nil, `{"must": 1, "edits": "[{\"old\": \"a\"}]"}`, "", "argument edits must be a list"},
		{[]string{"text"}, `{"must": 1, "edits": "[{\"old\": \"a\"}]"}`, `{"edits":[{"old":"a"}],"must":1}`, ""},
		{[]string{"text"}, `{"must": 1, "edits": {"old": "a"}}`, `{"edits":[{"old":"a"}],"must":1}`, ""},
		{[]string{"text"}, `{"must": 1, "edits": "[{\"new\": \"a\"}]"}`, "", "argument edits must be a list"},
		{[]string{"edits"}, `{"must": 1, "edits": {"old": "a"}}`, "", "argument edits must be a list"},
		{[]string{"text"}, `{"must": 1, "argv": "[\"a\"]"}`, "", "argument argv must be a list"},
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: parameters, Subject: c.subject})
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := s.parse(c.args)
		got, _ := json.Marshal(a)
		if c.fail == "" && (err != nil || string(got) != c.want) || c.fail != "" && (err == nil || !strings.HasPrefix(err.Error(), c.fail)) {
			t.Errorf("%s: got %s, %v; want %s %s", c.args, got, err, c.want, c.fail)
		}
	}
}

// An empty text is an argument that was left out only for a tool without effects: a pattern that waives a
// question for what a call says there must not waive it for a call that says nothing.
func TestTOL2NothingIsLeftOutOfACallWithEffects(t *testing.T) {
	const parameters = `{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean"},"one":{"enum":["a","b"]}}}`
	for effects, want := range map[fsm.ToolEffects]string{ // order-free: each alone
		fsm.EffectsNone: "", fsm.EffectsUnsafe: `argument n must be a whole number, not the text ""; argument on must be true or false, not the text "None"; argument one must be one of "a", "b"`,
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: parameters, Effects: effects})
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := s.parse(`{"n": "", "on": "None", "one": " "}`)
		if want == "" && (err != nil || len(a) > 0) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: got %v, %v; want %s", effects, a, err, want)
		}
	}
}

// A pattern that asks about force or to must not miss what the tool then gets.
func TestTOL2ATextIsReadOnlyAsAPatternSeesIt(t *testing.T) {
	const parameters = `{"type":"object","properties":{"force":{"type":"boolean"},"to":{"enum":["live","test"]},"branch":{"type":"string","pattern":"^[a-z]+$"}}}`
	for args, of := range map[string]struct {
		effects fsm.ToolEffects
		fail    string
	}{
		`{"force":"True"}`:         {fsm.EffectsUnsafe, `argument force must be true or false, not the text "True"`},
		`{"force":"FALSE"}`:        {"", `argument force must be true or false, not the text "FALSE"`},
		`{"force":" true"}`:        {fsm.EffectsUnsafe, ""},
		`{"force":"tRUE"}`:         {fsm.EffectsNone, ""},
		`{"to":"\"live\""}`:        {fsm.EffectsUnsafe, `argument to must be one of "live", "test", not`},
		`{"branch":"\"main\""}`:    {fsm.EffectsIdempotent, "argument branch must"},
		`{"branch":"\"\\u006d\""}`: {fsm.EffectsNone, "argument branch must"},
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "deploy", Effects: of.effects, Parameters: parameters})
		if err != nil {
			t.Fatal(err)
		}
		if a, _, err := s.parse(args); (err == nil) != (of.fail == "") || err != nil && !strings.HasPrefix(err.Error(), of.fail) {
			t.Errorf("%s: got %v, %v; want %q", args, a, err, of.fail)
		}
	}
}

func TestTOL2AFailureSaysWhatIsAllowed(t *testing.T) {
	const parameters = `{"type":"object","properties":{
		"unit":{"type":"string","enum":["C","F"]},"day":{"type":"string","pattern":"^[a-z]+$"},"long":{"type":"string","minLength":3,"maxLength":5},
		"hour":{"type":"integer","maximum":23},"part":{"type":"number","minimum":0.5,"maximum":1},"more":{"type":"number","exclusiveMinimum":5},
		"words":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}},"ids":{"type":"array","uniqueItems":true},
		"at":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"array","items":{"enum":[1,2]}}},"required":["x"],"additionalProperties":false}}}`
	s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: parameters})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{ // order-free: each is read alone
		`{"unit": "K"}`:                 `argument unit must be one of "C", "F", not the text "K"; `,
		`{"day": "1"}`:                  `argument day must be a text that matches "^[a-z]+$", not the text "1"; `,
		`{"long": "ab"}`:                `argument long must be a text of 3 to 5 characters, not the text "ab"; `,
		`{"hour": 24}`:                  `argument hour must be a whole number up to 23, not 24; `,
		`{"part": 2}`:                   `argument part must be a number from 0.5 to 1, not 2; `,
		`{"more": 5}`:                   `argument more does not fit its schema: `,
		`{"more": "five"}`:              `argument more must be a number, not the text "five"; `,
		`{"words": []}`:                 `argument words must be a list of 1 to 2, not of 0; `,
		`{"words": ["a", 1]}`:           `argument words[1] must be a string, not 1; `,
		`{"words": "a"}`:                `argument words must be a list of 1 to 2, not the text "a"; `,
		`{"ids": [1, 1]}`:               `argument ids does not fit its schema: `,
		`{"at": {}}`:                    `argument at.x is missing; `,
		`{"at": {"x": 1.5}}`:            `argument at.x must be a whole number, not 1.5; `,
		`{"at": {"x": 1, "y": [1, 3]}}`: `argument at.y[1] must be one of 1, 2, not 3; `,
		`{"at": {"x": 1, "z": 1}}`:      `argument at does not fit its schema: unexpected`,
		`{"at": 1}`:                     `argument at must be an object, not 1; `,
		`{"at": "{\"x\": 1}"}`:          `argument at must be an object, not the text "{\"x\": 1}"; `,
		`{"hour": "24"}`:                `argument hour must be a whole number up to 23, not the text "24"; `,
		`{"unit": "none"}`:              `argument unit must be one of "C", "F", not the text "none"; `,
	} {
		if _, _, err := s.parse(args); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// A tool without effects does what it can, and says what it did not look at; one with effects might do
// what was not meant.
func TestTOL2WhatAToolDoesNotKnowIsIgnoredIfItHasNoEffects(t *testing.T) {
	const schema, open = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`
	many := `"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7`
	for _, c := range []struct {
		effects            fsm.ToolEffects
		schema, args, want string // the result is the arguments that were passed on, as fmt shows them
	}{
		{fsm.EffectsNone, schema, `{"a":"x","why":"y"}`, "ignored: unknown argument \"why\"; pick takes: a (a string, required)\nmap[a:x]"},
		{fsm.EffectsNone, schema, `{"a":"x","why":null}`, "map[a:x]"},
		{fsm.EffectsNone, schema, `{"a":"x",` + many + `}`, `ignored: unknown argument "1"; unknown argument "2"; unknown argument "3"; unknown argument "4"; unknown argument "5"; 2 more unknown arguments; pick takes: a (a string, required)` + "\nmap[a:x]"},
		{fsm.EffectsNone, schema, `{"why":"y"}`, `unknown argument "why"; argument a is missing; pick takes: a (a string, required)`},
		{fsm.EffectsNone, schema, `{"a":[1],"why":"y"}`, `unknown argument "why"; argument a must be a string, not a list; pick takes: a (a string, required)`},
		{fsm.EffectsNone, open, `{"a":"x","why":"y"}`, "map[a:x why:y]"},
		{fsm.EffectsIdempotent, schema, `{"a":"x","why":"y"}`, `unknown argument "why"; pick takes: a (a string, required)`},
		{fsm.EffectsUnsafe, schema, `{"a":"x","why":"y"}`, `unknown argument "why"; pick takes: a (a string, required)`},
		{fsm.EffectsUnsafe, schema, `{"a":"x","why":null}`, "map[a:x]"},
	} {
		added, err := Checked(fsm.ToolDecl{Name: "pick", Parameters: c.schema, Effects: c.effects}, func(_ context.Context, _ fsm.RunTool, a Arguments) Result {
			return Result{Text: fmt.Sprint(map[string]any(a))}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := added.Run(t.Context(), fsm.RunTool{Name: "pick", Args: c.args}).Text; got != c.want {
			t.Errorf("%s, %s: got  %s\nwant %s", c.effects, c.args, got, c.want)
		}
	}
}

// What a text under such a name says may be the point of a call of a server's tool.
func TestTOL2OnlyACommandOrAChangeOfAFileRunsWithoutItsReason(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	for _, c := range []struct {
		subject    []string
		args, want string // the arguments that were passed on, or a failure
	}{
		{[]string{"a"}, `{"a":"x","description":"d","why":"w"}`, "map[a:x]"},
		{[]string{"a"}, `{"a":"x","description":["d"]}`, `unknown argument "description"; pick takes: a (a string)`},
		{[]string{"a"}, `{"a":"x","descr":"d"}`, `unknown argument "descr"; pick takes: a (a string)`},
		{[]string{"a"}, `{"a":"x","Reason":"d"}`, `unknown argument "Reason"; pick takes: a (a string)`},
		{[]string{"a"}, `{"a":"x","":"d"}`, `unknown argument ""; pick takes: a (a string)`},
		{[]string{"a"}, `{"a":"x","reason why":"d"}`, `unknown argument "reason why"; pick takes: a (a string)`},
		{nil, `{"a":"x","description":"d"}`, `unknown argument "description"; pick takes: a (a string)`},
	} {
		added, err := Checked(fsm.ToolDecl{Name: "pick", Parameters: schema, Effects: fsm.EffectsUnsafe, Subject: c.subject}, func(_ context.Context, _ fsm.RunTool, a Arguments) Result {
			return Result{Text: fmt.Sprint(map[string]any(a))}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := added.Run(t.Context(), fsm.RunTool{Name: "pick", Args: c.args}).Text; got != c.want {
			t.Errorf("%v, %s: got  %s\nwant %s", c.subject, c.args, got, c.want)
		}
	}
}

// optional is what common libraries make of optional arguments and of types with names.
const optional = `{"type":"object","$defs":{"Unit":{"type":"string","enum":["C","F"]},"At":{"type":"object","properties":{"x":{"type":"integer"},"in":{"$ref":"#/$defs/Unit"}},"required":["x"]},
	"Tree":{"type":"object","properties":{"left":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]},"n":{"type":"integer"}}}},
	"properties":{"most":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null},"days":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},
	"unit":{"anyOf":[{"$ref":"#/$defs/Unit"},{"type":"null"}]},"sure":{"type":["boolean","null"]},"at":{"$ref":"#/$defs/At"},"all":{"type":"array","items":{"$ref":"#/$defs/At"}},
	"tree":{"$ref":"#/$defs/Tree"},"kind":{"const":"city"},"as":{"allOf":[{"$ref":"#/$defs/Unit"}],"default":"C"},"id":{"oneOf":[{"type":"string"},{"type":"integer"}]},
	"deep":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"type":"integer"}]}}}`

func TestTOL2AFailureNamesAllThatAnArgumentMayBe(t *testing.T) {
	s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: optional})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{ // order-free: each is read alone
		`{"most": "ten"}`:               `argument most must be a whole number from 1 on or null, not the text "ten"; `,
		`{"most": 0}`:                   `argument most must be a whole number from 1 on or null, not 0; `,
		`{"days": ["a", 1]}`:            `argument days[1] must be a string, not 1; `,
		`{"days": "a"}`:                 `argument days must be a list or null, not the text "a"; `,
		`{"unit": "K"}`:                 `argument unit must be one of "C", "F" or null, not the text "K"; `,
		`{"sure": "perhaps"}`:           `argument sure must be true or false or null, not the text "perhaps"; `,
		`{"at": {"x": "near"}}`:         `argument at.x must be a whole number, not the text "near"; `,
		`{"at": {}}`:                    `argument at.x is missing; `,
		`{"all": [{"x": 1, "in": 3}]}`:  `argument all[0].in must be one of "C", "F", not 3; `,
		`{"tree": {"left": {"n": ""}}}`: `argument tree.left.n must be a whole number, not the text ""; `,
		`{"kind": "town"}`:              `argument kind must be "city", not the text "town"; `,
		`{"as": 1}`:                     `argument as must be one of "C", "F", not 1; `,
		`{"id": 1.5}`:                   `argument id must be a string or a whole number, not 1.5; `,
		`{"deep": true}`:                `argument deep must be any value that the schema allows, not true; `,
	} {
		if _, _, err := s.parse(args); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	const takes = `as (one of "C", "F"), at (an object), days (a list or null), deep (any value that the schema allows), id (a string or a whole number), kind ("city"), most (a whole number from 1 on or null), sure (true or false or null), tree (an object), unit (one of "C", "F" or null)`
	if got := s.usage(); !strings.HasSuffix(got, strings.TrimPrefix(takes, "as")) {
		t.Errorf("it %s, want %s", got, takes)
	}
}

func TestTOL2ATextCountsAsWhatAnOptionalArgumentMayBe(t *testing.T) {
	for _, c := range []struct {
		effects    fsm.ToolEffects
		args, want string
	}{
		{fsm.EffectsNone, `{"most": "", "days": "null", "unit": " ", "sure": "None", "id": ""}`, `{"id":""}`},
		{fsm.EffectsNone, `{"most": null, "days": null}`, `{"days":null,"most":null}`},
		{fsm.EffectsUnsafe, `{"at": {"x": 1}, "most": "7", "sure": "true"}`, `{"at":{"x":1},"most":7,"sure":true}`},
		{fsm.EffectsUnsafe, `{"most": ""}`, ""},
		{fsm.EffectsNone, `{"unit": "null"}`, ""}, // only an empty text can be meant there
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "pick", Effects: c.effects, Parameters: optional})
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := s.parse(c.args)
		if got, _ := json.Marshal(a); (err == nil) != (c.want != "") || err == nil && string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.args, got, err, c.want)
		}
	}
}

// A reference that leads elsewhere than to a definition is checked with the whole schema alone.
func TestTOL2WhatCannotBePutInWordsIsOneLine(t *testing.T) {
	for _, c := range []struct{ schema, args, want string }{
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`,
			`the arguments do not fit the schema: anyOf: did not validate against any of [… …]: validating /anyOf/0: required: missing properties: ["a"] validating /anyOf/1: required: missing properties: ["b"]; pick takes what its schema allows`},
		{`{"type":"object","properties":{},"additionalProperties":false}`, `{"a":1}`, `unknown argument "a"; pick takes no arguments`},
		{`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"integer"}}}`, `{"a":"x"}`,
			`the arguments do not fit the schema: validating /properties/a: validating /properties/b: type: x has type "string", want "integer"; pick takes: a (any value that the schema allows), b (a whole number)`},
		{`{"type":"object","$defs":{"A":{"$defs":{"B":{"type":"integer"}},"$ref":"#/$defs/A/$defs/B"}},"properties":{"a":{"$ref":"#/$defs/A/$defs/B"}}}`, `{"a":"x"}`,
			`argument a must be any value that the schema allows, not the text "x"; pick takes: a (any value that the schema allows)`},
	} {
		s, err := newSignature(fsm.ToolDecl{Name: "pick", Parameters: c.schema})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.parse(c.args); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
}

func TestTOL2PanicInAToolIsAFailedResult(t *testing.T) {
	w := newWorld(t)
	w.options.Added = []Added{{
		Decl: fsm.ToolDecl{Name: "boom"},
		Run:  func(context.Context, fsm.RunTool) Result { panic("no\x1bgood") },
	}}
	want := fsm.ToolAnswered{Text: "the tool boom broke: no\uFFFDgood", Failed: true}
	if diff := cmp.Diff(want, w.call("boom", nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAddedToolReplacesItsNamesake(t *testing.T) {
	w := newWorld(t)
	echo := func(_ context.Context, run fsm.RunTool) Result { return Result{Text: "got " + run.Args} }
	w.options.Added = []Added{
		{Decl: fsm.ToolDecl{Name: "read_file", Description: "mine"}, Run: echo},
		{Decl: fsm.ToolDecl{Name: "exec"}, Run: echo},
	}
	r := w.runner()
	var names []string
	for _, d := range r.Declarations() {
		names = append(names, d.Name+" "+d.Description)
	}
	if len(names) != 2 || names[0] != "read_file mine" || names[1] != "exec " {
		t.Errorf("declared: %q", names)
	}
	for _, name := range []string{"read_file", "exec"} {
		if diff := cmp.Diff(fsm.ToolAnswered{Text: "got [1"}, r.Run(guard(t), fsm.RunTool{Name: name, Args: "[1"})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestNothingRunsOnceTheCallIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.allowExec()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := w.runner().Run(ctx, fsm.RunTool{Name: "exec", Args: `{"command": "rm notes.txt"}`})
	if !got.Failed || got.Text != "not run: the call was given up" {
		t.Errorf("got %+v; want Failed, Text %q", got, "not run: the call was given up")
	}
	if _, err := os.Stat(filepath.Join(w.workspace, "notes.txt")); err != nil {
		t.Errorf("the command ran: %v", err)
	}
}

func TestTOL4TextIsMendedAndCutAtACharactersEdge(t *testing.T) {
	if got, want := Mend("a\xffb\x1b[31mc\x00\u0085\td\r\n"), "a\uFFFDb\uFFFD[31mc\uFFFD\uFFFD\td\r\n"; got != want {
		t.Errorf("mend: got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := Mend(rapid.String().Draw(t, "text"))
		limit := rapid.IntRange(40, 80).Draw(t, "limit")
		got := clip(text, limit)
		if len(got) > limit || Mend(got) != got || len(text) <= limit && got != text {
			t.Fatalf("clip(%q, %d) = %q", text, limit, got)
		}
	})
	if got, want := clip(strings.Repeat("é", 50), 51), strings.Repeat("é", 13)+"\n[cut: 100 bytes in all]"; got != want {
		t.Errorf("clip: got %q, want %q", got, want)
	}
}
