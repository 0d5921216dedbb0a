package mock_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shelly/runtime/mock"
)

// What a real server refuses is refused with its status and in its words.
func TestCLI9WhatARealServerRefusesIsRefused(t *testing.T) {
	const hello = `"messages":[{"role":"user","content":"Hi"}]`
	tool := func(parameters string) string {
		return `{"model":"brain",` + hello + `,"tools":[{"type":"function","function":{"name":"f","parameters":` + parameters + `}}]}`
	}
	s := serve(t, &scripted{answer: mock.Answer{Text: "Hello."}})
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/api/chat", `{"model":1}`, 400, "json: cannot unmarshal number into Go struct field ChatRequest.model of type string"},
		{"POST", "/api/chat", `{"model":"brain","options":[]}`, 400, "Go struct field ChatRequest.options of type map[string]interface {}"},
		{"POST", "/api/chat", `{"model":"brain","logprobs":"yes"}`, 400, "ChatRequest.logprobs of type bool"},
		{"POST", "/api/chat", `{"model":"brain","top_logprobs":25}`, 400, "top_logprobs must be between 0 and 20"},
		{"POST", "/api/chat", `{"model":"a b"}`, 400, "invalid model name"},
		{"POST", "/api/chat", `{"model":" "}`, 400, "model is required"},
		{"POST", "/api/chat", tool(`"x"`), 400, "of type api.ToolFunctionParameters"},
		{"POST", "/api/chat", tool(`{"type":"object","required":"a"}`), 400, "parameters.required of type []string"},
		{"POST", "/api/generate", `{}`, 404, "model '' not found"},
		{"POST", "/api/generate", `{"model":"a b"}`, 400, "invalid model name"},
		{"POST", "/api/generate", `{"model":"brain","prompt":1}`, 400, "GenerateRequest.prompt of type string"},
		{"POST", "/api/generate", `{"model":"brain","prompt":"Hi","raw":true,"system":"Be."}`, 400, "raw mode does not support template, system, or context"},
		{"POST", "/api/embed", `{}`, 404, "model '' not found"},
		{"POST", "/api/embed", `{"model":"other","input":"a"}`, 404, `model \"other\" not found, try pulling it first`},
		{"POST", "/api/embed", `{"model":"other","input":1}`, 400, "invalid input type"},
		{"POST", "/api/embed", `{"model":"brain-embed","input":["a",null]}`, 400, "invalid input type"},
		{"POST", "/api/embeddings", `{}`, 400, "model is required"},
		{"POST", "/api/embeddings", `{"model":"other"}`, 404, `model \"other\" not found, try pulling it first`},
		{"POST", "/api/embeddings", `{"model":"brain-embed","prompt":"a","keep_alive":"x"}`, 400, "invalid duration"},
		{"POST", "/api/embeddings", `{"model":"brain-embed","prompt":"a","options":{"num_ctx":"x"}}`, 500, "must be of type integer"},
		{"POST", "/api/show", `{"model":"brain","options":"x"}`, 400, "ShowRequest.options"},
		{"GET", "/v1/models/library/brain", "", 404, "404 page not found"},
		{"POST", "/api/ps", "", 405, "405 method not allowed"},
	} {
		got := request(t, s, tt.method, tt.path, tt.body)
		if got.status != tt.status || !strings.Contains(got.body, tt.says) {
			t.Errorf("%s %s %s: %d %s\nwant %d, with %q", tt.method, tt.path, tt.body, got.status, got.body, tt.status, tt.says)
		}
	}
	if got := request(t, s, "HEAD", "/api/ps", ""); got.status != 405 {
		t.Errorf("HEAD /api/ps: %d; want 405, as only GET is served", got.status)
	}
}

// A request that only loads a model is refused for what the model cannot do, but its format is not
// looked at; one that unloads it is not refused.
func TestCLI9WhatOnlyLoadsIsRefusedAsByARealServer(t *testing.T) {
	s := httptest.NewServer(mock.New(mock.Options{Models: []mock.Model{{Name: "deaf", NoTools: true}}, Brain: &scripted{}}))
	defer s.Close()
	const tools = `"tools":[{"type":"function","function":{"name":"f"}}]`
	for _, tt := range []struct {
		body   string
		status int
	}{
		{`{"model":"deaf",` + tools + `}`, 400},
		{`{"model":"deaf","format":"xml"}`, 200},
		{`{"model":"deaf","options":{"num_ctx":"x"}}`, 500},
		{`{"model":"deaf","keep_alive":0,"options":{"num_ctx":"x"},` + tools + `}`, 200},
	} {
		if got := request(t, s, "POST", "/api/chat", tt.body); got.status != tt.status {
			t.Errorf("%s: %d %s; want %d", tt.body, got.status, got.body, tt.status)
		}
	}
}

// A method that a path does not serve is answered with those that it does.
func TestCLI9AWrongMethodIsToldTheRightOnes(t *testing.T) {
	handler := mock.New(mock.Options{})
	for path, want := range map[string]string{ // order-free: each is another request
		"/api/tags": "HEAD, GET", "/api/ps": "GET", "/api/chat": "POST", "/api/delete": "DELETE", "/v1/models": "GET", "/v1/responses": "POST",
	} {
		resp := httptest.NewRecorder()
		handler.ServeHTTP(resp, httptest.NewRequest(http.MethodPut, here+path, nil))
		if got := resp.Header().Get("Allow"); resp.Code != http.StatusMethodNotAllowed || got != want {
			t.Errorf("PUT %s: %d, Allow is %q; want %q", path, resp.Code, got, want)
		}
	}
}
