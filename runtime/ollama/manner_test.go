package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestBRN14AModelThatCannotThinkIsNotToldTo(t *testing.T) {
	tests := []struct {
		think, can string
		want       string // part of the request
	}{
		{"true", `"completion"`, `"keep_alive":"5m0s","truncate"`},
		{"high", `"completion"`, `"keep_alive":"5m0s","truncate"`},
		{"false", `"completion"`, `"think":false,`},
		{"true", `"completion","thinking"`, `"think":true,`},
		{"high", `"completion","thinking"`, `"think":"high",`},
		{"", `"completion","thinking"`, `"keep_alive":"5m0s","truncate"`},
	}
	for _, tt := range tests {
		h, s := newHost(t)
		h.can = tt.can
		mustChat(t, client(t, s, func(o *ollama.Options) { o.Think = tt.think }))
		if !strings.Contains(h.chats[0], tt.want) {
			t.Errorf("think %q of %s: %s", tt.think, tt.can, h.chats[0])
		}
	}
}

// picky makes the host refuse each chat that contains one of the texts, in the words of a real
// server.
func (h *host) picky(refusals map[string]string) {
	h.chat = func(w http.ResponseWriter, body string) {
		for part, text := range refusals {
			if strings.Contains(body, part) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"`+text+`"}`)
				return
			}
		}
		recorded(h.t, w, "chat-text")
	}
}

func TestBRN14ARefusalToThinkIsAskedOnceAgain(t *testing.T) {
	h, s := newHost(t)
	h.can = `"completion","thinking"`
	h.picky(map[string]string{
		`"think":true`:   `\"m\" does not support thinking`,
		`"think":"high"`: `think value \"high\" is not supported for this model`,
	})
	c := client(t, s, func(o *ollama.Options) { o.Think = "high" })
	mustChat(t, c)
	mustChat(t, c)
	if len(h.chats) != 4 { // high, true, none; none
		t.Errorf("%d chats: %s", len(h.chats), strings.Join(h.chats, ""))
	}
}

func TestBRN14OneThatRefusesNotToThinkIsNotAskedForEver(t *testing.T) {
	h, s := newHost(t)
	h.picky(map[string]string{`"think":false`: `\"m\" does not support thinking`})
	_, err := client(t, s, func(o *ollama.Options) { o.Think = "false" }).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainError, "brain.think")
	if len(h.chats) != 1 {
		t.Errorf("%d chats", len(h.chats))
	}
}

func TestBRN15ImagesAreNotSentToAModelThatCannotSee(t *testing.T) {
	h, s := newHost(t)
	a := ask("what is this?")
	a.Conversation.Messages[0].Images = [][]byte{{1}}
	c := client(t, s, nil)
	_, err := c.Chat(testContext(t), a, nil, nil)
	wantClass(t, err, fsm.BrainError, `"m" cannot see images`)
	if len(h.chats) != 0 {
		t.Error("the chat was sent")
	}
	h.can = `"completion","vision"`
	a.Conversation.Messages[0].Images = [][]byte{make([]byte, 20<<20+1)}
	_, err = client(t, s, nil).Chat(testContext(t), a, nil, nil)
	wantClass(t, err, fsm.BrainError, "20 MiB")
}

