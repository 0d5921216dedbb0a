package openai_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// scripted gives the same answer to everything, and records what it was asked.
type scripted struct {
	answer mock.Answer
	asked  []mock.Question
}

func (s *scripted) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	s.asked = append(s.asked, q)
	return s.answer, nil
}

// changing lists what differs from run to run, and what is shown instead.
var changing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`"(created|created_at|completed_at)":\d+`), `"$1":1`},
	{regexp.MustCompile(`error parsing tool call: [^"]+`), "error parsing tool call"}, // a library says why
	{regexp.MustCompile(`"(rs|fc)_\d+(_\d+)?"`), `"$1_1"`},
}

// ask sends a request and returns the status, the type and the body.
func ask(t *testing.T, a mock.Answer, method, path, body string) (status int, media, text string) {
	t.Helper()
	s := httptest.NewServer(mock.New(mock.Options{
		Models: []mock.Model{{Name: "brain"}, {Name: "deaf", NoTools: true}}, EmbedModel: "brain-embed", EmbedDims: 4, Limits: true, Brain: &scripted{answer: a},
	}))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text = string(raw)
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.as)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), text
}

var (
	said    = mock.Answer{Text: "Hello there.", Pieces: []mock.Piece{{Text: "Hello "}, {Text: "there."}}, PromptTokens: 7}
	garbled = mock.Answer{Text: "Look:", Calls: []fsm.ToolCall{{Name: "look", Args: `{"`}}}
	called  = mock.Answer{Calls: []fsm.ToolCall{{Name: "look", Args: `{"path":"."}`}}, PromptTokens: 7}
)

