package mock_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// library returns Ollama's own client, connected to a server.
func library(t *testing.T, opt mock.Options) *api.Client {
	t.Helper()
	s := httptest.NewServer(mock.New(opt))
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return api.NewClient(base, s.Client())
}

// CLI-9: other clients of Ollama can use the mock.
func TestCLI9TheLibrarysClientReadsTheModels(t *testing.T) {
	ctx := testContext(t)
	c := library(t, mock.Options{Models: []mock.Model{{Name: "a"}, {Name: "b", NoTools: true, NoThinking: true, Window: 2048}}, EmbedDims: 8})
	if err := c.Heartbeat(ctx); err != nil {
		t.Error(err)
	}
	if v, err := c.Version(ctx); v != mock.DefaultVersion || err != nil {
		t.Errorf("got %q, %v; want %q", v, err, mock.DefaultVersion)
	}
	list, err := c.List(ctx)
	if err != nil || len(list.Models) != 3 || list.Models[1].Name != "b:latest" {
		t.Errorf("got %+v, %v; want 3 Models, Models[1].Name %q", list, err, "b:latest")
	}
	shown, err := c.Show(ctx, &api.ShowRequest{Model: "b"})
	if err != nil || len(shown.Capabilities) != 2 || shown.Capabilities[1] != "vision" || shown.ModelInfo["llama.context_length"] != 2048.0 {
		t.Errorf("got %+v, %v; want 2 Capabilities, Capabilities[1] %q, ModelInfo[\"llama.context_length\"] %v", shown, err, "vision", 2048.0)
	}
	vectors, err := c.Embed(ctx, &api.EmbedRequest{Model: "mock-embed", Input: []string{"a", "b"}, Dimensions: 4})
	if err != nil || len(vectors.Embeddings) != 2 || len(vectors.Embeddings[1]) != 4 {
		t.Errorf("got %+v, %v; want 2 Embeddings, 4 Embeddings[1]", vectors, err)
	}
	old, err := c.Embeddings(ctx, &api.EmbeddingRequest{Model: "mock-embed", Prompt: "a"})
	if err != nil || len(old.Embedding) != 8 {
		t.Errorf("got %+v, %v; want 8 Embedding", old, err)
	}
	running, err := c.ListRunning(ctx)
	if err != nil || len(running.Models) != 1 || running.Models[0].Name != "mock-embed:latest" {
		t.Errorf("got %+v, %v; want 1 Models, Models[0].Name %q", running, err, "mock-embed:latest")
	}
	for what, err := range map[string]error{
		"copy":   c.Copy(ctx, &api.CopyRequest{Source: "a", Destination: "c"}),
		"delete": c.Delete(ctx, &api.DeleteRequest{Model: "a"}),
		"create": c.Create(ctx, &api.CreateRequest{Model: "c", From: "a"}, func(api.ProgressResponse) error { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), "the mock server does not play /api/"+what) {
			t.Errorf("%s: got %v; want an error with %q", what, err, "the mock server does not play /api/"+what)
		}
	}
}

func TestCLI9TheLibrarysClientChats(t *testing.T) {
	ctx := testContext(t)
	brain := &scripted{answer: mock.Answer{Thinking: "hm", Text: "look: ", Calls: []fsm.ToolCall{{Name: "f", Args: `{"z":1}`}, {Name: "g", Args: `{}`}}}}
	c := library(t, mock.Options{Brain: brain})
	var text, thinking string
	var calls []api.ToolCall
	var last api.ChatResponse
	err := c.Chat(ctx, &api.ChatRequest{
		Model: "mock", Messages: []api.Message{{Role: "user", Content: "hello"}},
		Tools: api.Tools{{Type: "function", Function: api.ToolFunction{Name: "f"}}},
	}, func(r api.ChatResponse) error {
		text, thinking = text+r.Message.Content, thinking+r.Message.Thinking
		calls, last = append(calls, r.Message.ToolCalls...), r
		return nil
	})
	if err != nil || text != "look: " || thinking != "hm" || len(calls) != 2 || calls[1].Function.Index != 1 || calls[1].ID == "" {
		t.Errorf("got %q, %q, %+v, %v; want %q, %q, 2 of them, [1].Function.Index 1, some [1].ID", text, thinking, calls, err, "look: ", "hm")
	}
	if !last.Done || last.DoneReason != "stop" || last.PromptEvalCount == 0 || last.EvalCount == 0 || last.TotalDuration <= 0 || last.EvalDuration <= 0 {
		t.Errorf("got %+v; want Done, DoneReason %q, PromptEvalCount not 0, EvalCount not 0, TotalDuration more than 0, EvalDuration more than 0", last, "stop")
	}
}

// A conversation continues from the context that a generation returns.
func TestCLI9TheLibrarysClientGenerates(t *testing.T) {
	ctx := testContext(t)
	brain := &scripted{answer: mock.Answer{Text: "fine"}}
	c := library(t, mock.Options{Brain: brain})
	var context []int
	for _, prompt := range []string{"how are you?", "and now?"} {
		text := ""
		if err := c.Generate(ctx, &api.GenerateRequest{Model: "mock", System: "be kind", Prompt: prompt, Context: context}, func(r api.GenerateResponse) error {
			text, context = text+r.Response, r.Context
			return nil
		}); err != nil || text != "fine" {
			t.Fatalf("got %q, %v; want %q", text, err, "fine")
		}
	}
	q := brain.questions()[1]
	if len(q.Messages) != 3 || q.Messages[1].Text != "fine" || q.Messages[2].Text != "and now?" || q.System != "be kind" {
		t.Errorf("got %+v; want 3 Messages, Messages[1].Text %q, Messages[2].Text %q, System %q", q, "fine", "and now?", "be kind")
	}
	reason := ""
	err := c.Generate(ctx, &api.GenerateRequest{Model: "mock"}, func(r api.GenerateResponse) error { reason = r.DoneReason; return nil })
	if reason != "load" || err != nil {
		t.Errorf("got %q, %v; want %q", reason, err, "load")
	}
}

