package mock_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"shelly/runtime/mock"
	"shelly/sim/server"
)

// CLI-9: what a client could tell Ollama 0.34 from an older server by, as that answered when it was asked the same.
func TestCLI9WhatNewerServersAnswer(t *testing.T) {
	s := serve(t, &scripted{answer: mock.Answer{Text: "Hello."}})
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/api/version", "", 200, `{"version":"0.34.1"}`},
		{"GET", "/api/tags", "", 200, `"quantization_level":"unknown","context_length":512,"embedding_length":128},"capabilities":["embedding"]}`},
		{"GET", "/api/tags", "", 200, `"context_length":131072,"embedding_length":128},"capabilities":["completion","tools","vision","thinking"]}`},
		{"POST", "/api/show", `{"model":"brain"}`, 200, `"llama.embedding_length":128},"capabilities":`},
		{"POST", "/api/show", `{"model":"brain","verbose":true}`, 200, `"llama.embedding_length":128},"tensors":[{"name":"token_embd.weight"`},
		{"POST", "/api/show", `{"model":"library/other"}`, 404, `{"error":"model 'other:latest' not found"}`},
		{"GET", "/v1/models/other", "", 404, `"message":"model 'other:latest' not found"`},
		{"POST", "/api/pull", `{"model":"a b"}`, 400, `{"error":"invalid model name"}`},
		{"POST", chatPath, `{"model":"brain","stream":false,` + hello + `}`, 200, `,"prompt_eval_cached_count":0,"prompt_eval_duration":`},
		{"POST", "/api/generate", `{"model":"brain","stream":false,"prompt":"Hi"}`, 200, `,"prompt_eval_cached_count":0,"prompt_eval_duration":`},
		{"POST", chatPath, `{"model":"brain","options":{"typical_p":0.5},` + hello + `}`, 400, `{"error":"typical_p is no longer supported"}`},
		{"POST", chatPath, `{"model":"brain","options":{"typical_p":null},` + hello + `}`, 200, `"done":true`},
		{"POST", chatPath, `{"model":"brain","think":"max",` + hello + `}`, 200, `"done":true`},
	} {
		got := request(t, s, tt.method, tt.path, tt.body)
		if got.status != tt.status || !strings.Contains(got.body, tt.says) {
			t.Errorf("%s %s %s: %d %s\nwant %d, with %s", tt.method, tt.path, tt.body, got.status, got.body, tt.status, tt.says)
		}
	}
}

// CLI-9: a message that alone is longer than the window is cut only if the window may slide.
func TestCLI9ALongMessageIsCutOnlyIfTheWindowMaySlide(t *testing.T) {
	s := saying(t, mock.Answer{Text: "Hello."}, nil)
	long := `"messages":[{"role":"user","content":"` + strings.Repeat("word ", 2000) + `"}],"options":{"num_ctx":256}`
	for shift, want := range map[string]int{"true": 200, "false": 400} { // order-free: each is another request
		got := request(t, s, "POST", chatPath, `{"model":"mock","shift":`+shift+`,`+long+`}`)
		if got.status != want || want == 400 && !strings.Contains(got.body, "the prompt is longer than the context length currently available to the model") {
			t.Errorf("shift %s: %d %s; want %d", shift, got.status, got.body, want)
		}
	}
}

// CLI-60: a path with a slash at its end is redirected to the one without, if that takes the method.
func TestCLI60ASlashAtTheEndIsRedirected(t *testing.T) {
	s := serve(t, &scripted{})
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, tt := range []struct {
		method, path string
		status       int
		to           string
	}{
		{"GET", "/api/version/", 301, "/api/version"},
		{"HEAD", "/api/tags/?x=1", 307, "/api/tags?x=1"},
		{"POST", "/api/chat/", 307, "/api/chat"},
		{"POST", "/v1/responses/", 307, "/v1/responses"},
		{"GET", "/v1/models/", 301, "/v1/models"},
		{"GET", "/api/chat/", 404, ""},
		{"GET", "/api/other/", 404, ""},
	} {
		req, err := http.NewRequestWithContext(testContext(t), tt.method, s.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if to := resp.Header.Get("Location"); resp.StatusCode != tt.status || to != tt.to {
			t.Errorf("%s %s: %d, to %q; want %d, to %q", tt.method, tt.path, resp.StatusCode, to, tt.status, tt.to)
		}
	}
}

// CLI-60: a page from elsewhere whose name leads here has the server's own origin, but not its host.
func TestCLI60AHostFromElsewhereIsRefused(t *testing.T) {
	s := serve(t, &scripted{})
	for host, want := range map[string]int{ // order-free: each is another request
		"evil.example": 403, "evil.example:11435": 403, "8.8.8.8": 403, "[2001:db8::1]:80": 403, "local": 403,
		"localhost:1": 200, "LOCALHOST": 200, "127.0.0.2": 200, "[::1]:11435": 200, "[::1]": 200, "192.168.1.1": 200, "0.0.0.0": 200,
		"laptop.local": 200, "host.docker.internal:11435": 200, "a.localhost": 200,
	} {
		req, err := http.NewRequestWithContext(testContext(t), http.MethodGet, s.URL+"/api/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Origin", "http://"+host)
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: got %d; want %d", host, resp.StatusCode, want)
		}
	}
}

// SIM-20: an answer says how much of its prompt the machine had not to read.
func TestSIM20AnAnswerSaysWhatWasCached(t *testing.T) {
	c := library(t, mock.Options{Machine: &server.Config{Slots: 1}, Brain: &scripted{answer: mock.Answer{Text: "Hello."}}})
	for i := range 2 {
		var last api.ChatResponse
		err := c.Chat(testContext(t), &api.ChatRequest{Model: "mock", Messages: []api.Message{{Role: "user", Content: "How are you today?"}}},
			func(r api.ChatResponse) error { last = r; return nil })
		if err != nil || last.PromptEvalCachedCount == nil {
			t.Fatalf("got %+v, %v; want PromptEvalCachedCount", last, err)
		}
		switch cached := *last.PromptEvalCachedCount; {
		case i == 0 && cached != 0:
			t.Errorf("of a first prompt, %d of %d tokens were cached; want none", cached, last.PromptEvalCount)
		case i == 1 && (cached < last.PromptEvalCount-1 || cached > last.PromptEvalCount):
			t.Errorf("of the same prompt, %d of %d tokens were cached; want all", cached, last.PromptEvalCount)
		}
	}
}
