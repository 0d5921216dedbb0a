package brain

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
)

// says is a model with one answer.
type says string

func (s says) Answer(context.Context, mock.Question) (mock.Answer, error) {
	return mock.Answer{Text: string(s)}, nil
}

// lines passes on what is logged.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

func TestCFG7AStartThatWaitsForTheServerSaysSo(t *testing.T) {
	logged := make(lines, 8)
	model := mock.New(mock.Options{Brain: says("hello")})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			select { // it hangs until the start has said what it waits for
			case line := <-logged:
				if !strings.Contains(line, "the start waits for it") {
					t.Errorf("logged %q", line)
				}
			case <-r.Context().Done():
			}
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := config.Brain{Kind: "ollama", URL: server.URL, OnUnreachable: "exit"}
	c.Timeouts.Connect, c.Timeouts.Idle = time.Second, 30*time.Second
	if _, err := Open(t.Context(), c, slog.New(slog.NewTextHandler(logged, nil))); err != nil {
		t.Error(err)
	}
}

// BRN-10: while no model is chosen, a call chooses one for itself and waits for no other call that does.
func TestBRN10ACallDoesNotWaitForAnotherThatChooses(t *testing.T) {
	var asked atomic.Int32
	hangs, answered := make(chan struct{}), make(chan struct{})
	model := mock.New(mock.Options{Brain: says("hello")})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" && asked.Add(1) == 2 { // the first comes from the start
			close(hangs)
			<-answered
		}
		if asked.Load() == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := config.Brain{Kind: "ollama", URL: server.URL, OnUnreachable: "wait"}
	c.Timeouts.Connect, c.Timeouts.Load, c.Timeouts.FirstToken, c.Timeouts.Idle, c.Timeouts.Total = time.Minute, time.Minute, time.Minute, time.Minute, time.Minute
	b, err := Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	chat := func() error {
		_, err := b.Chat(t.Context(), fsm.AskBrain{Purpose: fsm.PurposeAnswer}, nil, func(daemon.Piece) {})
		return err
	}
	first := make(chan error, 1)
	go func() { first <- chat() }()
	<-hangs
	if err := chat(); err != nil {
		t.Errorf("a call while another chooses: %v", err)
	}
	close(answered)
	if err := <-first; err != nil {
		t.Errorf("the first call: %v", err)
	}
}

func TestCFG7AStartWithoutAModelEndsOrWaitsForOne(t *testing.T) {
	var ready atomic.Bool
	model := mock.New(mock.Options{Brain: says("hello")})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	log := slog.New(slog.DiscardHandler)
	c := config.Brain{Kind: "ollama", URL: server.URL, OnUnreachable: "exit"}
	var code exit.Error
	if _, err := Open(t.Context(), c, log); !errors.As(err, &code) || code.Code != exit.Unreachable {
		t.Errorf("exit: %v, want code %d", err, exit.Unreachable)
	}
	c.OnUnreachable = "wait"
	b, err := Open(t.Context(), c, log)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	chat := func() (fsm.BrainAnswered, error) {
		ask := fsm.AskBrain{Conversation: fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleUser, Text: "hi"}}}}
		return b.Chat(t.Context(), ask, nil, func(daemon.Piece) {})
	}
	if answer, err := chat(); err == nil {
		t.Errorf("without a model: %+v", answer)
	}
	if about := b.About(); about != AboutOllama("", server.URL) {
		t.Errorf("without a model it is %q", about)
	}
	if model, at := b.Asks(); model != "" || at != server.URL {
		t.Errorf("without a model it asks %q at %q, want none at %s", model, at, server.URL)
	}
	ready.Store(true)
	if answer, err := chat(); err != nil || answer.Text != "hello" {
		t.Errorf("with a model: %+v, %v", answer, err)
	}
	if about := b.About(); about != AboutOllama(mock.DefaultModel+":latest", server.URL) {
		t.Errorf("with a model it is %q", about)
	}
	if model, at := b.Asks(); model != mock.DefaultModel+":latest" || at != server.URL {
		t.Errorf("with a model it asks %q at %q, want %s:latest at %s", model, at, mock.DefaultModel, server.URL)
	}
}

// A person who follows the advice to pull an embedding model need not restart the daemon, and its
// chat model stays.
func TestBRN10AnEmbeddingModelThatIsPulledLaterIsUsed(t *testing.T) {
	for _, configured := range []string{"", ollama.NoEmbedding} {
		var pulled atomic.Bool
		before := mock.New(mock.Options{Brain: says("hello")})
		after := mock.New(mock.Options{Brain: says("hello"), EmbedDims: 2})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if pulled.Load() {
				after.ServeHTTP(w, r)
				return
			}
			before.ServeHTTP(w, r)
		}))
		defer server.Close()
		c := config.Brain{Kind: "ollama", URL: server.URL, EmbedModel: configured}
		b, err := Open(t.Context(), c, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, model, err := b.Embedder.Embed(t.Context(), "a"); err == nil || b.Embeds() {
			t.Errorf("%q: before the pull %q embeds", configured, model)
		}
		about := b.About()
		pulled.Store(true)
		_, model, err := b.Embedder.Embed(t.Context(), "a")
		if wanted := configured == ""; (err == nil) != wanted || b.Embeds() != wanted {
			t.Errorf("%q: after the pull: %q, %v", configured, model, err)
		}
		if b.About() != about {
			t.Errorf("%q: the chat model has changed: %q", configured, b.About())
		}
	}
}

// A server that is slow to say which models it has must not keep those waiting who know theirs.
func TestBRN10ALookForAnEmbeddingModelDelaysNoChat(t *testing.T) {
	model := mock.New(mock.Options{Brain: says("hello")})
	var slow atomic.Bool
	looks := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow.Load() && r.URL.Path == "/api/tags" {
			close(looks)
			<-r.Context().Done()
			return
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	b, err := Open(t.Context(), config.Brain{Kind: "ollama", URL: server.URL}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	slow.Store(true)
	looking, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = b.Embedder.Embed(looking, "a")
	}()
	<-looks
	chat, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		_, err := b.Chat(chat, fsm.AskBrain{}, nil, func(daemon.Piece) {})
		answered <- err
	}()
	select {
	case err := <-answered:
		if err != nil {
			t.Error(err)
		}
	case <-chat.Done():
		t.Error("the chat waits for the look")
	}
	stop()
	<-ended
}
