package textcall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm/textcall"
)

// mendedForms are read since the sixteenth edition.
func mendedForms() []form {
	path := calls{look(`{"path":"."}`)}
	two := calls{look(`{"path":"."}`), {Name: "note", Args: `{"n":1}`}}
	return []form{
		{"FunctionGemma's call", `<start_function_call>call:look{path:<escape>.<escape>}<end_function_call>`, path},
		{"FunctionGemma's call with blanks", `<start_function_call>call: look { path : <escape>.<escape> }<end_function_call>`, calls{look(`{ "path" : "." }`)}},
		{"FunctionGemma's calls", `<start_function_call>call:look{path:<escape>.<escape>}<end_function_call><start_function_call>call:note{n:1}<end_function_call>`, two},
		{"Gemma's call", `<|tool_call>call:look{path:<|"|>.<|"|>}<tool_call|>`, path},
		{"Gemma's call of all kinds of values", `<|tool_call>call:look{path:<|"|>a "b"<|"|>,deep:{n:1.5,list:[<|"|>c<|"|>,true]},none:null}<tool_call|>`,
			calls{look(`{"path":"a \"b\"","deep":{"n":1.5,"list":["c",true]},"none":null}`)}},
		{"Kimi's section", `<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"path":"."}<|tool_call_end|>` +
			`<|tool_call_begin|>note:1<|tool_call_argument_begin|>{"n":1}<|tool_call_end|><|tool_calls_section_end|>`, two},
		{"Phi's list", `functools[{"name":"look","arguments":{"path":"."}}]`, path},
		{"Seed's tags", "<seed:tool_call>\n<function=look>\n<parameter=path>.</parameter>\n</function>\n</seed:tool_call>", path},
		{"InternLM's marks", "<|action_start|><|plugin|>\n{\"name\":\"look\",\"parameters\":{\"path\":\".\"}}<|action_end|>", path},
		{"Apertus' list", `<|tools_prefix|>[{"look":{"path":"."}},{"note":{"n":1}}]<|tools_suffix|>`, two},
		{"MiniCPM's fence between marks", "<|tool_call_start|>\n```python\nlook(path=\".\")\n```\n<|tool_call_end|>", path},
		{"a fence between tags", "<tool_call>\n```json\n{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}\n```\n</tool_call>", path},
		{"GLM's name before the arguments", `<tool_call>look {"path":"."}</tool_call>`, path},
		{"a tool as the key", `<tool_call>{"look":{"path":"."}}</tool_call>`, path},
		{"arguments beside the name", `<tool_call>{"type":"function","id":"1","name":"look","path":".","n":[2]}</tool_call>`, calls{look(`{"n":[2],"path":"."}`)}},
		{"arguments named type and id", `<tool_call>{"name":"look","type":"file","id":"1"}</tool_call>`, calls{look(`{"id":"1","type":"file"}`)}},
		{"an argument named id", `<tool_call>{"name":"look","id":"1"}</tool_call>`, calls{look(`{"id":"1"}`)}},
		{"no arguments", `<tool_call>{"name":"look"}</tool_call>`, calls{look(`{}`)}},
		{"Llama's semicolons", `{"name":"look","parameters":{"path":"."}}; {"name":"note","parameters":{"n":1}}`, two},
		{"texts as Python has them", `<tool_call>{'name': 'look', 'arguments': {'path': '.'}}</tool_call>`, calls{look(`{"path": "."}`)}},
		{"values as Python has them", `{'name':'look','arguments':{'a':True,'b':False,'c':None,'d':'it\'s'}}`, calls{look(`{"a":true,"b":false,"c":null,"d":"it's"}`)}},
		{"line ends in a text", "<tool_call>{\"name\":\"look\",\"arguments\":{\"path\":\"a\n\tb\"}}</tool_call>", calls{look(`{"path":"a\n\tb"}`)}},
		{"keys without quotes", `<tool_call>{name: "look", arguments: {path: "."}}</tool_call>`, calls{look(`{"path": "."}`)}},
		{"a result that is made up", "<tool_call>{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}</tool_call>\n<tool_response>\nnothing\n</tool_response>\nNothing is there.", path},
		{"a turn that is made up", "<tool_call>{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}</tool_call><|im_end|>\n<|im_start|>user\nnothing<|im_end|>\n<|im_start|>assistant\nNothing is there.", path},
		{"another call after a result that is made up", "<tool_call>{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}</tool_call>\nObservation: nothing\n<tool_call>{\"name\":\"note\",\"arguments\":{\"n\":1}}</tool_call>", path},
		{"a bracket too many", `{"name":"look","arguments":{"path":"."}}}`, path},
		{"a bracket too few before the end", `<tool_call>{"name":"look","arguments":{"path":"."}</tool_call>`, path},
		{"a list without its end", `<tool_call>[{"name":"look","arguments":{"path":"."}}</tool_call>`, path},
		{"the first mark for the last", `<tool_call>{"name":"look","arguments":{"path":"."}}<tool_call>`, path},
		{"the first mark between calls", `<tool_call>{"name":"look","arguments":{"path":"."}}<tool_call>{"name":"note","arguments":{"n":1}}</tool_call>`, two},
		{"the first mark for the last, after a fence", "<tool_call>\n```json\n{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}\n```\n<tool_call>", path},
		{"a mark in a text", `<tool_call>{"name":"look","arguments":{"path":"<tool_call>"}}</tool_call>`, calls{look(`{"path":"<tool_call>"}`)}},
		{"commas after the last of several", `{"name":"look","arguments":{"path":".",}}{"name":"note","arguments":{"n":1,}}`, calls{look(`{"path":"." }`), {Name: "note", Args: `{"n":1 }`}}},
	}
}

