package ollama_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// sent returns the body of the request that asks for a.
func sent(t *testing.T, a fsm.AskBrain, tools []fsm.ToolDecl, change func(*ollama.Options)) string {
	t.Helper()
	var body string
	s := server(t, func(w http.ResponseWriter, r *http.Request, b string) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/chat" {
			t.Errorf("got %s %s; want %s, %s", r.Method, r.URL.Path, http.MethodPost, "/api/chat")
		}
		body = b
		recorded(t, w, "chat-text")
	})
	if _, err := client(t, s, change).Chat(testContext(t), a, tools, nil); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(body)
}

// Covers the window, the length and that truncation is forbidden (BRN-2).
func TestAWholeConversationIsSent(t *testing.T) {
	a := ask("")
	a.Conversation.Messages = []fsm.Message{
		{Role: fsm.RoleSystem, Text: "be <brief> & kind"},
		{Role: fsm.RoleUser, Text: "hello"},
		{Role: fsm.RoleAssistant, Text: "so", Thinking: "hm", Calls: []fsm.ToolCall{
			{ID: "c1", Name: "f", Args: `{"z":1,"a":12345678901234567890}`},
			{ID: "c2", Name: "g", Args: `{"broken":`},
			{Name: "h", Args: `[1]`},
		}},
		{Role: fsm.RoleTool, Text: "one", Tool: "f", ToolCall: "c1"},
		{Role: fsm.RoleTool, Text: "two", Tool: "g", ToolCall: "c2"},
		{Role: fsm.RoleTool, Tool: "h"},
	}
	tools := []fsm.ToolDecl{
		{Name: "f", Description: "does f", Parameters: `{"type":"object","properties":{"z":{"type":"integer","minimum":1}},"additionalProperties":false}`},
		{Name: "g"},
	}
	seed := 7
	a.Options = fsm.Options{Temperature: -1}
	got := sent(t, a, tools, func(o *ollama.Options) {
		o.NumCtx, o.NumPredict, o.KeepAlive, o.Seed = 4096, 256, time.Minute, &seed
	})
	want := `{"model":"m","stream":true,"keep_alive":"1m0s","truncate":false,"shift":false,"messages":[` +
		`{"role":"system","content":"be <brief> & kind"},` +
		`{"role":"user","content":"hello"},` +
		`{"role":"assistant","content":"so","thinking":"hm","tool_calls":[` +
		`{"id":"c1","function":{"index":0,"name":"f","arguments":{"z":1,"a":12345678901234567890}}},` +
		`{"id":"c2","function":{"index":1,"name":"g","arguments":{}}},` +
		`{"function":{"index":2,"name":"h","arguments":{}}}]},` +
		`{"role":"tool","content":"one","tool_name":"f","tool_call_id":"c1"},` +
		`{"role":"tool","content":"two","tool_name":"g","tool_call_id":"c2"},` +
		`{"role":"tool","content":"","tool_name":"h"}],` +
		`"tools":[{"type":"function","function":{"name":"f","description":"does f","parameters":{"type":"object","properties":{"z":{"type":"integer","minimum":1}},"additionalProperties":false}}},` +
		`{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}],` +
		`"options":{"num_ctx":4096,"num_predict":256,"temperature":0,"seed":7}}`
	same(t, want, got)
}

func TestBRN6ThinkingIsAskedForWhereItIsSet(t *testing.T) {
	for think, want := range map[string]string{
		"": `"keep_alive":"5m0s","truncate":`, "true": `"think":true,"truncate":`, "false": `"think":false,"truncate":`, "low": `"think":"low","truncate":`,
	} {
		got := sent(t, ask("hello"), nil, func(o *ollama.Options) { o.Think = think })
		if !strings.Contains(got, want) {
			t.Errorf("think %q: %s; want %s", think, got, want)
		}
	}
}

func TestBRN2TheWindowAndTheLengthAreAlwaysSent(t *testing.T) {
	a := ask("hello")
	got := sent(t, a, nil, nil)
	want := `{"model":"m","stream":true,"keep_alive":"5m0s","truncate":false,"shift":false,` +
		`"messages":[{"role":"user","content":"hello"}],"options":{"num_ctx":8192,"num_predict":8192}}`
	same(t, want, got)
}

// A side call has the same tools, so that the prompt stays the same, and no format.
func TestBRN2NoCallIsHeldToAFormat(t *testing.T) {
	for _, purpose := range []fsm.Purpose{fsm.PurposeAnswer, fsm.PurposeSummary, fsm.PurposeCompact} {
		a := ask("hello")
		a.Purpose = purpose
		if got := sent(t, a, nil, nil); strings.Contains(got, `"format"`) {
			t.Errorf("%s is sent as %s", purpose, got)
		}
	}
}

// The system prompt goes first, and an image with its message, in base64.
func TestTheSystemPromptGoesBeforeTheConversation(t *testing.T) {
	a := ask("what is this?")
	a.System = "be kind"
	a.Conversation.Messages[0].Images = [][]byte{{0xff, 0xd8}, []byte("x")}
	got := sent(t, a, nil, nil)
	want := `"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"what is this?","images":["/9g=","eA=="]}],`
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s in it", got, want)
	}
}

func TestINF23OptionsOfTheCallGoBeforeTheClients(t *testing.T) {
	for _, c := range []struct {
		asked fsm.Options
		want  string
	}{
		{fsm.Options{}, `"options":{"num_ctx":8192,"num_predict":256}`},
		{fsm.Options{Temperature: 700, MaxTokens: 4096}, `"options":{"num_ctx":8192,"num_predict":4096,"temperature":0.7}`},
		{fsm.Options{Temperature: -1}, `"options":{"num_ctx":8192,"num_predict":256,"temperature":0}`},
	} {
		a := ask("hello")
		a.Options = c.asked
		got := sent(t, a, nil, func(o *ollama.Options) { o.NumPredict = 256 })
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %s\nwant %s in it", c.asked, got, c.want)
		}
	}
}

func TestAToolWithoutASchemaObjectIsRefused(t *testing.T) {
	s := server(t, func(http.ResponseWriter, *http.Request, string) { t.Error("a request was sent") })
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), []fsm.ToolDecl{{Name: "f", Parameters: "{"}}, nil)
	wantClass(t, err, fsm.BrainError, `tool "f"`, "JSON schema")
}
