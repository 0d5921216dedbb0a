package ollama_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func calling(args string) string {
	return `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":` + args + `}}]},"done":false}`
}

func TestBRN5ArgumentsAreKeptAsTheyCame(t *testing.T) {
	tests := map[string]struct{ sent, want string }{
		"order and numbers": {`{"z":1,"a":12345678901234567890,"m":1.50}`, `{"z":1,"a":12345678901234567890,"m":1.50}`},
		"blanks":            {`{ "b" : 1 }`, `{ "b" : 1 }`},
		"an object as text": {`"{\"z\":1,\"a\":2}"`, `{"z":1,"a":2}`},
		"text in text":      {`"\"{\\\"p\\\": \\\"n\\\"}\""`, `{"p": "n"}`},
		"empty text":        {`""`, `{}`},
		"null":              {`null`, `{}`},
		"broken text":       {`"{\"p\": "`, `{"p":`},
		"a list":            {`[1,2]`, `[1,2]`},
		"broken UTF-8":      {"{\"p\":\"a\xffb\"}", "{\"p\":\"a\uFFFDb\"}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := client(t, sending(t, calling(tt.sent), done), nil).Chat(testContext(t), ask("x"), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := []fsm.ToolCall{{ID: "call_1", Name: "f", Args: tt.want}}
			if diff := cmp.Diff(want, got.Calls); diff != "" || got.Stop != fsm.StopToolUse {
				t.Errorf("stop %s (-want +got)\n%s", got.Stop, diff)
			}
		})
	}
}

func TestBRN5MissingIDsAreCountedInTheConversation(t *testing.T) {
	a := ask("x")
	a.Conversation.Messages = append(a.Conversation.Messages,
		fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "call_4", Name: "f", Args: "{}"}, {ID: "own", Name: "f", Args: "{}"}}},
		fsm.Message{Role: fsm.RoleTool, Tool: "f", ToolCall: "call_4", Text: "1"},
		fsm.Message{Role: fsm.RoleTool, Tool: "f", ToolCall: "own", Text: "2"})
	s := sending(t,
		`{"message":{"tool_calls":[{"function":{"name":"a"}},{"function":{"name":"b","arguments":{}}}]}}`,
		`{"message":{"tool_calls":[{"id":"own","function":{"name":"c","arguments":{}}},{"id":"mine","function":{"name":"d","arguments":{}}}]}}`, done)
	got, err := client(t, s, nil).Chat(testContext(t), a, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []fsm.ToolCall{
		{ID: "call_3", Name: "a", Args: "{}"}, {ID: "call_5", Name: "b", Args: "{}"}, // call_4 is taken
		{ID: "call_6", Name: "c", Args: "{}"}, {ID: "mine", Name: "d", Args: "{}"}, // so is mine
	}
	same(t, want, got.Calls)
}

func TestBRN5CallsRepeatedInTheLastLineCountOnce(t *testing.T) {
	one := calling(`{"command":"echo x"}`)
	last := strings.Replace(one, `"done":false`, `"done":true`, 1)
	_, call, _ := strings.Cut(one, `"tool_calls":[`)
	call, _, _ = strings.Cut(call, `]`)
	twice := strings.Replace(last, call, call+","+call, 1)
	for _, tt := range []struct {
		lines []string
		want  int
	}{
		{[]string{one, last}, 1},
		{[]string{last}, 1},
		{[]string{one, one, done}, 2},
		{[]string{twice}, 2},
		{[]string{one, twice}, 2},
		{[]string{one, one, twice}, 2},
		{[]string{one, one, last}, 2},
		{[]string{one, strings.Replace(last, "echo x", "echo y", 1)}, 2},
		{[]string{one, strings.Replace(last, `"name":"f"`, `"name":"g"`, 1)}, 2},
		{[]string{one, strings.Replace(last, `"name":"f"`, `"index":1,"name":"f"`, 1)}, 2},
		{[]string{one, strings.Replace(last, `{"function"`, `{"id":"c2","function"`, 1)}, 2},
	} {
		got, err := client(t, sending(t, tt.lines...), nil).Chat(testContext(t), ask("x"), nil, nil)
		if err != nil || len(got.Calls) != tt.want {
			t.Errorf("%v: %d calls, want %d (%v)", tt.lines, len(got.Calls), tt.want, err)
		}
	}
}