func TestINF25TheFormsSinceTheSixteenthEdition(t *testing.T) {
	for _, tt := range mendedForms() {
		t.Run(tt.name, func(t *testing.T) {
			got := textcall.Mended.Read(tt.text)
			if diff := cmp.Diff(tt.want, got.Calls); diff != "" || got.Text != "" {
				t.Errorf("%+v: %s", got, diff)
			}
			if tt.name == "a mark in a text" {
				return // it was read before, and is not to be cut at the mark
			}
			if got := textcall.Second.Read(tt.text); len(got.Calls) > 0 {
				t.Errorf("an earlier edition reads %+v", got)
			}
		})
	}
}

func TestINF25WordsBeforeACall(t *testing.T) {
	const tagged = `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`
	for text, want := range map[string]string{
		"I look.\n" + tagged:                         "I look.",
		"I look.\n\n  " + tagged + "\n":              "I look.",
		"First this: a\n- b\n" + tagged:              "First this: a\n- b",
		"I look. " + tagged:                          "I look.",
		"Shall I? " + tagged:                         "Shall I?",
		"我来看看。" + tagged:                             "我来看看。",
		"As in\n```\nx < y\n```\nI look.\n" + tagged: "As in\n```\nx < y\n```\nI look.",
		"I look: f < g [1]\n" + tagged:               "I look: f < g [1]",
	} {
		for _, written := range []string{"", "twice"} {
			text, number := text, 1
			if written != "" {
				text, number = text+tagged, 2
			}
			got := textcall.Mended.Read(text)
			if len(got.Calls) != number || got.Text != want || got.Tagged || !strings.HasPrefix(got.Written, tagged) {
				t.Errorf("%q: got %+v; want %d Calls, Text %q", text, got, number, want)
			}
			if got := textcall.Second.Read(text); len(got.Calls) > 0 || got.Text != text {
				t.Errorf("%q: an earlier edition reads %+v", text, got)
			}
		}
	}
	if got := textcall.Mended.Read("It is.\n" + tagged + "\n\n<tool_result>\nnothing"); len(got.Calls) != 1 || got.Text != "It is." || got.Written != tagged {
		t.Errorf("a result is made up after the call: got %+v", got)
	}
	for _, text := range []string{
		"I look, or not, with " + tagged, "As you wished: " + tagged, "I look.\n> " + tagged, "I look.\n`" + tagged + "`", "I look." + tagged,
		"I look.\n" + tagged + "\nNothing is there.", "```\nI look.\n" + tagged, "I look.\n```\n" + tagged,
		"A <tool_call> begins so.\n" + tagged, "I look.\n<tool_call>look around</tool_call>", "I look.\n<tool_call>", "I look.\n" + `{"name":"look","arguments":{"path":"."}}`,
		"I look.\n" + tagged + "<tool_call>look around</tool_call>", "<tool_result>nothing</tool_result>\nObservation: nothing", "I look with " + tagged + "\n<tool_result>nothing",
	} {
		if got := textcall.Mended.Read(text); len(got.Calls) > 0 || got.Tagged || got.Text != text {
			t.Errorf("%q: got %+v; want no Calls, not Tagged, the whole Text", text, got)
		}
	}
}

func TestINF25AFenceOfCallsAfterWords(t *testing.T) {
	const call, tags = `{"name":"look","arguments":{"path":"."}}`, `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`
	for text, want := range map[string]calls{
		"I look:\n```json\n" + call + "\n```":                {look(`{"path":"."}`)},
		"I look.\n\n  ```\n" + call + "\n```\n":              {look(`{"path":"."}`)},
		"I look:\n```xml\n" + tags + "\n```":                 {look(`{"path":"."}`)},
		"I look:\n```python\nlook(path=\".\")\n```":          {look(`{"path":"."}`)},
		"I look:\n```json\n[" + call + "," + call + "]\n```": {look(`{"path":"."}`), look(`{"path":"."}`)},
		"I look:\n```json\n{'name': 'look'}\n```":            nil,
		"I look:\n```json\n" + call + "\n```\nSo.":           nil,
		"I look: ```json\n" + call + "\n```":                 nil,
		"I look:\n```go\n" + call + "\n```":                  nil,
		"I look:\n```json\n" + call:                          nil,
		"```\na\n```\nI look:\n```json\n" + call + "\n```":   nil,
		"I look:\n```json\n{\"path\":\".\"}\n```":            nil,
	} {
		got := textcall.Mended.Read(text)
		if diff := cmp.Diff(want, got.Calls); diff != "" || got.Fenced != (want != nil) || want != nil && !strings.HasPrefix(got.Text, "I look") || want == nil && got.Text != text {
			t.Errorf("%q: got %+v; %s", text, got, diff)
		}
		if got := textcall.Second.Read(text); len(got.Calls) > 0 || got.Text != text {
			t.Errorf("%q: an earlier edition reads %+v", text, got)
		}
	}
}

