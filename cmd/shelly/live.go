package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	"shelly/sim"
)

// live performs a simulated schedule with the real adapters: the Ollama client
// over a real socket against the mock server, the tool runner, the memory and
// the Pebble store. The store is on a crashable file system in memory, so that a
// crash loses what was not synced.
type live struct {
	fs     *vfs.MemFS
	store  *store.Store
	memory *memory.Memory
	client *ollama.Client
	absent *ollama.Client // of a server that is not there
	hasty  *ollama.Client // waits next to nothing for the first line
	server *http.Server
	tools  *tool.Runner
	space  string // the scratch workspace

	config fsm.Config         // the machine's
	result tool.Result        // what the stub returns next
	hangs  context.CancelFunc // ends the call that hangs

	mu     sync.Mutex    // guards what the server's goroutines share
	asked  fsm.AskBrain  // what the model is asked next
	answer mock.Answer   // what the server says to it
	unlike string        // how what the server was sent differs from it
	heard  chan struct{} // closed when the server has been sent something
}

// liveTimeout only guards against a defect: nothing is waited for that long.
const liveTimeout = time.Minute

// newLive starts the adapters for a plan. Close ends them.
func newLive(p *sim.Plan) (_ *live, err error) {
	l := &live{fs: vfs.NewCrashableMem(), hangs: func() {}, config: p.Machine()}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if l.space, err = os.MkdirTemp("", "shelly-live-"); err != nil {
		return nil, err
	}
	if err = l.serve(p.NoVectors); err != nil {
		return nil, err
	}
	l.tools, err = tool.New(tool.Options{
		Workspace: l.space, ResultBytesMax: 64 << 10, ReadBytesMax: 64 << 10, Added: l.stubs(p.Stubs),
	})
	if err != nil {
		return nil, err
	}
	if err = l.open(); err != nil {
		return nil, err
	}
	for _, e := range p.Memory {
		if err = l.memory.Store(context.Background(), e); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// serve starts the mock server and a client of it.
func (l *live) serve(noVectors bool) error {
	options := mock.Options{Brain: l, EmbedModel: sim.EmbeddingModel}
	if !noVectors {
		options.EmbedDims = len(sim.Vector("")) / 4
		options.Embed = floats
	}
	server := mock.New(options)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	l.server = &http.Server{Handler: server, ReadHeaderTimeout: liveTimeout}
	go func() { _ = l.server.Serve(listener) }()
	embed := sim.EmbeddingModel
	if noVectors {
		embed = ""
	}
	asking := ollama.Options{
		BaseURL: "http://" + listener.Addr().String(), Model: mock.DefaultModel, EmbedModel: embed,
	}
	if l.client, err = ollama.New(asking); err != nil {
		return err
	}
	asking.Timeouts.FirstToken = 20 * time.Millisecond
	if l.hasty, err = ollama.New(asking); err != nil {
		return err
	}
	if asking.BaseURL, err = nobody(); err != nil {
		return err
	}
	l.absent, err = ollama.New(asking)
	return err
}

// nobody is an address at which nothing listens: one that was free a moment ago.
func nobody() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return "http://" + listener.Addr().String(), listener.Close()
}

// open opens the store and the memory on it.
func (l *live) open() (err error) {
	if l.store, err = store.Open("data", store.Options{FS: l.fs}); err != nil {
		return err
	}
	l.memory, err = memory.Open(l.store, l.client)
	return err
}

// Close ends everything that was started.
func (l *live) Close() {
	l.hangs()
	if l.client != nil {
		l.client.Close()
	}
	if l.server != nil {
		_ = l.server.Close()
	}
	if l.tools != nil {
		_ = l.tools.Close()
	}
	if l.store != nil {
		_ = l.store.Close()
	}
	if l.space != "" {
		_ = os.RemoveAll(l.space)
	}
}

// journal is the store as the simulator's journal.
type journal struct {
	*store.Store
	live *live
}

// Crash implements [sim.Journal]: what was not synced is lost.
func (j journal) Crash() (sim.Journal, error) {
	j.live.hangs()
	clone := j.live.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0})
	if err := j.live.store.Close(); err != nil {
		return nil, err
	}
	j.live.fs = clone
	if err := j.live.open(); err != nil {
		return nil, err
	}
	return journal{j.live.store, j.live}, nil
}

// Answer implements [mock.Brain]: the server says what the simulator has decided,
// to a question that must be the machine's.
func (l *live) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unlike = unlike(l.asked, l.offered(l.asked), q)
	close(l.heard)
	l.heard = make(chan struct{}) // the client does not ask twice; if it did, this would be another question
	return l.answer, nil
}

// offered is what the daemon offers the model with a call.
func (l *live) offered(ask fsm.AskBrain) []fsm.ToolDecl {
	if !ask.Tools {
		return nil
	}
	return l.config.Tools
}