// BRN-2, BRN-3: conversations for which a window has no room.
func TestLimitsAreKeptAsARealServerKeepsThem(t *testing.T) {
	long := strings.Repeat("lorem ipsum ", 40) // 120 tokens
	talk := `"messages":[{"role":"system","content":"s"},{"role":"user","content":"` + long + `"},{"role":"assistant","content":"a"},{"role":"user","content":"now"}]`
	tests := map[string]struct {
		body    string
		status  int
		dropped int
		prompt  int
		reason  string
		text    string
	}{
		"all fits":             {`"options":{"num_ctx":200},` + talk, 200, 0, 141, "stop", "one two three four"},
		"the oldest go":        {`"options":{"num_ctx":64},` + talk, 200, 1, 17, "stop", "one two three four"},
		"the last is cut":      {`"options":{"num_ctx":64},"messages":[{"role":"user","content":"` + long + `"}]`, 200, 0, 64, "stop", "one two three four"},
		"not to be truncated":  {`"truncate":false,"options":{"num_ctx":64},` + talk, 400, 0, 0, "", ""},
		"num_predict":          {`"options":{"num_predict":2},` + hello, 200, 0, 9, "length", "one two "},
		"no room, no shift":    {`"shift":false,"options":{"num_ctx":10},` + hello, 200, 0, 9, "length", "one "},
		"no window at all":     {`"options":{"num_ctx":0},` + hello, 200, 0, 4, "stop", "one two three four"},
		"no room, but a shift": {`"options":{"num_ctx":10},` + hello, 200, 0, 9, "stop", "one two three four"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			brain := &scripted{answer: mock.Answer{Text: "one two three four", Pieces: []mock.Piece{{Text: "one two "}, {Text: "three four"}}}}
			s := httptest.NewServer(mock.New(mock.Options{Brain: brain, Limits: true}))
			defer s.Close()
			got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,`+tt.body+`}`)
			var a api.ChatResponse
			if err := json.Unmarshal([]byte(got.body), &a); err != nil || got.status != tt.status {
				t.Fatalf("got %+v, %v; want status %d", got, err, tt.status)
			}
			if a.PromptEvalCount != tt.prompt || a.DoneReason != tt.reason || a.Message.Content != tt.text {
				t.Errorf("got %s, %d, %q, %q; want a.PromptEvalCount %d, a.DoneReason %q, a.Message.Content %q", got.body, a.PromptEvalCount, a.DoneReason, a.Message.Content, tt.prompt, tt.reason, tt.text)
			}
			if q := brain.questions(); tt.status == 200 && q[0].Dropped != tt.dropped {
				t.Errorf("%d dropped", q[0].Dropped)
			}
		})
	}
}

func TestWhatIsBusySaysWhenToTryAgain(t *testing.T) {
	s := serve(t, &scripted{answer: mock.Answer{Status: http.StatusServiceUnavailable, Error: "server busy", RetryAfter: 1500 * time.Millisecond}})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+chatPath, strings.NewReader(`{"model":"brain",`+hello+`}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "2" {
		t.Errorf("got %d, %v; want 503, Retry-After 2", resp.StatusCode, resp.Header)
	}
}

// What a conversation of many short messages needs to be cut does not grow with their square.
func TestCLI9ALongConversationIsCut(t *testing.T) {
	brain := &scripted{answer: mock.Answer{Text: "so"}}
	s := httptest.NewServer(mock.New(mock.Options{Limits: true, Brain: brain}))
	defer s.Close()
	const many = 40_000
	system, message := `{"role":"system","content":"Be brief."}`, `,{"role":"user","content":"go on"}`
	got := request(t, s, http.MethodPost, chatPath, `{"model":"mock","stream":false,"messages":[`+system+strings.Repeat(message, many)+`]}`)
	q := brain.questions()
	if got.status != http.StatusOK || len(q) != 1 || q[0].System != "Be brief." || len(q[0].Messages) != many {
		t.Fatalf("got status %d, %d questions; want 200 and all %d messages of one", got.status, len(q), many)
	}
	if kept := many - q[0].Dropped; kept < 100 || kept > mock.DefaultNumCtx || counted(got.body) > mock.DefaultNumCtx || counted(got.body) < mock.DefaultNumCtx-10 {
		t.Errorf("of %d messages %d fit, of %d tokens; want those that fill %d", many, kept, counted(got.body), mock.DefaultNumCtx)
	}
}

// What a real server does not read in a conversation, the mock does not read either.
func TestCLI9ArgumentsThatAreSentBackAreAnObject(t *testing.T) {
	s := serve(t, &scripted{answer: mock.Answer{Text: "so"}})
	for arguments, want := range map[string]int{`{"b":1,"a":{}}`: http.StatusOK, `{}`: http.StatusOK, `"{}"`: http.StatusBadRequest, `[]`: http.StatusBadRequest} {
		got := request(t, s, http.MethodPost, chatPath, `{"model":"brain","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"look","arguments":`+
			arguments+`}}]},{"role":"tool","content":"x"}]}`)
		if got.status != want {
			t.Errorf("%s: got %d %s; want %d", arguments, got.status, got.body, want)
		}
	}
}