func TestBRN40WhichFenceMayBeOfCalls(t *testing.T) {
	offered := func(name string) bool { return name == "look" }
	for text, want := range map[string]bool{ // order-free: each alone
		"```": true, "```json": true, "```a-language-of-20-letters": false, "```json and": false, "```json\n": true, "```go\n": false, "```\n{": true, "```\n[ {": true, "```\n{ \"na": true, "```\n{'name'": true,
		"```\n{\"name\": \"loo": true, "```\n{\"name\": \"look\"": true, "```\n{\"name\": \"shelly\"": false, "```\n{\"version": false, "```\n{\"version\"": false, "```\n{\"type\": 1": true,
		"```\n{\"name\": 7": false, "```\n{\"function\": {": true, "```\n{1": false, "```\n<tool": true, "```\n<html": false, "```python\nlook(": true, "```python\nimport os": false, "```python\nimport": true,
		"```\n{}\n```": false, "```\n{\"name\":\"look\"}\n```\n ": true, "```\n{\"name\":\"look\"}\n```\nSo": false,
	} {
		if got := textcall.Mended.MayBeFenced(text, offered); got != want {
			t.Errorf("%q may be a fence of calls: %t", text, got)
		}
	}
}

func TestINF29WhatIsMarkedAndCannotBeMended(t *testing.T) {
	for _, text := range []string{
		`<start_function_call>look{path:<escape>.<escape>}<end_function_call>`, `<start_function_call>call:look<end_function_call>`, `<start_function_call>call:{path:1}<end_function_call>`,
		`<start_function_call>call:look{path:<escape>.}<end_function_call>`, `<start_function_call>call:look around{path:1}<end_function_call>`,
		`<tool_call>{"name":"look","arguments":{"path":{"a":1}</tool_call>`, `<tool_call>{"name":"look","arguments":{},"n":1</tool_call>`, `<tool_call>{"name":"look","arguments":{"path":"."}`,
		`<tool_call>{"name":"look","arguments":7}</tool_call>`, `<tool_call>{"look":7}</tool_call>`, `<tool_call>{"look":{},"note":{}}</tool_call>`, `<tool_call>{}</tool_call>`,
		`<tool_call>{"look":{"path":"a"},"look":{"path":"b"}}</tool_call>`, `<tool_call>{"name":"look","path":"a","path":"b"}</tool_call>`,
		`<tool_call>{"function":{"name":"look","arguments":{}},"function":{"name":"note","arguments":{}}}</tool_call>`,
		`<tool_call>{"look around":{}}</tool_call>`, `functools[{"name":"look","arguments":{}}`, `functools[look]`,
	} {
		if got := textcall.Mended.Read(text); len(got.Calls) > 0 || !got.Tagged || got.Text != text {
			t.Errorf("%q: got %+v; want no Calls, Tagged, the whole Text", text, got)
		}
	}
}

func TestINF29WhatMayBecomeAMendedCall(t *testing.T) {
	offered := func(string) bool { return false }
	for text, want := range map[string]bool{ // order-free: each alone
		"{n": true, "{'": true, "{ 'n": true, "{1": false, "{}": false, "{é": false, "<start_func": true, "functools[{": true, "functions": true, "functional programming": false,
	} {
		if got := textcall.Mended.MayBegin(text, offered); got != want {
			t.Errorf("%q may become a call: %t", text, got)
		}
	}
	if textcall.Second.MayBegin("{n", offered) || textcall.Second.MayBegin("{'", offered) {
		t.Error("an earlier edition holds back what it reads no call in")
	}
}

func TestINF25ArgumentsInAWrapper(t *testing.T) {
	for text, want := range map[string]string{
		`{"arguments":{"path":"."}}`: `{"path":"."}`, ` {"parameters": {"path":"."} } `: `{"path":"."}`, `{"input":{}}`: `{}`,
		`{"arguments":{"path":"."},"arguments":{"path":".."}}`: "", `{"arguments":{"path":"."},"path":"."}`: "", `{"arguments":"x{"}`: "", `{"path":{"a":1}}`: "", `{"path":"."}`: "", `[{"arguments":{}}]`: "", `{"arguments":{}`: "", ``: "",
	} {
		_, got, ok := textcall.Wrapped(text)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t; want %q", text, got, ok, want)
		}
	}
}
