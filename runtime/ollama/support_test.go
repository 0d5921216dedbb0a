package ollama_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// guard ends a test that hangs.
const guard = 30 * time.Second

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	t.Cleanup(cancel)
	return ctx
}

// server serves handler, which is given each request's body. It answers itself what a chat asks
// beforehand: model m can be loaded and can do everything.
func server(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, body string)) *httptest.Server {
	t.Helper()
	var loaded atomic.Bool
	return bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.URL.Path == "/api/ps" && !loaded.Load():
			_, _ = io.WriteString(w, `{"models":[]}`)
		case r.URL.Path == "/api/ps":
			_, _ = io.WriteString(w, `{"models":[{"name":"m:latest"}]}`)
		case r.URL.Path == "/api/show" && strings.HasPrefix(body, `{"model":"m",`):
			_, _ = io.WriteString(w, `{"capabilities":["completion","tools","thinking","vision"]}`)
		case strings.Contains(body, `"messages":[],`):
			loaded.Store(true)
			_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
		default:
			handler(w, r, body)
		}
	})
}

// bare serves handler and nothing else.
func bare(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, body string)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		handler(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// client returns a client of s for model m.
func client(t *testing.T, s *httptest.Server, change func(*ollama.Options)) *ollama.Client {
	t.Helper()
	opt := ollama.Options{BaseURL: s.URL, Model: "m", EmbedModel: "e"}
	if change != nil {
		change(&opt)
	}
	c, err := ollama.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// recorded plays a recorded answer.
func recorded(t *testing.T, w http.ResponseWriter, name string) {
	raw, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Error(err)
		return
	}
	head, body, _ := strings.Cut(string(raw), "\n\n")
	first, second, _ := strings.Cut(head, "\n")
	status, err := strconv.Atoi(strings.Fields(first)[1])
	if err != nil {
		t.Error(err)
	}
	w.Header().Set("Content-Type", strings.TrimPrefix(second, "Content-Type: "))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// playing returns a server that gives one recorded answer to everything.
func playing(t *testing.T, name string) *httptest.Server {
	return server(t, func(w http.ResponseWriter, _ *http.Request, _ string) { recorded(t, w, name) })
}

// sending returns a server that sends lines as a streamed answer.
func sending(t *testing.T, lines ...string) *httptest.Server {
	return server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = io.WriteString(w, strings.Join(lines, "\n"))
	})
}

const done = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":15,"eval_count":7}`

func ask(text string) fsm.AskBrain {
	return fsm.AskBrain{
		Session: "cli", Purpose: fsm.PurposeAnswer, Tools: fsm.AllTools,
		Conversation: fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleUser, Text: text}}},
	}
}

// wantClass fails unless err is of class and its reason has every part.
func wantClass(t *testing.T, err error, class fsm.BrainClass, parts ...string) {
	t.Helper()
	var e *ollama.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want one of class %s", err, err, class)
	}
	if e.BrainClass() != class {
		t.Fatalf("class %s (%s), want %s", e.Class, e.Reason, class)
	}
	for _, part := range parts {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("the reason %q lacks %q", e.Error(), part)
		}
	}
}

func same(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
