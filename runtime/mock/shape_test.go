package mock_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// fixed gives the same answer to every question.
type fixed mock.Answer

func (f fixed) Answer(context.Context, mock.Question) (mock.Answer, error) {
	return mock.Answer(f), nil
}

// saying starts a server that gives the same answer to every question, in the form that the request
// wants.
func saying(t *testing.T, a mock.Answer, log func(mock.Served)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(mock.New(mock.Options{Limits: true, Brain: fixed(a), Log: log}))
	t.Cleanup(s.Close)
	return s
}

// chatted returns the message of an answer that is not streamed.
func chatted(t *testing.T, s *httptest.Server, more string) (content string, calls int, reason string) {
	t.Helper()
	body := `{"model":"mock","stream":false,"messages":[{"role":"user","content":"hello"}]` + more + `}`
	resp, err := http.Post(s.URL+"/api/chat", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Message struct {
			Content   string
			ToolCalls []any `json:"tool_calls"`
		}
		DoneReason string `json:"done_reason"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.Message.Content, len(got.Message.ToolCalls), got.DoneReason
}

const lookOffered = `,"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]`

func TestCLI61AnAnswerIsHeldToTheRequest(t *testing.T) {
	call := []fsm.ToolCall{{Name: "look", Args: `{"path":"."}`}}
	for _, tt := range []struct {
		name    string
		says    mock.Answer
		more    string
		content string
		calls   int
	}{
		{"nothing is asked", mock.Answer{Text: "one, two"}, "", "one, two", 0},
		{"a word to stop at", mock.Answer{Text: "one, two, three"}, `,"options":{"stop":["three",", two"]}`, "one", 0},
		{"a word that does not come", mock.Answer{Text: "one"}, `,"options":{"stop":["two"]}`, "one", 0},
		{"calls of tools that are offered", mock.Answer{Text: "so", Calls: call}, lookOffered, "so", 1},
		{"calls where none are", mock.Answer{Text: "so", Calls: call}, "", "so<tool_call>\n{\"name\":\"look\",\"arguments\":{\"path\":\".\"}}\n</tool_call>", 0},
		{"JSON", mock.Answer{Text: "red"}, `,"format":"json"`, `{"answer":"red"}`, 0},
		{"JSON that is some", mock.Answer{Text: `{"a":1}`}, `,"format":"json"`, `{"a":1}`, 0},
		{"a schema", mock.Answer{Text: "red"}, `,"format":{"type":"object","properties":{"colour":{"type":"string"},"n":{"type":"integer"},"ok":{"type":"boolean"},"list":{"type":"array","items":{"type":"string"}},"size":{"enum":["s","l"]}}}`,
			`{"colour":"red","list":[],"n":0,"ok":false,"size":"s"}`, 0},
		{"a schema of very many items", mock.Answer{Text: "red"}, `,"format":{"type":"array","minItems":1000000000,"items":{"type":"array","minItems":1000000000,"items":{"type":"integer"}}}`,
			"[[" + strings.Repeat("0,", 998) + "0]]", 0},
		{"a schema and tools", mock.Answer{Text: "red", Calls: call}, lookOffered + `,"format":{"type":"object","properties":{"colour":{"type":"string"}}}`, `{"colour":"red"}`, 0},
	} {
		content, calls, reason := chatted(t, saying(t, tt.says, nil), tt.more)
		if content != tt.content || calls != tt.calls || reason != "stop" {
			t.Errorf("%s: %q, %d calls, %s; want %q, %d", tt.name, content, calls, reason, tt.content, tt.calls)
		}
	}
}

func TestCLI61WhatStreamsIsHeldToTheRequestToo(t *testing.T) {
	s := saying(t, mock.Answer{Thinking: "hm", Text: "one, two, three", Pieces: []mock.Piece{{Thinking: "hm"}, {Text: "one, "}, {Text: "two, "}, {Text: "three"}}}, nil)
	resp, err := http.Post(s.URL+"/api/chat", "application/json", strings.NewReader(`{"model":"mock","messages":[{"role":"user","content":"hello"}],"options":{"stop":["wo"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, thinking := "", ""
	for d := json.NewDecoder(resp.Body); ; {
		var line struct {
			Message struct{ Content, Thinking string }
		}
		if d.Decode(&line) != nil {
			break
		}
		text, thinking = text+line.Message.Content, thinking+line.Message.Thinking
	}
	if text != "one, t" || thinking != "hm" {
		t.Errorf("streamed %q, thought %q", text, thinking)
	}
}

func TestCLI60PagesOfThisMachineMayUseIt(t *testing.T) {
	s := saying(t, mock.Answer{Text: "so"}, nil)
	for origin, allowed := range map[string]bool{
		"http://localhost": true, "http://localhost:3000": true, "https://127.0.0.1:8443": true, "app://x": true, "vscode-webview://y": true,
		s.URL: true, "https://example.com": false, "http://localhost.example.com": false, "null": false,
	} {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			req, err := http.NewRequest(method, s.URL+"/api/tags", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Origin", origin)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			same := origin == s.URL
			want := http.StatusForbidden
			switch {
			case same && method == http.MethodOptions:
				want = http.StatusMethodNotAllowed
			case allowed && method == http.MethodOptions:
				want = http.StatusNoContent
			case allowed:
				want = http.StatusOK
			}
			told := resp.Header.Get("Access-Control-Allow-Origin")
			if resp.StatusCode != want || allowed && !same && told != origin || !allowed && told != "" {
				t.Errorf("%s of %s: %d, allowed is %q; want %d", method, origin, resp.StatusCode, told, want)
			}
		}
	}
}

// A page learns why a request is wrong, and another page nothing, also where it is the form of the request that is wrong.
func TestCLI60TheOriginComesBeforeTheRequest(t *testing.T) {
	s := saying(t, mock.Answer{Text: "so"}, nil)
	for origin, want := range map[string]int{"http://localhost:3000": http.StatusBadRequest, "https://example.com": http.StatusForbidden} {
		req, err := http.NewRequest(http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if told := resp.Header.Get("Access-Control-Allow-Origin"); resp.StatusCode != want || (told == origin) != (want == http.StatusBadRequest) {
			t.Errorf("%s: %d, allowed is %q; want %d", origin, resp.StatusCode, told, want)
		}
	}
}

func TestCLI60AnAddressWithTwoStrokesIsSentOn(t *testing.T) {
	s := saying(t, mock.Answer{Text: "so"}, nil)
	resp, err := http.Get(s.URL + "//api/version")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), mock.DefaultVersion) || resp.Request.URL.Path != "/api/version" {
		t.Errorf("%s says %s", resp.Request.URL, body)
	}
}

func TestCLI60ALoadedModelIsGoneWhenItsTimeIsUp(t *testing.T) {
	s := saying(t, mock.Answer{Text: "so"}, nil)
	loaded := func() string {
		resp, err := http.Get(s.URL + "/api/ps")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	chatted(t, s, `,"keep_alive":-1`)
	if got := loaded(); !strings.Contains(got, "mock:latest") {
		t.Errorf("kept for ever: %s", got)
	}
	chatted(t, s, `,"keep_alive":"1ns"`)
	if got := loaded(); strings.Contains(got, "mock:latest") {
		t.Errorf("kept for a nanosecond: %s", got)
	}
}

func TestCLI62EachRequestIsReported(t *testing.T) {
	var told []mock.Served
	s := saying(t, mock.Answer{Text: "so"}, func(r mock.Served) { told = append(told, r) })
	chatted(t, s, lookOffered)
	chatted(t, s, `,"model":"nobody"`)
	s.Close() // once nothing is being served, everything is logged
	if len(told) != 2 || told[0].Method != "POST" || told[0].Path != "/api/chat" || told[0].Status != 200 || told[0].Model != "mock" || told[0].Tools != 1 || told[0].Prompt == 0 || told[1].Status != 404 {
		t.Errorf("got %+v; want 2 of them, [0].Method %q, [0].Path %q, [0].Status 200, [0].Model %q, [0].Tools 1, [0].Prompt not 0, [1].Status 404", told, "POST", "/api/chat", "mock")
	}
}