// A complete call does not make an answer complete that was cut after it.
func TestBRN4ACutAnswerIsCutCallsOrNot(t *testing.T) {
	cut := strings.Replace(done, `"stop"`, `"length"`, 1)
	got, err := client(t, sending(t, calling(`{"p":1}`), cut), nil).Chat(testContext(t), ask("x"), nil, nil)
	if err != nil || got.Stop != fsm.StopMaxTokens || len(got.Calls) != 1 {
		t.Errorf("stop %s, %d calls, error %v; want max_tokens and the call", got.Stop, len(got.Calls), err)
	}
}

// More calls than any answer may run are not kept, however few bytes each of them has.
func TestBRN20AnAnswerHasABoundedNumberOfCalls(t *testing.T) {
	calls := func(n int) string {
		return `{"message":{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"function":{"name":"f"}},`, n), ",") + `]}}`
	}
	tests := map[string]struct {
		lines []string
		calls int
		stop  fsm.Stop
	}{
		"as many as there may be":    {[]string{calls(1000), calls(24), done}, 1024, fsm.StopToolUse},
		"one more, in one line":      {[]string{calls(1025), done}, 1024, fsm.StopMaxTokens},
		"one more, in several lines": {[]string{calls(1000), calls(25), done}, 1024, fsm.StopMaxTokens},
		"many more, without an end":  {[]string{calls(100_000)}, 1024, fsm.StopMaxTokens},
		"repeated by the last line":  {[]string{calls(1000), strings.Replace(done, `"message":{`, `"message":{`+calls(1000)[len(`{"message":{`):len(calls(1000))-len(`}}`)]+`,`, 1)}, 1000, fsm.StopToolUse},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := client(t, sending(t, tt.lines...), nil).Chat(testContext(t), ask("x"), nil, nil)
			if err != nil || len(got.Calls) != tt.calls || got.Stop != tt.stop {
				t.Errorf("%d calls, stop %s, error %v; want %d, %s", len(got.Calls), got.Stop, err, tt.calls, tt.stop)
			}
		})
	}
}

// A model that thinks too long before anything else is stopped; what it thinks after its first word is not
// counted.
func TestINF33ThinkingBeforeAnythingElseIsBounded(t *testing.T) {
	thinks := `{"message":{"thinking":"` + strings.Repeat("word ", 20) + `"}}`
	tagged := `{"message":{"content":"<think>` + strings.Repeat("word ", 20) + `"}}`
	says := `{"message":{"content":"Well. "}}`
	each := fsm.TextTokens(strings.Repeat("word ", 20))
	tests := map[string]struct {
		lines []string
		limit int
		stop  fsm.Stop
	}{
		"without a limit":       {[]string{thinks, thinks, thinks, done}, 0, fsm.StopEndTurn},
		"as long as it may":     {[]string{thinks, thinks, done}, 2 * each, fsm.StopEndTurn},
		"longer":                {[]string{thinks, thinks, done}, 2*each - 1, fsm.StopMaxTokens},
		"longer, without end":   {[]string{thinks, thinks}, 2*each - 1, fsm.StopMaxTokens},
		"longer, in tags":       {[]string{tagged, thinks}, each, fsm.StopMaxTokens},
		"after it said a word":  {[]string{thinks, says, thinks, thinks, done}, each, fsm.StopEndTurn},
		"after it made a call":  {[]string{thinks, calling(`{}`), thinks, thinks, done}, each, fsm.StopToolUse},
		"nothing but the words": {[]string{says, says, says, done}, 1, fsm.StopEndTurn},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			asked := ask("x")
			asked.ThinkTokens = tt.limit
			got, err := client(t, sending(t, tt.lines...), nil).Chat(testContext(t), asked, nil, nil)
			if err != nil || got.Stop != tt.stop {
				t.Errorf("stop %s, thinking %q, error %v; want %s", got.Stop, got.Thinking, err, tt.stop)
			}
		})
	}
}

