package reading

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// textTools returns a configuration that takes calls from texts, with two tools and two builtin
// ones.
func textTools() *fsm.Config {
	return &fsm.Config{Switches: fsm.Switches{TextCalls: true}, Tools: append([]fsm.ToolDecl{{Name: "look"}, {Name: "note"}}, fsm.Builtins(fsm.ToolSpawn, fsm.ToolLoadSkill)...)}
}

// textCalls returns the calls that an answer with nothing but a text consists of.
func textCalls(c *fsm.Config, set fsm.Toolset, text string, answer int) ([]fsm.ToolCall, bool) {
	read := Understand(c, set, fsm.Conversation{}, fsm.BrainAnswered{Text: text}, answer)
	return read.Calls, len(read.Calls) > 0
}

// written returns a call as if read from a text.
func written(n int, name, args string) fsm.ToolCall {
	return fsm.ToolCall{ID: "text_4_" + strconv.Itoa(n), Name: name, Args: args, Text: true}
}

func TestINF40TheFirstEditionReadsItsForms(t *testing.T) {
	tests := []struct {
		name, text string
		want       []fsm.ToolCall
	}{
		{"tagged", `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`, []fsm.ToolCall{written(0, "look", `{"path":"."}`)}},
		{"tagged on lines of its own", "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"path\": \".\"}}\n</tool_call>\n", []fsm.ToolCall{written(0, "look", `{"path": "."}`)}},
		{"tagged twice", `<tool_call>{"name":"look","arguments":{}}</tool_call> <tool_call>{"name":"note","arguments":{"n":1}}</tool_call>`,
			[]fsm.ToolCall{written(0, "look", `{}`), written(1, "note", `{"n":1}`)}},
		{"tagged without the first tag", `{"name":"look","arguments":{}}</tool_call>`, []fsm.ToolCall{written(0, "look", `{}`)}},
		{"tagged markup", "<tool_call>\n<function=look>\n<parameter=path>\n/srv\n</parameter>\n<parameter=deep>true</parameter>\n</function>\n</tool_call>",
			[]fsm.ToolCall{written(0, "look", `{"path":"/srv","deep":"true"}`)}},
		{"tagged markup without parameters", "<tool_call><function=look></function></tool_call>", []fsm.ToolCall{written(0, "look", `{}`)}},
		{"tagged markup with a quote", `<tool_call><function=look><parameter=path>a "b" <c></parameter></function></tool_call>`,
			[]fsm.ToolCall{written(0, "look", `{"path":"a \"b\" \u003cc\u003e"}`)}},

		{"bare", `{"name":"look","arguments":{"path":"."}}`, []fsm.ToolCall{written(0, "look", `{"path":"."}`)}},
		{"bare with parameters", ` {"name":"look","parameters":{"path":"."}} `, []fsm.ToolCall{written(0, "look", `{"path":"."}`)}},
		{"bare with both", `{"name":"look","arguments":{"a":1},"parameters":{"b":2}}`, []fsm.ToolCall{written(0, "look", `{"a":1}`)}},
		{"a list", `[{"name":"look","arguments":{}},{"name":"note","parameters":{}}]`, []fsm.ToolCall{written(0, "look", `{}`), written(1, "note", `{}`)}},
		{"with a comma after the last", `{"name":"look","arguments":{"path":".",},}`, []fsm.ToolCall{written(0, "look", `{"path":"." }`)}},
		{"a list with a comma after the last", "[{\"name\":\"look\",\"arguments\":{}}, ]", []fsm.ToolCall{written(0, "look", `{}`)}},
		{"after a tag", `<|python_tag|>{"name":"look","parameters":{"path":"."}}`, []fsm.ToolCall{written(0, "look", `{"path":"."}`)}},
		{"in a fence", "```json\n{\"name\":\"look\",\"arguments\":{}}\n```", []fsm.ToolCall{written(0, "look", `{}`)}},
		{"in a fence without a language", "```\n[{\"name\":\"look\",\"arguments\":{}}]\n```", []fsm.ToolCall{written(0, "look", `{}`)}},

		{"in brackets", `[look(path="/srv", n=3, deep=True, all=False, of=None)]`,
			[]fsm.ToolCall{written(0, "look", `{"path":"/srv","n":3,"deep":true,"all":false,"of":null}`)}},
		{"in brackets without arguments", `[look()]`, []fsm.ToolCall{written(0, "look", `{}`)}},
		{"in brackets with single quotes", `[note(text='it\'s "here", is it')]`, []fsm.ToolCall{written(0, "note", `{"text":"it's \"here\", is it"}`)}},
		{"in brackets with a comma in quotes", `[note(text="a, b\n", n=-1.5e3)]`, []fsm.ToolCall{written(0, "note", `{"text":"a, b\n","n":-1.5e3}`)}},

		{"several in brackets", `[look(path="a), b("), note(text='x', n=1,), look()]`,
			[]fsm.ToolCall{written(0, "look", `{"path":"a), b("}`), written(1, "note", `{"text":"x","n":1}`), written(2, "look", `{}`)}},
		{"in brackets with an object", `[look(of={"a": [1, 2], "b": ")"}, n=2)]`, []fsm.ToolCall{written(0, "look", `{"of":{"a": [1, 2], "b": ")"},"n":2}`)}},

		{"a builtin tool", `{"name":"spawn","arguments":{"task":"look"}}`, []fsm.ToolCall{written(0, "spawn", `{"task":"look"}`)}},
		{"with a namespace", `{"name":"functions.look","arguments":{}}`, []fsm.ToolCall{written(0, "functions.look", `{}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := textCalls(textTools(), fsm.AllTools, tt.text, 4)
			if !ok {
				t.Fatal("it is not read as a call")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestINF40WhatWasNoCallInTheFirstEdition(t *testing.T) {
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"prose", "I would look around."},
		{"prose before it", `Let me see. <tool_call>{"name":"look","arguments":{}}</tool_call>`},
		{"prose after it", `<tool_call>{"name":"look","arguments":{}}</tool_call> That should do.`},
		{"prose between two", `<tool_call>{"name":"look","arguments":{}}</tool_call> and <tool_call>{"name":"look","arguments":{}}</tool_call>`},
		{"prose before JSON", `Sure: {"name":"look","arguments":{}}`},
		{"prose after JSON", `{"name":"look","arguments":{}} done`},
		{"prose around a fence", "Here:\n```json\n{\"name\":\"look\",\"arguments\":{}}\n```"},
		{"two objects", `{"name":"look","arguments":{}}{"name":"look","arguments":{}}`},

		{"an unknown tool", `{"name":"fly","arguments":{}}`},
		{"an unknown tool among others", `[{"name":"look","arguments":{}},{"name":"fly","arguments":{}}]`},
		{"a tool that is not offered", `{"name":"load_skill","arguments":{"name":"flights"}}`},
		{"an unknown namespace", `{"name":"tools.look","arguments":{}}`},
		{"no name", `{"arguments":{}}`},
		{"an empty name", `{"name":"","arguments":{}}`},
		{"a name that is no text", `{"name":7,"arguments":{}}`},
		{"a second name that is no text", `{"name":"look","name":7,"arguments":{}}`},

		{"no arguments", `{"name":"look"}`},
		{"arguments that are null", `{"name":"look","arguments":null}`},
		{"arguments that are a text", `{"name":"look","arguments":"{\"path\":\".\"}"}`},
		{"arguments that are a list", `{"name":"look","arguments":["."]}`},

		{"no closing tag", `<tool_call>{"name":"look","arguments":{}}`},
		{"nothing in the tags", `<tool_call></tool_call>`},
		{"a tag that is not opened again", `<tool_call>{"name":"look","arguments":{}}</tool_call>{"name":"look","arguments":{}}</tool_call>`},
		{"JSON that is cut", `<tool_call>{"name":"look","arguments":{}</tool_call>`},
		{"markup that is not closed", `<tool_call><function=look><parameter=path>.</parameter></tool_call>`},
		{"a parameter that is not closed", `<tool_call><function=look><parameter=path>.</function></tool_call>`},
		{"text between parameters", `<tool_call><function=look>so <parameter=path>.</parameter></function></tool_call>`},
		{"markup without its beginning", `<tool_call>look></function></tool_call>`},
		{"markup without its name's end", `<tool_call><function=look</tool_call>`},

		{"an empty list", `[]`},
		{"a list of texts", `["look"]`},
		{"a list in a list", `[[{"name":"look","arguments":{}}]]`},
		{"a fence that is not closed", "```json\n{\"name\":\"look\",\"arguments\":{}}"},
		{"a fence on one line", "```{\"name\":\"look\",\"arguments\":{}}```"},
		{"a fence of another language", "```sh\nlook .\n```"},

		{"brackets without a name", `[(path=".")]`},
		{"brackets with an argument without a key", `[look(".")]`},
		{"brackets with a value that is no JSON", `[look(path=srv)]`},
		{"brackets with quotes that are not closed", `[look(path="srv)]`},
		{"brackets with something after a value", `[look(path="a" "b")]`},
		{"brackets with a key in quotes", `[look("path"=".")]`},
		{"brackets without an end", `[look(path=".")`},
		{"brackets with prose between calls", `[look() and look()]`},
		{"brackets with a call that is cut", `[look(), look(path="."]`},
		{"brackets with nothing after a comma", `[look(), ]`},
		{"brackets with a tool that there is not", `[look(), fly()]`},
		{"brackets around a list that is cut", `[look(of=[1, 2)]`},
		{"brackets in prose", `See [look(path=".")] for more.`},
		{"a link", `[look](https://example.org)`},
		{"a call of code", `look(path=".")`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Understand(textTools(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: tt.text}, 4)
			if diff := cmp.Diff(Understood{Text: tt.text}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestINF25ASubagentMayNotNameABuiltinTool(t *testing.T) {
	if calls, ok := textCalls(textTools(), fsm.SubagentTools, `{"name":"spawn","arguments":{"task":"look"}}`, 4); ok {
		t.Errorf("it is taken as %+v", calls)
	}
}

func TestINF29ACallInTheFormOfReAct(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"whole", "Thought: look\nAction: look\nAction Input: .\nObservation: it is empty", true},
		{"without a thought", "Action: look\nAction Input: {}", true},
		{"after blank lines", "\n \nAction: look\nAction Input: {}", true},
		{"a later action", "Thought: a\nAction: fly\nAction Input: b\nAction: look\nAction Input: .", true},
		{"with a namespace", "Action: functions.look\nAction Input: .", true},
		{"a tool that is not offered", "Action: load_skill\nAction Input: flights", false},
		{"without an input", "Thought: a\nAction: look", false},
		{"an input that is not below it", "Action: look\n\nAction Input: .", false},
		{"in prose", "A model would write:\nAction: look\nAction Input: .", false},
		{"a thought", "Thought: the answer is 4", false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := actionCall(textTools(), fsm.AllTools, tt.text); got != tt.want {
				t.Errorf("it is a call: %t", got)
			}
		})
	}
}

func FuzzTextCalls(f *testing.F) {
	for _, seed := range []string{
		`<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`, `{"name":"look","parameters":{}}</tool_call>`,
		"<tool_call><function=look><parameter=path>a \"b\"</parameter></function></tool_call>", "```json\n[{\"name\":\"note\",\"arguments\":{}}]\n```",
		`<|python_tag|>{"name":"spawn","parameters":{"task":"x"}}`, `[look(path='a\'b', n=1, deep=True)]`, `[look(a={"b":[1]}, c="\u00e9")]`, `[look(a=)]`, "[look(a='\xff')]",
		`[look(a={"b":","}), note(c=[1,2],), look()]`, `[look(a=1)),look()]`,
	} {
		f.Add(seed)
	}
	c := textTools()
	f.Fuzz(func(t *testing.T, text string) {
		calls, ok := textCalls(c, fsm.AllTools, text, 1)
		if ok == (len(calls) == 0) {
			t.Fatalf("taken: %t, with %d calls", ok, len(calls))
		}
		for _, call := range calls {
			decl, known := c.Declared(fsm.AllTools, call.Name)
			if !known || !c.Offers(fsm.AllTools, &decl) {
				t.Errorf("a call of %q, which is not offered", call.Name)
			}
			var object map[string]any
			if !strings.HasPrefix(call.Args, "{") || json.Unmarshal([]byte(call.Args), &object) != nil {
				t.Errorf("the arguments are not an object: %q", call.Args)
			}
			if call.ID == "" || !call.Text {
				t.Errorf("the call is not marked: %+v", call)
			}
		}
	})
}
