package model

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/config"
)

// A server without a model is an empty list, and its error says what to pull.
func TestCLI19AServerWithoutAModelEndsWith4(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"models":[]}`)) }))
	defer server.Close()
	cfg := config.Config{Brain: config.Brain{URL: server.URL}}
	for _, asJSON := range []bool{false, true} {
		var out, errs bytes.Buffer
		list := &listCmd{}
		list.JSON = asJSON
		code := exit.Code(list.Run(&terminal.Terminal{Out: &out, Err: &errs}, cfg), &errs)
		if code != exit.NoMatch || strings.Count(errs.String(), "ollama pull") != 1 || out.String() != map[bool]string{true: "[]\n"}[asJSON] {
			t.Errorf("got %d, %q, %q; want %d, %q, and 1 %q", code, &out, &errs, exit.NoMatch, map[bool]string{true: "[]\n"}[asJSON], "ollama pull")
		}
	}
}
