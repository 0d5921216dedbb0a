package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/runtime/store"
	"shelly/runtime/tool"
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
// and Pebble, from acceptance to reply. Its ratio is to a bare loop that makes
// the same five model calls over HTTP and two synced Pebble commits: 1 is as
// fast, 0.5 takes twice the time.
func BenchmarkDurableTurn(b *testing.B) {
	server := "http://" + serveMock(b, threeTools{})
	client, err := ollama.New(ollama.Options{BaseURL: server, Model: mock.DefaultModel, EmbedModel: mock.DefaultEmbedModel})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	d, ctx := benchDaemon(b, client)
	bare := bareTurn(b, server)

	var bareTime, turnTime time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		bare()
		bareTime += time.Since(start)
		start = time.Now()
		n++
		key := fsm.RequestKey{ID: fmt.Sprint(n)}
		if _, err := d.Accept(ctx, comm.Request{Key: key, Text: "what is here?"}); err != nil {
			b.Fatal(err)
		}
		events, err := d.Watch(ctx, key)
		if err != nil {
			b.Fatal(err)
		}
		for range events {
		}
		turnTime += time.Since(start)
	}
	b.ReportMetric(float64(turnTime.Microseconds())/float64(b.N), "µs/turn")
	b.ReportMetric(float64(bareTime)/float64(turnTime), "of-bare-loop")
}

// benchDaemon runs a daemon on a store of its own until the benchmark ends.
func benchDaemon(b *testing.B, client *ollama.Client) (*daemon.Daemon, context.Context) {
	b.Helper()
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := memory.Open(s, client)
	if err != nil {
		b.Fatal(err)
	}
	tools, err := tool.New(tool.Options{Workspace: b.TempDir(), ResultBytesMax: 16 << 10, ReadBytesMax: 64 << 10})
	if err != nil {
		b.Fatal(err)
	}
	config := fsm.ShellyProfile()
	config.Init, config.Tools = fsm.InitOff, tools.Declarations()
	d, err := daemon.Open(daemon.Options{
		Config: config, Journal: s, Brain: chatter{client}, Embedder: client, Memory: m, Tools: runner{tools},
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
		_ = tools.Close()
		_ = s.Close()
	})
	return d, ctx
}

// chatter is the client as the daemon wants it.
type chatter struct{ *ollama.Client }

func (c chatter) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(text, thinking string)) (fsm.BrainAnswered, error) {
	return c.Client.Chat(ctx, ask, tools, func(chunk ollama.Chunk) { stream(chunk.Text, chunk.Thinking) })
}

// bareTurn is the yardstick: five chats and an embedding over plain HTTP, and two synced
// commits of a Pebble store.
func bareTurn(b *testing.B, server string) func() {
	b.Helper()
	db, err := pebble.Open(b.TempDir(), &pebble.Options{Logger: quietLogger{}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	post := func(path, body string) {
		r, err := http.Post(server+path, "application/json", bytes.NewBufferString(body))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return func() {
		for range 5 {
			post("/api/chat", `{"model":"`+mock.DefaultModel+`","messages":[{"role":"user","content":"what is here?"}]}`)
		}
		post("/api/embed", `{"model":"`+mock.DefaultEmbedModel+`","input":["what is here?"]}`)
		for range 2 {
			if err := db.Set([]byte("key"), []byte("value"), pebble.Sync); err != nil {
				b.Fatal(err)
			}
		}
	}
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)  {}
func (quietLogger) Errorf(string, ...any) {}
func (quietLogger) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}