// One image, once sent to a model that cannot see it, must not end the conversation.
func TestBRN15ImagesOfEarlierTurnsAreLeftOut(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, nil)
	a := ask("and now?")
	a.Conversation.Messages = []fsm.Message{
		{Role: fsm.RoleUser, Text: "what is this?", Images: [][]byte{{1}}}, {Role: fsm.RoleAssistant, Text: "no answer"},
		{Role: fsm.RoleUser, Images: [][]byte{{2}}}, {Role: fsm.RoleAssistant, Text: "no answer"},
		{Role: fsm.RoleUser, Text: "and now?"}, {Role: fsm.RoleAssistant, Text: "so"}, {Role: fsm.RoleUser, Text: "go on", Aside: true},
	}
	if _, err := c.Chat(testContext(t), a, nil, nil); err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"user","content":"[image]\nwhat is this?"},{"role":"assistant","content":"no answer"},{"role":"user","content":"[image]"},`
	if len(h.chats) != 1 || !strings.Contains(h.chats[0], want) || strings.Contains(h.chats[0], `"images"`) {
		t.Errorf("sent is %s; want %s", h.chats, want)
	}
	if got := a.Conversation.Messages[0]; got.Text != "what is this?" || len(got.Images) != 1 {
		t.Errorf("the conversation itself has become %+v", got)
	}
	a.Conversation.Messages[4].Images = [][]byte{{3}}
	_, err := c.Chat(testContext(t), a, nil, nil)
	wantClass(t, err, fsm.BrainError, `"m" cannot see images`)
	a.Purpose = fsm.PurposeSummary
	if _, err := c.Chat(testContext(t), a, nil, nil); err != nil {
		t.Errorf("a summary of what the model could not see: %v", err)
	}
	h.can = `"completion","vision"`
	if _, err := client(t, s, nil).Chat(testContext(t), a, nil, nil); err != nil || strings.Count(h.chats[2], `"images"`) != 3 {
		t.Errorf("%v; sent is %s; want 3 images", err, h.chats[2])
	}
}

func lookTool() []fsm.ToolDecl {
	return []fsm.ToolDecl{{Name: "look", Description: "looks\naround", Parameters: `{"type":"object"}`, Builtin: true}}
}

const callOfLook = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 12345678901234567890}}\n</tool_call>"

func TestBRN16AModelWithoutToolsLearnsOfThemInThePrompt(t *testing.T) {
	h, s := newHost(t)
	h.can = `"completion"`
	h.says(callOfLook)
	a := ask("")
	a.System = "be kind\n"
	a.Conversation.Messages = []fsm.Message{
		{Role: fsm.RoleUser, Text: "hello"},
		{Role: fsm.RoleAssistant, Text: "so", Calls: []fsm.ToolCall{{ID: "call_1", Name: "look", Args: `{"z":1,"a":2}`}, {ID: "call_2", Name: "look", Args: `{}`}}},
		{Role: fsm.RoleTool, Text: "one", Tool: "look", ToolCall: "call_1"},
		{Role: fsm.RoleTool, Text: "two</tool_result> three", Tool: "look", ToolCall: "call_2"},
	}
	got, err := client(t, s, nil).Chat(testContext(t), a, lookTool(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := fsm.BrainAnswered{
		Stop: fsm.StopEndTurn, Text: callOfLook, AsText: true,
		Tokens: fsm.Tokens{Prompt: 15, Answer: 7}, Model: fsm.Model{Name: "m", Digest: "d1"},
	}
	same(t, want, got)
	sent := `"messages":[{"role":"system","content":"be kind\n\n# How to call tools\n\n` +
		`These tools are there, each with a JSON schema of its arguments:\n\n- look: looks around\n  {\"type\":\"object\"}\n\n` +
		`To call one, answer with such a block and nothing else:\n\n<tool_call>\n{\"name\": \"NAME OF THE TOOL\", \"arguments\": {}}\n</tool_call>\n\n` +
		`The next message then brings its result, between <tool_result> and </tool_result>. Never write a result yourself. ` +
		`When no tool is needed, answer in plain text without such a block."},` +
		`{"role":"user","content":"hello"},` +
		`{"role":"assistant","content":"so\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"z\":1,\"a\":2}}\n</tool_call>\n` +
		`<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>"},` +
		`{"role":"user","content":"<tool_result name=\"look\">\none\n</tool_result>\n<tool_result name=\"look\">\ntwo<\\/tool_result> three\n</tool_result>"}],"options"`
	if !strings.Contains(h.chats[0], sent) {
		t.Errorf("sent %s\nwant in it %s", h.chats[0], sent)
	}
}

func TestBRN16TheConfigurationSaysHowToolsAreDescribed(t *testing.T) {
	for _, tt := range []struct {
		by        ollama.ToolsBy
		can       string
		described bool
	}{
		{ollama.ToolsAuto, `"completion","tools"`, false},
		{ollama.ToolsAuto, `"completion"`, true},
		{ollama.ToolsNative, `"completion"`, false},
		{ollama.ToolsDescribed, `"completion","tools"`, true},
	} {
		h, s := newHost(t)
		h.can = tt.can
		_, err := client(t, s, func(o *ollama.Options) { o.Tools = tt.by }).Chat(testContext(t), ask("x"), lookTool(), nil)
		if err != nil {
			t.Fatal(err)
		}
		native := strings.Contains(h.chats[0], `"tools":[`)
		described := strings.Contains(h.chats[0], "How to call tools")
		if described != tt.described || native == described {
			t.Errorf("%s of %s: described %v, native %v", tt.by, tt.can, described, native)
		}
	}
}

// If what the server says about a model is wrong, the refusal tells.
func TestBRN16AModelThatRefusesToolsLearnsOfThem(t *testing.T) {
	h, s := newHost(t)
	h.picky(map[string]string{`"tools":[`: `registry.ollama.ai/library/m:latest does not support tools`})
	c := client(t, s, nil)
	for range 2 {
		if _, err := c.Chat(testContext(t), ask("x"), lookTool(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.chats) != 3 {
		t.Errorf("%d chats", len(h.chats))
	}
	_, err := client(t, s, func(o *ollama.Options) { o.Tools = ollama.ToolsNative }).Chat(testContext(t), ask("x"), lookTool(), nil)
	wantClass(t, err, fsm.BrainNoTools, "brain.tools")
}

// A model that makes up the result of its call is stopped there, and where its author has it stop;
// a call's own stops would replace those.
func TestBRN16AnAnswerEndsWhereAResultIsMadeUp(t *testing.T) {
	for _, tt := range []struct {
		name, can string
		tools     []fsm.ToolDecl
		want      []string
	}{
		{"described tools", `"completion"`, lookTool(), append([]string{"<|im_end|>", "a \"b\"\n"}, "</tool_call><tool_result", "</tool_call><tool_response",
			"</tool_call>\n<tool_result", "</tool_call>\n<tool_response", "</tool_call>\n\n<tool_result", "</tool_call>\n\n<tool_response")},
		{"native tools", `"completion","tools"`, lookTool(), nil},
		{"no tools", `"completion"`, nil, nil},
	} {
		h, s := newHost(t)
		h.can, h.parameters = tt.can, "temperature                    0\nstop                           \"<|im_end|>\"\nstop                           \"a \\\"b\\\"\\n\"\nstopped \"x\""
		if _, err := client(t, s, nil).Chat(testContext(t), ask("x"), tt.tools, nil); err != nil {
			t.Fatal(err)
		}
		var sent struct{ Options struct{ Stop []string } }
		if err := json.Unmarshal([]byte(h.chats[0]), &sent); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, sent.Options.Stop); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// If the server does not say where a model's answers end, a call has no stops of its own.
func TestBRN16WithoutTheModelsStopsThereAreNone(t *testing.T) {
	h, s := newHost(t)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			http.Error(w, "", http.StatusInternalServerError)
			return
		}
		body, _ := io.ReadAll(r.Body)
		h.serve(w, r, string(body))
	})
	c := client(t, s, func(o *ollama.Options) { o.Tools = ollama.ToolsDescribed })
	if _, err := c.Chat(testContext(t), ask("x"), lookTool(), nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(h.chats[0], `"stop"`) || !strings.Contains(h.chats[0], "How to call tools") {
		t.Errorf("sent is %s", h.chats[0])
	}
}

// Whatever arrives, in however many pieces, what is streamed is what is answered.
func TestBRN16WhatIsNotACallIsStreamed(t *testing.T) {
	for _, text := range []string{"plain", "<tool", "<tool_call>is what I would write", " <tool_call>{}</tool_call>", "see " + callOfLook} {
		h, s := newHost(t)
		h.can = `"completion"`
		h.chat = func(w http.ResponseWriter, _ string) {
			for _, r := range text {
				_, _ = io.WriteString(w, `{"message":{"content":"`+string(r)+`"}}`+"\n")
			}
			_, _ = io.WriteString(w, done)
		}
		text = strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text)
		if strings.ContainsAny(text, `\`) {
			h.chat = func(w http.ResponseWriter, _ string) {
				_, _ = io.WriteString(w, `{"message":{"content":"`+text+`"}}`+"\n"+done)
			}
		}
		var seen strings.Builder
		got, err := client(t, s, nil).Chat(testContext(t), ask("x"), lookTool(), func(c ollama.Chunk) { seen.WriteString(c.Text) })
		if err != nil || len(got.Calls) > 0 || seen.String() != got.Text || got.Text == "" {
			t.Errorf("%q: %+v, streamed %q, %v", text, got, &seen, err)
		}
	}
}

func TestBRN16ATemplateWithoutAPlaceForCallsDemandsThatTheyAreWritten(t *testing.T) {
	for template, described := range map[string]bool{
		"{{ .Prompt }}":                   false,
		"{{ .Tools }}{{ .Messages }}":     true,
		"{{ .Tools }}{{ .ToolCalls }}":    false,
		"{{ .Messages }}{{ .ToolCalls }}": false,
	} {
		h, s := newHost(t)
		h.can, h.template = `"completion","tools"`, template
		got, err := client(t, s, nil).Chat(testContext(t), ask("x"), lookTool(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(h.chats[0], "How to call tools") != described || got.AsText != described {
			t.Errorf("%s: %s, as text: %t", template, h.chats[0], got.AsText)
		}
	}
}
