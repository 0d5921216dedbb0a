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

// A server that has lost files of a model still lists it. The table stays one.
func TestCLI19AModelThatCannotBeDescribedIsExplainedBesideTheTable(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/show":
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":"model 'lost:1b' not found"}`))
		default:
			_, _ = w.Write([]byte(`{"models":[{"name":"lost:1b","size":1}]}`))
		}
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	if err := (&listCmd{}).Run(&terminal.Terminal{Out: &out, Err: &errs}, config.Config{Brain: config.Brain{URL: server.URL}}); err != nil {
		t.Fatal(err)
	}
	const want = "shelly: lost:1b: files of the model are missing on the server: run \"ollama pull lost:1b\" there\n"
	if !strings.Contains(errs.String(), want) || !strings.Contains(out.String(), " ? ") || strings.Contains(out.String(), "missing") {
		t.Errorf("got %q, %q; want %q beside the table", &out, &errs, want)
	}
}

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
