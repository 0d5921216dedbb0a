package mock_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"shelly/runtime/mock"
)

// guard ends a test that hangs.
const guard = 30 * time.Second

// here is an address under which a server on loopback answers (CLI-60).
const here = "http://127.0.0.1"

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	t.Cleanup(cancel)
	return ctx
}

// scripted gives the same answer to everything, and records what it was asked.
type scripted struct {
	answer mock.Answer
	err    error

	mu    sync.Mutex
	asked []mock.Question
}

func (s *scripted) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	return s.answer, s.err
}

// questions returns what was asked so far.
func (s *scripted) questions() []mock.Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// serve starts a server whose models are named as in the recorded answers.
func serve(t *testing.T, brain mock.Brain) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(mock.New(mock.Options{Model: "brain", EmbedModel: "brain-embed", EmbedDims: 128, Brain: brain}))
	t.Cleanup(s.Close)
	return s
}

// response is a whole HTTP answer.
type response struct {
	status int
	media  string
	body   string
}

func request(t *testing.T, s *httptest.Server, method, path, body string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(testContext(t), method, s.URL+path, strings.NewReader(body))
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
	return response{resp.StatusCode, resp.Header.Get("Content-Type"), string(raw)}
}
