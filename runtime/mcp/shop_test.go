package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/mcp/wire"
)

// shop is a server whose calls are tasks. It outlives the connections to it.
type shop struct {
	mu        sync.Mutex
	tasks     map[string]*wire.Task
	questions bool   // a task asks before it is worked on
	wants     string // the method of what a task asks instead
	again     bool   // it asks something else each time that it is looked at
	looked    int
	answered  string // what it got for that
	cancelled []string
	changed   chan struct{}   // closed and made again with each change
	open      context.Context // once it is done, nothing is answered any more
}

func newShop(open context.Context) *shop {
	return &shop{tasks: map[string]*wire.Task{}, changed: make(chan struct{}), open: open}
}

// tell notes that something has changed. The caller holds the lock.
func (s *shop) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait waits until a condition holds.
func (s *shop) wait(ctx context.Context, is func() bool) {
	for {
		s.mu.Lock()
		so, changed := is(), s.changed
		s.mu.Unlock()
		if so {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (s *shop) set(id string, status wire.Status, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[id].Status = status
	s.tasks[id].Result, _ = json.Marshal(&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}})
	s.tell()
}

func (s *shop) begin(_ context.Context, _ *sdk.ServerSession, _ *sdk.CallToolParamsRaw, _ bool) (wire.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	task := &wire.Task{ID: fmt.Sprint("t", len(s.tasks)+1), Status: wire.Working, Poll: time.Millisecond}
	if s.questions {
		task.Status = wire.InputRequired
		params, _ := json.Marshal(question1(""))
		task.Asks = map[string]wire.Ask{"q": {Method: cmp.Or(s.wants, "elicitation/create"), Params: params}}
	}
	s.tasks[task.ID] = task
	s.tell()
	was := *task
	return wire.Outcome{Task: &was}, nil
}

// question1 is what a task asks.
func question1(task string) *sdk.ElicitParams {
	p := &sdk.ElicitParams{Message: "Delete all?", RequestedSchema: json.RawMessage(confirm)}
	if task != "" {
		p.Meta = sdk.Meta{wire.RelatedTask: map[string]any{"taskId": task}}
	}
	return p
}

func (s *shop) look(ctx context.Context, id string, _ wire.Abilities) (wire.Task, error) {
	return s.get(ctx, id)
}

func (s *shop) get(_ context.Context, id string) (wire.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[id]; t != nil {
		if s.again {
			s.looked++
			t.Asks = map[string]wire.Ask{fmt.Sprint("q", s.looked): t.Asks[slices.Collect(maps.Keys(t.Asks))[0]]}
		}
		return *t, nil
	}
	return wire.Task{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Task not found"}
}

func (s *shop) result(ctx context.Context, ss *sdk.ServerSession, id string) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.open, cancel)() // the library asks a client that was killed for ever
	task, err := s.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if task.Status == wire.InputRequired {
		res, err := ss.Elicit(ctx, question1(id))
		if err != nil {
			return nil, err
		}
		s.got(id, res)
	}
	s.wait(ctx, func() bool { return s.tasks[id].Status.Ended() })
	task, err = s.get(ctx, id)
	if err != nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	res := &sdk.CallToolResult{}
	return res, json.Unmarshal(task.Result, res)
}

// got takes the answer to a task's question.
func (s *shop) got(id string, res *sdk.ElicitResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, _ := json.Marshal(res.Content)
	s.answered = res.Action + " " + string(content)
	s.tasks[id].Status, s.tasks[id].Asks = wire.Working, nil
	s.tell()
}

func (s *shop) update(_ context.Context, id string, answers map[string]json.RawMessage) error {
	if s.again {
		return nil
	}
	res := &sdk.ElicitResult{}
	if err := json.Unmarshal(answers["q"], res); err != nil {
		return err
	}
	s.got(id, res)
	return nil
}

func (s *shop) cancel(ctx context.Context, id string) (wire.Task, error) {
	if _, err := s.get(ctx, id); err != nil {
		return wire.Task{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[id].Status = wire.Cancelled
	s.cancelled = append(s.cancelled, id)
	s.tell()
	return *s.tasks[id], nil
}

// count is how many tasks were made and cancelled.
func (s *shop) count() (made, cancelled int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tasks), len(s.cancelled)
}

// server is a session's server of the library, with a tool that is unsafe and one that is not.
func (s *shop) server() *sdk.Server {
	can := &sdk.ServerCapabilities{Extensions: map[string]any{wire.Extension: map[string]any{}}}
	srv := offeringWith(&sdk.ServerOptions{Capabilities: can}, &sdk.Tool{Name: "deploy"}, &sdk.Tool{Name: "set", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}}, &sdk.Tool{Name: "plain"})
	t := wire.Server{Tools: []string{"deploy", "set"}, Begin: s.begin, Get: s.look, Result: s.result, Cancel: s.cancel, Update: s.update}
	if err := t.Use(srv); err != nil {
		panic(err)
	}
	return srv
}

// named gives the calls in a client's lines the names that wire.Handler gives those over HTTP.
func named(lines io.Reader) io.Reader {
	out, in := io.Pipe()
	handler := wire.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		line, _ := io.ReadAll(r.Body)
		_, _ = in.Write(append(line, '\n'))
	}), 1<<20)
	go func() {
		s := bufio.NewScanner(lines)
		for s.Scan() {
			r, _ := http.NewRequest(http.MethodPost, "/", bytes.NewReader(s.Bytes()))
			handler.ServeHTTP(nil, r)
		}
		_ = in.CloseWithError(s.Err())
	}()
	return out
}

// over tries something with both versions of the protocol, over a program's lines and over
// HTTP. Open begins what a daemon has of the shop: each after the first is that of a restart.
func over(t *testing.T, test func(t *testing.T, s *shop, open func() *world)) {
	for _, older := range []bool{true, false} {
		version := map[bool]string{true: "older", false: "newer"}[older]
		t.Run(version+" over lines", func(t *testing.T) {
			s, dir := newShop(t.Context()), t.TempDir()
			b := box(func(ctx context.Context, in io.Reader, out io.Writer) error {
				_ = s.server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(named(in)), Writer: writer{out}})
				return nil
			})
			if older {
				b = deaf(b)
			}
			test(t, s, func() *world { return newWorldKept(t, b, dir, one("k")) })
		})
		t.Run(version+" over HTTP", func(t *testing.T) {
			s, dir := newShop(t.Context()), t.TempDir()
			handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server() }, &sdk.StreamableHTTPOptions{Stateless: !older})
			server := httptest.NewServer(wire.Handler(handler, 1<<20))
			t.Cleanup(server.Close)
			at := Server{Name: "k", URL: server.URL, Timeout: 20 * time.Second, Allow: allowing(t, server)}
			test(t, s, func() *world { return newWorldKept(t, nil, dir, at) })
		})
	}
}
