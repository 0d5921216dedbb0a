package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/daemon"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// reader is an instant model that reads the next files one by one, a number of them in each request,
// and then answers. It counts by itself, as a conversation may be shortened in the middle of a request.
type reader struct {
	each, next int
	answered   bool // since it read file next
}

// Answer implements [mock.Brain].
func (r *reader) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	done := r.next > 0 && r.next%r.each == 0 && !r.answered
	if q.Purpose != string(fsm.PurposeAnswer) || done {
		r.answered = r.answered || q.Purpose == string(fsm.PurposeAnswer)
		return mock.Answer{Text: "done"}, nil
	}
	r.next, r.answered = r.next+1, false
	return mock.Answer{Calls: []fsm.ToolCall{{ID: fmt.Sprint(r.next), Name: "read_file", Args: fmt.Sprintf(`{"path":"%d"}`, r.next)}}}, nil
}

// BenchmarkStoreBytes has a daemon read files of 5 KB, ten in each of 40 requests or 100 in one, and
// measures how many bytes its store takes for each byte read (JRN-34), which is the yardstick. "closed"
// counts all files of the folder after the daemon has closed it, "tables" those of the tables
// after the store was opened and closed again, which leaves nothing in logs. The files are
// noise, which compression cannot shrink, or lines like those of a log.
func BenchmarkStoreBytes(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, kind := range []struct {
		name string
		line func(n int) string
	}{
		{"noise", func(int) string {
			raw := make([]byte, 54)
			for i := range raw {
				raw[i] = byte(rng.Uint32())
			}
			return base64.StdEncoding.EncodeToString(raw)
		}},
		{"log", func(n int) string {
			return fmt.Sprintf("2026-01-%02d 10:%02d:%02d web%d nginx[%d]: GET /item/%d 200 in %d ms", 1+n%28, n%60, n*7%60, n%5, 300+n%9, rng.IntN(90000), rng.IntN(400))
		}},
	} {
		for _, work := range []work{{requests: 40, each: 10}, {requests: 1, each: 100}} {
			b.Run(fmt.Sprintf("%s/requests=%d", kind.name, work.requests), func(b *testing.B) {
				for b.Loop() {
					workspace, folder := b.TempDir(), filepath.Join(b.TempDir(), "store")
					said := work.write(b, workspace, kind.line)
					work.read(b, workspace, folder)
					closed := folderBytes(b, folder, "*")
					s, err := store.Open(folder, store.Options{})
					if err != nil {
						b.Fatal(err)
					}
					must(b, s.Close())
					b.ReportMetric(float64(closed)/float64(said), "closed/said")
					b.ReportMetric(float64(folderBytes(b, folder, "*.sst"))/float64(said), "tables/said")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// work is a number of requests that read a number of files each.
type work struct{ requests, each int }

func (w work) files() int { return w.requests * w.each }

// write writes the files that are to be read, and returns their bytes.
func (w work) write(b *testing.B, workspace string, line func(n int) string) (bytes int) {
	for i := 1; i <= w.files(); i++ {
		var text strings.Builder
		for n := 0; text.Len() < 5000; n++ {
			text.WriteString(line(i*70+n) + "\n")
		}
		bytes += text.Len()
		must(b, os.WriteFile(filepath.Join(workspace, fmt.Sprint(i)), []byte(text.String()), 0o600))
	}
	return bytes
}

// read has a daemon with a store in a folder read all files of a workspace.
func (w work) read(b *testing.B, workspace, folder string) {
	model := &reader{each: w.each}
	server := httptest.NewServer(mock.New(mock.Options{Brain: model, EmbedDims: 16}))
	defer server.Close()
	client, err := ollama.New(ollama.Options{BaseURL: server.URL, Model: mock.DefaultModel, EmbedModel: mock.DefaultEmbedModel})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	s, err := store.Open(folder, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := memory.Open(s, memory.Options{Embedder: client})
	if err != nil {
		b.Fatal(err)
	}
	sessions, err := session.Open(b.TempDir(), s, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	tools := fileTools(b, workspace)
	config := profile.Default()
	config.Init, config.Tools = fsm.InitOff, append(config.Tools, tools.Declarations()...)
	config.Switches.NoCognition = true
	l := &config.Limits
	l.MaxToolRounds, l.MaxIterations, l.MaxToolCalls, l.MaxCompactions = 2*w.each, 2*w.each, 2*w.each, 2*w.each
	d, err := daemon.Open(daemon.Options{
		Config: config, Journal: s, Brain: chatter{client}, Embedder: client, Memory: m, Sessions: sessions, Tools: tools,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = d.Run(ctx)
	}()
	for i := range w.requests {
		durableTurn(b, ctx, d, fmt.Sprint(i))
	}
	if model.next != w.files() {
		b.Fatalf("%d of %d files were read", model.next, w.files())
	}
	cancel()
	<-ended
	must(b, s.Close())
}

// folderBytes returns the size of the files of a folder whose names match.
func folderBytes(b *testing.B, folder, pattern string) (size int64) {
	names, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	return size
}