func TestOddLinesAreTolerated(t *testing.T) {
	tests := map[string]struct {
		lines []string
		want  string
	}{
		"blank lines":       {[]string{"", "\r", `{"message":{"content":"a"}}` + "\r", "", done, ""}, "a"},
		"nulls":             {[]string{`{"message":{"content":null,"thinking":null,"tool_calls":null},"error":null}`, done}, ""},
		"broken UTF-8":      {[]string{"{\"message\":{\"content\":\"a\xc3\"}}", done}, "a\uFFFD"},
		"half a surrogate":  {[]string{`{"message":{"content":"a\ud800"}}`, done}, "a\uFFFD"},
		"unknown keys":      {[]string{`{"message":{"content":"a","images":[]},"logprobs":[]}`, done}, "a"},
		"lines after done":  {[]string{done, `{"message":{"content":"late"}}`, "garbage"}, ""},
		"longer than 4 KiB": {[]string{`{"message":{"content":"` + strings.Repeat("y", 1<<18) + `"}}`, done}, strings.Repeat("y", 1<<18)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := client(t, sending(t, tt.lines...), nil).Chat(testContext(t), ask("x"), nil, nil)
			if err != nil || got.Text != tt.want || got.Stop != fsm.StopEndTurn {
				t.Errorf("text %.80q, stop %s, error %v; want %.80q", got.Text, got.Stop, err, tt.want)
			}
		})
	}
}

func TestBRN20AnAnswerWithoutEndIsCut(t *testing.T) {
	line := `{"message":{"content":"` + strings.Repeat("ä", 50_000) + `"}}`
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = line
	}
	streamed := 0
	got, err := client(t, sending(t, lines...), nil).Chat(testContext(t), ask("x"), nil, func(c ollama.Chunk) { streamed += len(c.Text) })
	if err != nil || got.Stop != fsm.StopMaxTokens || len(got.Text) != 512<<10 || streamed != len(got.Text) {
		t.Errorf("%d bytes, %d streamed, stop %s, %v", len(got.Text), streamed, got.Stop, err)
	}
}

// Servers that imitate Ollama's write numbers and ids in other types.
func TestBRN5AnotherTypeOfACountOrIDIsRead(t *testing.T) {
	s := sending(t, `{"message":{"tool_calls":[{"id":7,"function":{"index":"1","name":"f","arguments":{}}},{"id":null,"function":{"index":null,"name":"g"}}]}}`,
		`{"done":true,"prompt_eval_count":50.0,"eval_count":7e0,"prompt_eval_duration":4e6,"eval_duration":2000000.0}`)
	got, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, []fsm.ToolCall{{ID: "7", Name: "f", Args: "{}"}, {ID: "call_2", Name: "g", Args: "{}"}}, got.Calls)
	if want := (fsm.Tokens{Prompt: 50, Answer: 7, Reading: 4, Writing: 2}); got.Tokens != want {
		t.Errorf("tokens %+v, want %+v", got.Tokens, want)
	}
}

// What the cache held has not been read, but for the last token; what cannot be is unknown.
func TestBRN47WhatTheCacheHeldWasNotRead(t *testing.T) {
	for cached, want := range map[string]int{"": 0, `,"prompt_eval_cached_count":null`: 0, `,"prompt_eval_cached_count":0`: 50, `,"prompt_eval_cached_count":38`: 12, `,"prompt_eval_cached_count":50.0`: 1, // order-free
		`,"prompt_eval_cached_count":51`: 0, `,"prompt_eval_cached_count":-1`: 0, `,"prompt_eval_cached_count":1e300`: 0, `,"prompt_eval_cached_count":"7"`: 0} {
		s := sending(t, `{"message":{"content":"Yes."}}`, `{"done":true,"done_reason":"stop","prompt_eval_count":50`+cached+`}`)
		got, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		if err != nil || got.Tokens != (fsm.Tokens{Prompt: 50, Read: want}) {
			t.Errorf("%s: %+v, %v; want %d read", cached, got.Tokens, err, want)
		}
	}
}

func TestBRN3AnImpossibleCountIsUnknown(t *testing.T) {
	for _, counts := range []string{
		`"prompt_eval_count":-5,"eval_count":-7,"prompt_eval_duration":-1000000,"eval_duration":-4000000`,
		`"prompt_eval_count":9223372036854775807,"prompt_eval_cached_count":7,"eval_count":9223372036854775807`,
		`"prompt_eval_count":1e400,"eval_count":99999999999999999999,"prompt_eval_duration":1e999,"eval_duration":"4"`,
		`"prompt_eval_count":"50","eval_count":null,"eval_duration":{}`,
	} {
		s := sending(t, `{"message":{"content":"Yes."}}`, `{"done":true,"done_reason":"stop",`+counts+`}`)
		got, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		if err != nil {
			t.Fatalf("%s: got %v; want no error", counts, err)
		}
		if got.Tokens != (fsm.Tokens{}) {
			t.Errorf("%s: tokens %+v, want none", counts, got.Tokens)
		}
	}
}
