package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/runtime/store"
)

// threeTools is an instant model that lists the folder three times, one call an
// answer, and then answers: four model calls and three read-only tools a turn,
// and one more for the summary.
type threeTools struct{}

func (threeTools) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	results := 0
	for _, m := range q.Messages {
		if m.Role == fsm.RoleTool {
			results++
		}
	}
	if q.Purpose == string(fsm.PurposeAnswer) && results < 3 {
		return mock.Answer{Calls: []fsm.ToolCall{{ID: fmt.Sprint(results), Name: "list_dir", Args: `{"path":"."}`}}}, nil
	}
	return mock.Answer{Text: "done"}, nil
}

// BenchmarkDurableTurn is one request through the daemon over real HTTP, tools
// and Pebble, from acceptance to reply. Its ratio is to a bare loop that sends the
// very same requests to the model and makes two synced Pebble commits: 1 is as
// fast, 0.5 takes twice the time.
func BenchmarkDurableTurn(b *testing.B) {
	seen := &recorder{handler: mock.New(mock.Options{Brain: threeTools{}, EmbedDims: 16})}
	server := httptest.NewServer(seen)
	defer server.Close()
	client, err := ollama.New(ollama.Options{BaseURL: server.URL, Model: mock.DefaultModel, EmbedModel: mock.DefaultEmbedModel})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	d, ctx := benchDaemon(b, client)
	durableTurn(b, ctx, d, "the first")
	bare := bareTurn(b, server.URL, seen.requests())

	var bareTime, turnTime time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		bare()
		bareTime += time.Since(start)
		start = time.Now()
		n++
		durableTurn(b, ctx, d, fmt.Sprint(n))
		turnTime += time.Since(start)
	}
	b.ReportMetric(float64(turnTime.Microseconds())/float64(b.N), "µs/turn")
	b.ReportMetric(float64(bareTime)/float64(turnTime), "of-bare-loop")
}

// durableTurn asks once and waits for the reply.
func durableTurn(b *testing.B, ctx context.Context, d *daemon.Daemon, id string) {
	b.Helper()
	key := fsm.RequestKey{ID: id}
	if _, err := d.Accept(ctx, comm.Request{Key: key, Text: "what is here?"}); err != nil {
		b.Fatal(err)
	}
	events, err := d.Watch(ctx, key)
	if err != nil {
		b.Fatal(err)
	}
	for range events {
	}
}

// recorder keeps the requests that a server is sent.
type recorder struct {
	handler http.Handler
	mu      sync.Mutex
	seen    []recorded
}

type recorded struct{ path, body string }

// ServeHTTP implements [http.Handler].
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	recording := len(r.seen) < recordedMax
	r.mu.Unlock()
	if recording {
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		r.seen = append(r.seen, recorded{req.URL.Path, string(body)})
		r.mu.Unlock()
	}
	r.handler.ServeHTTP(w, req)
}

// recordedMax is how many requests one turn makes: five chats and an embedding.
const recordedMax = 6

func (r *recorder) requests() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// benchDaemon runs a daemon on a store of its own until the benchmark ends.
func benchDaemon(b *testing.B, client *ollama.Client) (*daemon.Daemon, context.Context) {
	b.Helper()
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := memory.Open(s, memory.Options{Embedder: client})
	if err != nil {
		b.Fatal(err)
	}
	tools := fileTools(b, b.TempDir())
	config := profile.Shelly()
	config.Init, config.Tools = fsm.InitOff, tools.Declarations()
	d, err := daemon.Open(daemon.Options{
		Config: config, Journal: s, Brain: chatter{client}, Embedder: client, Memory: m, Tools: tools,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = d.Run(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-done
		_ = s.Close()
	})
	return d, ctx
}

// chatter is the client as the daemon wants it.
type chatter struct{ *ollama.Client }

func (c chatter) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	return c.Client.Chat(ctx, ask, tools, func(chunk ollama.Chunk) { stream(daemon.Piece(chunk)) })
}

// bareTurn is the yardstick: a turn's requests over plain HTTP, and two synced
// commits of a Pebble store.
func bareTurn(b *testing.B, server string, requests []recorded) func() {
	b.Helper()
	db, err := pebble.Open(b.TempDir(), &pebble.Options{Logger: quietLogger{}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return func() {
		for _, r := range requests {
			resp, err := http.Post(server+r.path, "application/json", strings.NewReader(r.body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		for range 2 {
			if err := db.Set([]byte("key"), []byte("value"), pebble.Sync); err != nil {
				b.Fatal(err)
			}
		}
	}
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any) {}

func (quietLogger) Errorf(string, ...any) {}

func (quietLogger) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}