const (
	chunk = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"brain","system_fingerprint":"fp_ollama","choices":[`
	tools = `,"tools":[{"type":"function","function":{"name":"look","description":"Look.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]`
	hello = `"messages":[{"role":"user","content":"Hi"}]`
)

func TestCLI204TheMockSpeaksOpenAIsAPI(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, body string
		answer                   mock.Answer
		status                   int
		media, want              string
	}{
		{
			"a completion", "POST", "/v1/chat/completions", `{"model":"brain",` + hello + `}`, said, 200, "application/json",
			`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"brain","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens":4,"total_tokens":11}}` + "\n",
		},
		{
			"streamed, with usage", "POST", "/v1/chat/completions", `{"model":"brain","stream":true,"stream_options":{"include_usage":true},` + hello + `}`, said, 200, "text/event-stream",
			chunk + `{"index":0,"delta":{"role":"assistant","content":"Hello "},"finish_reason":null}]}` + "\n\n" +
				chunk + `{"index":0,"delta":{"content":"there."},"finish_reason":null}]}` + "\n\n" +
				chunk + `{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
				chunk + `],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens":4,"total_tokens":11}}` + "\n\n" +
				"data: [DONE]\n\n",
		},
		{
			"calls, streamed", "POST", "/v1/chat/completions", `{"model":"brain","stream":true,` + hello + tools + `}`, called, 200, "text/event-stream",
			chunk + `{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"look","arguments":"{\"path\":\".\"}"}}]},"finish_reason":null}]}` + "\n\n" +
				chunk + `{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n" +
				"data: [DONE]\n\n",
		},
		{
			"cut for its length", "POST", "/v1/chat/completions", `{"model":"brain","max_tokens":1,` + hello + `}`, said, 200, "application/json",
			`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"brain","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"Hell"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens":1,"total_tokens":8}}` + "\n",
		},
		{
			"of a schema", "POST", "/v1/chat/completions", `{"model":"brain","response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"note":{"type":"string"}}}}},` + hello + `}`, said, 200, "application/json",
			`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"brain","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"{\"note\":\"Hello there.\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens":6,"total_tokens":13}}` + "\n",
		},
		{
			"an error amid a stream", "POST", "/v1/chat/completions", `{"model":"brain","stream":true,` + hello + `}`, mock.Answer{Text: "Hel", Error: "the runner has died"}, 200, "text/event-stream",
			chunk + `{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}` + "\n\n" +
				`data: {"error":{"message":"the runner has died","type":"api_error","param":null,"code":null}}` + "\n\n",
		},
		{
			"a call whose arguments are no object", "POST", "/v1/chat/completions", `{"model":"brain",` + hello + tools + `}`, garbled, 500, "application/json",
			`{"error":{"message":"error parsing tool call","type":"api_error","param":null,"code":null}}` + "\n",
		},
		{
			"such a call, streamed", "POST", "/v1/chat/completions", `{"model":"brain","stream":true,` + hello + tools + `}`, garbled, 200, "text/event-stream",
			chunk + `{"index":0,"delta":{"role":"assistant","content":"Look:"},"finish_reason":null}]}` + "\n\n" +
				`data: {"error":{"message":"error parsing tool call","type":"api_error","param":null,"code":null}}` + "\n\n",
		},
		{
			"such a call in a response", "POST", "/v1/responses", `{"model":"brain","input":"Hi","tools":[{"type":"function","name":"look","parameters":{"type":"object"}}]}`, garbled, 500, "application/json",
			`{"error":{"message":"error parsing tool call","type":"api_error","param":null,"code":null}}` + "\n",
		},
		{
			"a text", "POST", "/v1/completions", `{"model":"brain","prompt":"Hi"}`, said, 200, "application/json",
			`{"id":"cmpl-1","object":"text_completion","created":1,"model":"brain","system_fingerprint":"fp_ollama","choices":[{"text":"Hello there.","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens":4,"total_tokens":11}}` + "\n",
		},
		{
			"a response", "POST", "/v1/responses", `{"model":"brain","input":"Hi"}`, said, 200, "application/json",
			`{"id":"resp_1","object":"response","created_at":1,"completed_at":1,"status":"completed","incomplete_details":null,"model":"brain","previous_response_id":null,"instructions":null,"output":[{"id":"msg_2","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello there.","annotations":[],"logprobs":[]}]}],"error":null,"tools":[],"tool_choice":"auto","truncation":"disabled","parallel_tool_calls":true,"text":{"format":{"type":"text"}},"top_p":1,"presence_penalty":0,"frequency_penalty":0,"top_logprobs":0,"temperature":1,"reasoning":null,"usage":{"input_tokens":7,"output_tokens":4,"total_tokens":11,"input_tokens_details":{"cached_tokens":0},"output_tokens_details":{"reasoning_tokens":0}},"max_output_tokens":null,"max_tool_calls":null,"store":false,"background":false,"service_tier":"default","metadata":{},"safety_identifier":null,"prompt_cache_key":null}` + "\n",
		},
		{
			"a model", "GET", "/v1/models/brain", "", said, 200, "application/json",
			`{"id":"brain","object":"model","created":1,"owned_by":"library"}` + "\n",
		},
		{
			"all models", "GET", "/v1/models", "", said, 200, "application/json",
			`{"object":"list","data":[{"id":"brain:latest","object":"model","created":1,"owned_by":"library"},{"id":"brain-embed:latest","object":"model","created":1,"owned_by":"library"},{"id":"deaf:latest","object":"model","created":1,"owned_by":"library"}]}` + "\n",
		},
		{
			"a model that there is not", "POST", "/v1/chat/completions", `{"model":"other",` + hello + `}`, said, 404, "application/json",
			`{"error":{"message":"model 'other' not found","type":"not_found_error","param":null,"code":null}}` + "\n",
		},
		{
			"tools of a model that has none", "POST", "/v1/chat/completions", `{"model":"deaf",` + hello + tools + `}`, said, 400, "application/json",
			`{"error":{"message":"registry.ollama.ai/library/deaf:latest does not support tools","type":"invalid_request_error","param":null,"code":null}}` + "\n",
		},
		{
			"no messages", "POST", "/v1/chat/completions", `{"model":"brain"}`, said, 400, "application/json; charset=utf-8",
			`{"error":{"message":"[] is too short - 'messages'","type":"invalid_request_error","param":null,"code":null}}` + "\n",
		},
		{
			"no body", "POST", "/v1/chat/completions", "", said, 400, "application/json; charset=utf-8",
			`{"error":{"message":"EOF","type":"invalid_request_error","param":null,"code":null}}` + "\n",
		},
		{
			"a response without a body", "POST", "/v1/responses", " ", said, 400, "application/json; charset=utf-8",
			`{"error":{"message":"missing request body","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}` + "\n",
		},
		{
			"a response without an input", "POST", "/v1/responses", `{"model":"brain"}`, said, 400, "application/json; charset=utf-8",
			`{"error":{"message":"input is required","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}` + "\n",
		},
		{
			"a busy server", "POST", "/v1/responses", `{"model":"brain","input":"Hi"}`, mock.Answer{Status: 503, Error: "busy"}, 503, "application/json",
			`{"error":{"message":"busy","type":"api_error","param":null,"code":null}}` + "\n",
		},
		{"another method", "GET", "/v1/chat/completions", "", said, 405, "text/plain", "405 method not allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, media, body := ask(t, tt.answer, tt.method, tt.path, tt.body)
			if status != tt.status || media != tt.media || body != tt.want {
				t.Errorf("%d %s\n%s\nwant %d %s\n%s", status, media, body, tt.status, tt.media, tt.want)
			}
		})
	}
}