// unlike says how a question differs from what the machine asked, or nothing.
func unlike(ask fsm.AskBrain, tools []fsm.ToolDecl, q mock.Question) string {
	if q.Purpose != string(ask.Purpose) || q.Session != ask.Session {
		return fmt.Sprintf("it is for %s in session %q", q.Purpose, q.Session)
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	if !slices.Equal(names, q.Tools) {
		return fmt.Sprintf("it offers the tools %v, not %v", q.Tools, names)
	}
	want := ask.Conversation.Messages
	if len(want) != len(q.Messages) {
		return fmt.Sprintf("it has %d messages, not %d", len(q.Messages), len(want))
	}
	for i, got := range q.Messages {
		if !sameMessage(want[i], got) {
			return fmt.Sprintf("its message %d is %+v, not %+v", i+1, got, want[i])
		}
	}
	return ""
}

func sameMessage(a, b fsm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Thinking == b.Thinking &&
		a.Tool == b.Tool && a.ToolCall == b.ToolCall && slices.Equal(a.Calls, b.Calls)
}

// Brain implements [sim.Backend].
func (l *live) Brain(ask fsm.AskBrain, line sim.Line) (fsm.Input, error) {
	ctx, cancel := context.WithTimeout(context.Background(), liveTimeout)
	defer cancel()
	l.prepare(ask, spoken(ask, line))
	if line.Hangs {
		return nil, l.hang(ask)
	}
	in, err := l.clientFor(line).Chat(ctx, ask, l.offered(ask), func(ollama.Chunk) {})
	if err := l.alike(); err != nil {
		return nil, err
	}
	if err != nil {
		var typed *ollama.Error
		if !errors.As(err, &typed) {
			return nil, err
		}
		return fsm.BrainFailed{Call: ask.Call, Class: typed.Class, Reason: line.Reason}, nil
	}
	in.Call = ask.Call
	in.Tokens = fsm.Tokens{} // the mock server's estimate, which no script has
	return in, nil
}

// prepare tells the server what it will be asked and what it says.
func (l *live) prepare(ask fsm.AskBrain, answer mock.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.answer, l.unlike, l.heard = ask, answer, "", make(chan struct{})
}

// alike is an error if the server was not sent what the machine asked.
func (l *live) alike() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unlike != "" {
		return fmt.Errorf("the model is not sent what the machine asked: %s", l.unlike)
	}
	return nil
}

// clientFor is the client that meets the failure a line asks for, where it is not
// the server that fails.
func (l *live) clientFor(line sim.Line) *ollama.Client {
	switch line.Fails {
	case fsm.BrainUnreachable:
		return l.absent
	case fsm.BrainLoading:
		return l.hasty
	default:
		return l.client
	}
}

// hang asks a server that does not answer. The call lives until the next one
// hangs, the process crashes, or the run is over.
func (l *live) hang(ask fsm.AskBrain) error {
	l.mu.Lock()
	heard := l.heard
	l.mu.Unlock()
	l.hangs()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = l.client.Chat(ctx, ask, l.offered(ask), func(ollama.Chunk) {})
	}()
	l.hangs = func() {
		cancel()
		<-done
		l.hangs = func() {}
	}
	select {
	case <-heard:
		return l.alike()
	case <-done:
		return errors.New("a call that should hang has ended")
	}
}

// spoken is a script's line as the mock server says it.
func spoken(ask fsm.AskBrain, line sim.Line) mock.Answer {
	switch scripted := line.Answer(ask).(type) {
	case fsm.BrainAnswered:
		return mock.Answer{
			Text: scripted.Text, Thinking: scripted.Thinking, Calls: scripted.Calls, Length: line.Length, Chunks: 3,
		}
	case fsm.BrainFailed:
		return failing(scripted)
	default:
		return mock.Answer{Hang: true}
	}
}

// failing is how the server fails with a class, where it is the server that does.
func failing(f fsm.BrainFailed) mock.Answer {
	switch f.Class {
	case fsm.BrainBusy:
		return mock.Answer{Status: http.StatusServiceUnavailable, Error: "server busy, please try again"}
	case fsm.BrainCutStream:
		return mock.Answer{Text: "cut", Cut: true}
	case fsm.BrainGarbage:
		return mock.Answer{Garbage: "<html>"}
	case fsm.BrainLoading:
		return mock.Answer{Hang: true}
	case fsm.BrainMissingModel:
		return mock.Answer{Status: http.StatusNotFound, Error: "model 'm' not found"}
	default:
		return mock.Answer{Status: http.StatusInternalServerError, Error: f.Reason}
	}
}

// stubs are the plan's tools as the real runner offers them.
func (l *live) stubs(stubs []sim.Stub) []tool.Added {
	added := make([]tool.Added, len(stubs))
	for i, s := range stubs {
		added[i] = tool.Added{Decl: s.Decl, Run: func(context.Context, string) tool.Result { return l.result }}
	}
	return added
}

// Tool implements [sim.Backend].
func (l *live) Tool(run fsm.RunTool, act sim.Act) (fsm.Input, error) {
	l.result = tool.Result{Text: act.Returns, Failed: act.Failed}
	if act.Hangs || act.Lost || act.Deaf {
		return nil, nil
	}
	r := l.tools.Run(context.Background(), run.Name, run.Args)
	return fsm.ToolAnswered{Call: run.Call, Text: r.Text, Failed: r.Failed}, nil
}

// Memory implements [sim.Backend].
func (l *live) Memory(e fsm.Effect, scripted fsm.Input) (fsm.Input, error) {
	ctx, cancel := context.WithTimeout(context.Background(), liveTimeout)
	defer cancel()
	switch e := e.(type) {
	case fsm.Recall:
		if scripted.(fsm.Recalled).Error != "" {
			return scripted, nil
		}
		entries, err := l.memory.Recall(ctx, e.Need, e.TopK)
		return fsm.Recalled{Call: e.Call, Entries: entries}, err
	case fsm.Embed:
		if scripted.(fsm.Embedded).Error != "" {
			return scripted, nil
		}
		vector, model, err := l.client.Embed(ctx, e.Text)
		return fsm.Embedded{Call: e.Call, Vector: vector, Model: model}, err
	case fsm.Store:
		if scripted.(fsm.Stored).Error != "" {
			return scripted, nil
		}
		return fsm.Stored{Call: e.Call}, l.memory.Store(ctx, e.Entry)
	}
	return nil, fmt.Errorf("no memory effect: %s", fsm.EffectKind(e))
}

// floats is the simulated embedding as the API sends it.
func floats(text string) []float32 {
	bytes := sim.Vector(text)
	vector := make([]float32, len(bytes)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return vector
}
