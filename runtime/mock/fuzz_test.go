package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shelly/fsm"
)

// echo answers with what it was asked, and repeats the calls.
type echo struct{}

func (echo) Answer(_ context.Context, q Question) (Answer, error) {
	a := Answer{Text: q.System}
	for _, m := range q.Messages {
		a.Text += m.Text
		a.Thinking += m.Thinking
		a.Calls = append(a.Calls, m.Calls...)
	}
	for _, name := range q.Tools {
		a.Calls = append(a.Calls, fsm.ToolCall{Name: name, Args: a.Text})
	}
	return a, nil
}

// Whatever a request's body is, each route answers with a proper status and with lines of JSON, the
// last of which has done or an error.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		"", "null", "[]", "{}", `{"model":"mock"}`, `{"model":"mock","keep_alive":0}`, `{"model":"mock","keep_alive":"x"}`, `{"model":"mock","messages":[{"role":"user","content":"hello"}]}`,
		`{"model":"mock","stream":false,"messages":[{"role":"system","content":"be"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"p":1}}}]}]}`,
		`{"model":"mock","messages":[{"tool_calls":[{"function":{"name":"f","arguments":null}},{"function":{}}]}],"tools":[{"function":{"name":"g"}}]}`,
		`{"model":"mock","messages":[{"content":" {\"a\":"}],"tools":[{"function":{"name":"g"}}]}`,
		`{"model":"mock","messages":[{"images":["AAAA"],"content":"\ud800"}],"options":{"temperature":1e308,"num_ctx":-1}}`, `{"model":"mock","messages":[null]}`,
		`{"model":"mock-embed","input":["a","日本"]}`, `{"model":"mock-embed","input":""}`, `{"model":"mock-embed","input":[7]}`, `{"model":"mock-embed"}`, `{"name":"mock:latest"}`,
		`{"model":"mock","prompt":"hello","context":[91,93],"options":{"num_predict":1,"num_ctx":"x"}}`, `{"model":"mock","prompt":"a","suffix":"b"}`, `{"model":"mock","prompt":"日本","think":"high","format":"yaml"}`,
	} {
		for route := range byte(4) {
			f.Add(route, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, route byte, body []byte) {
		s := New(Options{EmbedDims: 8, Limits: route >= 4, Brain: echo{}})
		path := []string{"/api/chat", "/api/embed", "/api/show", "/api/generate"}[route%4]
		got := httptest.NewRecorder()
		s.ServeHTTP(got, httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, bytes.NewReader(body)))
		switch got.Code {
		case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusInternalServerError: // an option of a wrong type
		default:
			t.Fatalf("%s: status %d: %s", path, got.Code, got.Body)
		}
		lines := strings.Split(strings.TrimSuffix(got.Body.String(), "\n"), "\n")
		for i, line := range lines {
			var l struct {
				Done  *bool
				Error string
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: line %d is %q: %v", path, i+1, line, err)
			}
			last := i == len(lines)-1
			if (path == "/api/chat" || path == "/api/generate") && got.Code == http.StatusOK && (l.Done == nil || *l.Done != last) || (got.Code != http.StatusOK) != (l.Error != "") {
				t.Errorf("%s: status %d, line %d of %d is %s", path, got.Code, i+1, len(lines), line)
			}
		}
	})
}
