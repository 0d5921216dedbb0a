package textcall_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm/textcall"
)

type calls = []textcall.Call

// look returns a call of look with the given arguments.
func look(args string) textcall.Call { return textcall.Call{Name: "look", Args: args} }

// form is a text that is read as calls.
type form struct {
	name, text string
	want       calls
}

func forms() []form {
	path := calls{look(`{"path":"."}`)}
	two := calls{look(`{"path":"."}`), {Name: "note", Args: `{"n":1}`}}
	return []form{
		{"JSON", `{"name":"look","arguments":{"path":"."}}`, path},
		{"JSON with parameters", `{"name":"look","parameters":{"path":"."}}`, path},
		{"JSON with arguments in a string", `{"name":"look","arguments":"{\"path\":\".\"}"}`, path},
		{"JSON as OpenAI has it", `{"type":"function","function":{"name":"look","arguments":"{\"path\":\".\"}"}}`, path},
		{"JSON of a function alone", `{"function":{"name":"look","arguments":{"path":"."}}}`, path},
		{"JSON with arguments in a string between blanks", `{"name":"look","arguments":" {\"path\":\".\"}\n"}`, path},
		{"JSON with blanks everywhere", ` [ { "function" : { "name" : "look" , "arguments" : {"path":"."} } } ] `, path},
		{"JSON in a list of calls", `{"tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":{"path":"."}}}]}`, path},
		{"JSON of an action", `{"action":"look","action_input":{"path":"."}}`, path},
		{"JSON of a tool beside an action", `{"action":"call_tool","tool":"look","args":{"path":"."}}`, path},
		{"JSON with an id twice", `{"id":"1","id":"1","name":"look","arguments":{"path":"."}}`, path},
		{"JSON of a tool beside an empty name", `{"name":"","tool":"look","args":{"path":"."}}`, path},
		{"JSON of a tool", `{"tool":"look","args":{"path":"."}}`, path},
		{"JSON of a function", `{"function":"look","arguments":{"path":"."}}`, path},
		{"objects one after another", `{"name":"look","arguments":{"path":"."}}` + "\n" + `{"name":"note","arguments":{"n":1}}`, two},
		{"a list", `[{"name":"look","arguments":{"path":"."}},{"name":"note","parameters":{"n":1}}]`, two},
		{"a comma after the last", `{"name":"look","arguments":{"path":".",},}`, calls{look(`{"path":"." }`)}},
		{"a fence", "```json\n{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}\n```", path},
		{"a fence of a call", "```tool_call\n{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}\n```", path},
		{"a fence around tags", "```\n<tool_call>{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}</tool_call>\n```", path},

		{"tags", `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`, path},
		{"tags twice", `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call> <tool_call>{"name":"note","arguments":{"n":1}}</tool_call>`, two},
		{"tags around a list", `<tool_call>[{"name":"look","arguments":{"path":"."}},{"name":"note","arguments":{"n":1}}]</tool_call>`, two},
		{"the closing tag alone", `{"name":"look","arguments":{"path":"."}}</tool_call>`, path},
		{"the opening tag alone", `<tool_call>{"name":"look","arguments":{"path":"."}}`, path},
		{"an end of the turn", `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call><|im_end|>`, path},
		{"Nemotron's tags", `<TOOLCALL>[{"name":"look","arguments":{"path":"."}}]</TOOLCALL>`, path},
		{"Granite's mark", `<|tool_call|>[{"name":"look","arguments":{"path":"."}}]`, path},
		{"Phi's marks", `<|tool_call|>[{"name":"look","arguments":{"path":"."}}]<|/tool_call|>`, path},
		{"Command's marks", `<|START_ACTION|>[{"tool_call_id":"0","tool_name":"look","parameters":{"path":"."}}]<|END_ACTION|>`, path},
		{"a list of functions", `<tools>{"name":"look","arguments":{"path":"."}}</tools>`, path},
		{"Llama's mark", `<|python_tag|>{"name":"look","parameters":{"path":"."}}<|eom_id|>`, path},

		{"markup", "<tool_call>\n<function=look>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>", path},
		{"markup alone", "<function=look><parameter=path>.</parameter></function>", path},
		{"markup with JSON", `<function=look>{"path":"."}</function>`, path},
		{"markup without parameters", `<function=look></function>`, calls{look(`{}`)}},
		{"invocations", `<function_calls><invoke name="look"><parameter name="path">.</parameter></invoke></function_calls>`, path},
		{"MiniMax's tags", "<minimax:tool_call>\n<invoke name=\"look\">\n<parameter name=\"path\">.</parameter>\n</invoke>\n</minimax:tool_call>", path},
		{"GLM's pairs", "<tool_call>look\n<arg_key>path</arg_key>\n<arg_value>.</arg_value>\n</tool_call>", path},
		{"GLM's pairs of more", "<tool_call>look<arg_key>path</arg_key><arg_value>.</arg_value><arg_key>n</arg_key><arg_value>3</arg_value></tool_call>",
			calls{look(`{"path":".","n":3}`)}},
		{"GLM's pairs on lines", "<tool_call>look\n<arg_key>path</arg_key>\n<arg_value>.</arg_value>\n<arg_key>n</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
			calls{look(`{"path":".","n":3}`)}},
		{"GLM's call without arguments", "<tool_call>look\n</tool_call>", calls{look(`{}`)}},

		{"Mistral's list", `[TOOL_CALLS][{"name":"look","arguments":{"path":"."}}]`, path},
		{"Mistral's list after a blank", `[TOOL_CALLS] [{"name":"look","arguments":{"path":"."}}]</s>`, path},
		{"Mistral's later form", `[TOOL_CALLS]look[ARGS]{"path":"."}`, path},
		{"Mistral's later form, twice", `[TOOL_CALLS]look[ARGS]{"path":"."}[TOOL_CALLS]note[ARGS]{"n":1}`, two},
		{"Mistral's form with an id", `[TOOL_CALLS]look[CALL_ID]abc123def[ARGS]{"path":"."}`, path},
		{"Mistral's form without a mark between", `[TOOL_CALLS]look{"path":"."}`, path},

		{"DeepSeek's marks", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{\"path\":\".\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", path},
		{"DeepSeek's marks with arguments on lines", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{\n\"path\":\".\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			calls{look("{\n\"path\":\".\"}")}},
		{"DeepSeek's marks with a fence", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{\"path\":\".\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", path},

		{"harmony", `<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"path":"."}<|call|>`, path},
		{"harmony after thinking", `<|channel|>analysis<|message|>Look first.<|end|><|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"path":"."}<|call|>`, path},
		{"harmony after what is said", `<|channel|>final<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>{"path":"."}<|call|>`, path},
		{"harmony with another mark in the arguments", `<|channel|>commentary to=functions.look<|message|>{"path":"<|a|>"}<|call|>`, calls{look(`{"path":"<|a|>"}`)}},
		{"harmony with the addressee in the role", `<|start|>assistant to=functions.look<|channel|>commentary json<|message|>{"path":"."}`, path},

		{"Python", `look(path=".")`, path},
		{"Python on two lines", "look(path='.')\nnote(n=1)", two},
		{"Python with blanks", `look ( path = "." )`, path},
		{"Python in a list", `[look(path="."), note(n=1)]`, two},
		{"Python after Llama's mark", `<|python_tag|>look(path=".")`, path},
		{"Python in LFM's marks", `<|tool_call_start|>[look(path=".")]<|tool_call_end|>`, path},
		{"Python in Olmo's tags", "<function_calls>\nlook(path=\".\")\nnote(n=1)\n</function_calls>", two},
		{"Python in a fence", "```python\nlook(path=\".\")\n```", path},
		{"Python that Gemma prints", "```tool_code\nprint(look(path=\".\"))\n```", path},
		{"Python without arguments", `look()`, calls{look(`{}`)}},
		{"Python's call of a name with each kind of character", `zZ_a.A-b:09()`, calls{{Name: "zZ_a.A-b:09", Args: `{}`}}},
	}
}

func TestINF25TheFormsOfACallWrittenAsText(t *testing.T) {
	for _, tt := range forms() {
		t.Run(tt.name, func(t *testing.T) {
			for _, of := range both() {
				got := of.Read(tt.text)
				if diff := cmp.Diff(tt.want, got.Calls); diff != "" {
					t.Errorf("%d: %+v: %s", of, got, diff)
				}
				if got.Text != "" {
					t.Errorf("%d: the text beside it is %q", of, got.Text)
				}
			}
		})
	}
}

func both() []textcall.Forms { return []textcall.Forms{textcall.Second, textcall.Mended} }

// A text that ends too early, or lacks one byte, has no call but those of the whole text, and no
// arguments that are no object. GLM's pairs are taken as far as they go: nothing in them says that
// more would have come, and the closing tag may be left out.
func TestINF25WhatIsCutHasNoOtherCalls(t *testing.T) {
	for _, tt := range slices.Concat(forms(), mendedForms()) {
		for n := range len(tt.text) {
			lacks := tt.text[:n] + tt.text[n+1:]
			for _, of := range both() {
				for _, c := range of.Read(tt.text[:n]).Calls {
					if !slices.Contains(tt.want, c) && !strings.HasPrefix(tt.name, "GLM's") {
						t.Errorf("%d: %s: %q is read as a call %+v", of, tt.name, tt.text[:n], c)
					}
				}
				for _, c := range of.Read(lacks).Calls {
					var args map[string]any
					if json.Unmarshal([]byte(c.Args), &args) != nil || args == nil {
						t.Errorf("%d: %s: %q is read as a call %+v", of, tt.name, lacks, c)
					}
				}
			}
		}
	}
}

func TestINF25WhatLooksLikeACallAndIsNone(t *testing.T) {
	for _, text := range []string{
		"", "I would look around.",
		`Sure: {"name":"look","arguments":{}}`, `{"name":"look","arguments":{}} done`,
		"```json\n{\"name\":\"look\",\"arguments\":{}}", "```json\n{\"name\":\"look\",\"arguments\":{}}\n```\nor\n```json\n{\"name\":\"look\",\"arguments\":{}}\n```",
		"```go\n{\"name\":\"look\",\"arguments\":{}}\n```", "```sh\nlook .\n```", "```python\nlook around\n```",
		`{"arguments":{}}`, `{"name":"","arguments":{}}`, `{"name":7,"arguments":{}}`, `{"name":"look"}`, `{"name":"look","arguments":null}`,
		`{"name":"look","arguments":["."]}`, `{"name":"look","arguments":"."}`, `[]`, `["look"]`, `{"path":"notes.txt"}`,
		`{"name":"look","name":"note","arguments":{}}`, `{"name":"look","arguments":{},"arguments":{"path":"."}}`,
		`{"name":"look","arguments":{}} []`, `[]{"name":"look","arguments":{}}`, `{"path":"look","deep":`, `[1{"look"`,
		`{"tool_calls":null}`, `{"tool_calls":[{"name":"look","arguments":{}}],"content":"I look."}`,
		"I look.</tool_call>", `[(path=".")]`, "json\n{\"name\":\"look\",\"arguments\":{}}\n```",
		`[look(path=`, `[[{"name":"look","arguments":{}}]]`, `{"tool_calls":[[{"name":"look","arguments":{}}]]}`, `[null]`, `"name" "name" "look"`,
		`See [look(path=".")] for more.`, `[look](https://example.org)`, `f(x) = 2x + 1`, `look at (this)`, "(look)",
		"<tool_response>nothing</tool_response>\nSo it is empty.",
	} {
		for _, of := range both() {
			if got := of.Read(text); len(got.Calls) > 0 || got.Tagged || got.Begins != "" || got.Text != text {
				t.Errorf("%d: %q: got %+v; want no Calls, not Tagged, Begins %q, Text %q", of, text, got, "", text)
			}
		}
	}
}

func TestINF29WhatBeginsAsACallAndCannotBeRead(t *testing.T) {
	for text, begins := range map[string]string{
		`<tool_call>{"name":"look","arguments":{"path":"`: "",
		`<tool_call>`: "",
		`<function_calls><invoke name="look"></invoke> name="note"></invoke></function_calls>`:    "",
		`<tool_call>{"name":"look","arguments":{}}</tool_call> as you wished`:                     "",
		`<tool_call>look around</tool_call>`:                                                      "",
		`<tool_call>{"name":"look","arguments":{}}</tool_call><tool_call>look around</tool_call>`: "",
		`<tool_call>{"name":"look","arguments":{}}</tool_call>{"name":"look","arguments":{}}`:     "",
		`<tool_call>look>{}</function></tool_call>`:                                               "",
		`<tool_call>look<arg_key>`:                                                                "",
		`<tool_call>look<arg_key>path</arg_key><arg_value>.`:                                      "",
		`<tool_call>look<arg_key>path</arg_key>.</arg_value></tool_call>`:                         "",
		`<invoke look></invoke>`:                                                                  "",
		`<function=look>path>.</parameter></function>`:                                            "",
		`<function=look><parameter=path>.</function>`:                                             "",
		"<｜tool▁calls▁begin｜>look<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>":               "",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{}<｜tool▁calls▁end｜>":             "",
		`<function=look><parameter=path>.`:                                                        "",
		`<function=look`:                                                                          "",
		`[TOOL_CALLS]look[ARGS]{"path":`:                                                          "",
		`[TOOL_CALLS]`:                                                                            "",
		`<|python_tag|>look(`:                                                                     "",
		`<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"p`:                 "",
		`<|channel|>commentary to=functions.look`:                                                 "",
		`{"name":"look","arguments":{"path":"`:                                                    "look",
		`[{"name":"look","arguments":{"path":"."}`:                                                "look",
		`look(".")`:         "look",
		`[look(".")]`:       "look",
		`look(path=open())`: "look",
	} {
		for _, of := range both() {
			if got := of.Read(text); len(got.Calls) > 0 || got.Tagged != (begins == "") || got.Begins != begins {
				t.Errorf("%d: %q: %+v, want the beginning of %q", of, text, got, begins)
			}
		}
	}
}

func TestINF25ThinkingAndMarksOfChannelsAreNotSaid(t *testing.T) {
	for text, want := range map[string]string{
		`<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>It is 42.<|return|>`: "It is 42.",
		`<|channel|>final<|message|>It is 42.`:                                         "It is 42.",
		`<|channel|>analysis<|message|>I do not know.`:                                 "",
		`<|start|>assistant<|channel|>commentary<|message|>I look.<|end|>`:             "I look.",
		`<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final`: "",
		`<|channel|>analysis<|message|>Easy.<|channel|>final<|message|>It is 42.`:      "It is 42.",
		`<|channel|>final<|message|>It is <|42|>.<|return|>`:                           "It is <|42|>.",
		`<|channel|>commentary to= <|message|>I look.`:                                 "I look.",
		`<|channel|>final<|message|><|return|>`:                                        "",
	} {
		if got := textcall.Mended.Read(text); got.Text != want || len(got.Calls) > 0 || got.Tagged {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

func TestINF41AKeyThatIsGivenTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:                       "a",
		`{"a":1,"b":{"c":[{"d":1,"d":1}]}}`:   "d",
		`{"a":{"b":1},"a":2}`:                 "a",
		`{"a":1,"a"`:                          "",
		`"a: b: c"`:                           "",
		`{"a":"a","b":["a","a"],"c":{"a":1}}`: "",
		`{"a":1,"A":2}`:                       "",
		`{}`:                                  "",
		`{"a":`:                               "",
		``:                                    "",
	} {
		if key, twice := textcall.Twice(text); key != want || twice != (want != "") {
			t.Errorf("%s: got %q, %t; want %q, %t", text, key, twice, want, (want != ""))
		}
	}
	deep := strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)
	if key, twice := textcall.Twice(deep); twice {
		t.Errorf("deep: %q", key)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`, `[TOOL_CALLS]look[ARGS]{"path":"."}`, `look(path=".", n=[1,2])`,
		"<tool_call>look<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>", `<|channel|>commentary to=functions.look<|message|>{}<|call|>`,
		"```json\n[{\"name\":\"look\",\"parameters\":{}}]\n```", `{"tool_calls":[{"function":{"name":"look","arguments":"{}"}}]}`, `<function=look>{"a":1,"a":2}</function>`,
		`[look(a='\xff')]`, `{"name":"look","arguments":{"a":"\ud800"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range both() {
			r := of.Read(text)
			for _, c := range r.Calls {
				var object map[string]any
				if !strings.HasPrefix(c.Args, "{") || json.Unmarshal([]byte(c.Args), &object) != nil {
					t.Errorf("%q is read as %+v", text, c)
				}
				textcall.Twice(c.Args)
				textcall.Values(c.Args)
				textcall.Wrapped(c.Args)
			}
			if said := strings.TrimSpace(text); len(r.Calls) > 0 && (!strings.HasPrefix(said, r.Text) || of == textcall.Second && r.Text != "") {
				t.Errorf("%q has the text %q beside its calls", text, r.Text)
			}
			if len(r.Calls) > 0 && !strings.HasSuffix(textcall.Mended.Read(r.Written).Written, r.Written) {
				t.Errorf("%q: its calls are written as %q", text, r.Written)
			}
		}
	})
}

func TestINF29WhatMayBecomeACall(t *testing.T) {
	offered := func(name string) bool { return name == "look" }
	for text, want := range map[string]bool{ // order-free: each alone
		"": true, " ": true, "\n{": true, "<|st": true, "<|start|>assistant": true, "`": true, "[": true, "[ ": true, "[{": true, `[ {"name"`: true, "[look(": true, "[look (": false, "[!": false, "[around(": false,
		"{": true, `{"n`: true, "look(": true, "around(": false, "I look": false, "```": true, "```json\n{": true, "```go\n{": false,
	} {
		for _, of := range both() {
			if got := of.MayBegin(text, offered); got != want {
				t.Errorf("%d: %q may become a call: %t", of, text, got)
			}
		}
	}
}

func TestINF25ValuesAreThoseOfAllLevels(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a":{"b":"c"},"d":["e","f"],"g":"h"}`:       {"c", "e", "f", "h"},
		`[["a"],{"k":["b"]},"c"]`:                     {"a", "b", "c"},
		`{"a":[{"b":{}}],"c":"d","e":[[]],"f":["g"]}`: {"d", "g"},
		`{"n":12345678901234567890,"f":1.50}`:         {"12345678901234567890", "1.50"},
	} {
		if diff := cmp.Diff(want, textcall.Values(text)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

// A number too large for any machine does not hide a key that is given twice.
func TestINF41AKeyGivenTwiceIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1e999,"b":1,"b":2}`: "b", `{"a":{"x":1,"x":2}}`: "x", `{"a":1,"b":{"a":1}}`: "", `[{"a":1},{"a":1}]`: "",
	} {
		if got, twice := textcall.Twice(text); got != want || twice != (want != "") {
			t.Errorf("%s: got %q, %v; want %q, %v", text, got, twice, want, (want != ""))
		}
	}
}

// What a text holds deeper than models write is not called.
func TestINF25CallsAreNotLookedForAtAnyDepth(t *testing.T) {
	for _, tt := range []struct {
		begin, end string
		most       int
	}{
		{`{"function":`, "}", 3}, {`{"tool_calls":`, "}", 3}, {`{"function_call":`, "}", 3}, {`{"tool_calls":[`, "]}", 1},
	} {
		for n := range 6 {
			text := strings.Repeat(tt.begin, n) + `{"name":"look","arguments":{}}` + strings.Repeat(tt.end, n)
			if got := textcall.Mended.Read(text); (len(got.Calls) == 1) != (n <= tt.most) {
				t.Errorf("%s: got %+v; want 1 call: %t", text, got, n <= tt.most)
			}
		}
	}
}

// What is printed is one call, and each argument has a name.
func TestINF25WhatIsAlmostACallIsNone(t *testing.T) {
	for _, text := range []string{
		`look(="x")`, `look(path=".", ="x")`, `look("x")`,
		`print((path="."))`, `print(look around(path="."))`, `print(look(path="."), look())`, `print(look(".")`, `print(look)`, `print(look(".")))`,
	} {
		if got := textcall.Mended.Read(text); len(got.Calls) > 0 {
			t.Errorf("%q: got %+v; want no Calls", text, got)
		}
	}
}

// There is none without a name either.
func TestINF40WhereTheFirstEditionSawNoCallThereIsNone(t *testing.T) {
	for _, text := range []string{
		`<tool_call>look around</tool_call>`, `<tool_call>{"name":"look","arguments":{}}</tool_call><tool_call></tool_call>`,
		`{"arguments":{}}`, `["look"]`, `[{"name":"look","arguments":{}},"note"]`, `[]`, `[(path=".")]`,
	} {
		if calls, ok := textcall.First(text); ok || len(calls) > 0 {
			t.Errorf("%q: got %+v, %t; want ok false, none", text, calls, ok)
		}
	}
}