// The events of a response come in OpenAI's order, numbered without a gap.
func TestCLI204AResponseIsStreamed(t *testing.T) {
	_, media, body := ask(t, said, "POST", "/v1/responses", `{"model":"brain","input":"Hi","stream":true}`)
	var names []string
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(part, "\n")
		var e struct {
			Type     string
			Sequence int `json:"sequence_number"`
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil {
			t.Fatalf("got %v in %q; want none", err, part)
		}
		if "event: "+e.Type != name || e.Sequence != len(names) {
			t.Errorf("event %d: %s", len(names), part)
		}
		names = append(names, strings.TrimPrefix(e.Type, "response."))
	}
	want := strings.Fields(`created in_progress output_item.added content_part.added output_text.delta output_text.delta output_text.done
		content_part.done output_item.done completed`)
	if media != "text/event-stream" || !slices.Equal(names, want) {
		t.Errorf("%s %v\nwant %v", media, names, want)
	}
}

// The numbers of a vector are the same in both encodings.
func TestCLI204VectorsComeAsNumbersOrInBase64(t *testing.T) {
	var numbers struct {
		Data []struct{ Embedding []float32 }
	}
	var texts struct{ Data []struct{ Embedding string } }
	for encoding, to := range map[string]any{"float": &numbers, "base64": &texts} { // order-free: each is another request
		status, _, body := ask(t, said, "POST", "/v1/embeddings", `{"model":"brain-embed","input":["one two"],"encoding_format":"`+encoding+`"}`)
		if err := json.Unmarshal([]byte(body), to); err != nil || status != 200 {
			t.Fatalf("got %d %s, %v; want 200", status, body, err)
		}
	}
	raw, err := base64.StdEncoding.DecodeString(texts.Data[0].Embedding)
	if err != nil || len(raw) != 16 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	for i, want := range numbers.Data[0].Embedding {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); got != want || want == 0 {
			t.Errorf("number %d is %v and %v", i, got, want)
		}
	}
	if status, _, body := ask(t, said, "POST", "/v1/embeddings", `{"model":"brain-embed","input":"a","encoding_format":"hex"}`); status != 400 || !strings.Contains(body, "Supported values: ['float', 'base64']") {
		t.Errorf("got %d %s; want 400, with %q", status, body, "Supported values: ['float', 'base64']")
	}
}
