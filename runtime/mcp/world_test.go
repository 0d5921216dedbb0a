package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/egress"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/tree"
)

func TestMain(m *testing.M) {
	tree.Supervise()
	sandbox.Stage()
	os.Exit(m.Run())
}

// box is a sandbox whose one program is a function.
type box func(ctx context.Context, in io.Reader, out io.Writer) error

func (b box) Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error) {
	if err := b(ctx, s.In, s.Out); err != nil {
		_, _ = fmt.Fprintln(s.Errs, err)
		return sandbox.End{End: tree.End{Exited: true, Code: 1}}, nil
	}
	return sandbox.End{End: tree.End{Exited: true}}, nil
}

// Rung implements [Sandbox].
func (b box) Rung() sandbox.Rung { return sandbox.None }

// brief is a pace for tests: nothing waits long, and nothing that works is given up.
func brief() pace {
	return pace{connect: 20 * time.Second, relist: time.Millisecond, least: time.Millisecond, most: 2 * time.Millisecond, settled: time.Hour, grace: 100 * time.Millisecond, task: time.Millisecond, looks: time.Millisecond}
}

// world is servers, and what they have told.
type world struct {
	t *testing.T
	*Servers
	changed chan struct{}
	log     bytes.Buffer // to be read once they are closed
}

func newWorld(t *testing.T, b Sandbox, p pace, list ...Server) *world {
	t.Helper()
	return worldIn(t, b, p, t.TempDir(), list...)
}

func worldIn(t *testing.T, b Sandbox, p pace, workspace string, list ...Server) *world {
	t.Helper()
	return worldOf(t, b, p, workspace, t.TempDir(), list...)
}

// newWorldKept is a world that finds what an earlier one has kept in a folder.
func newWorldKept(t *testing.T, b Sandbox, notes string, list ...Server) *world {
	t.Helper()
	return worldOf(t, b, brief(), t.TempDir(), notes, list...)
}

func worldOf(t *testing.T, b Sandbox, p pace, workspace, notes string, list ...Server) *world {
	t.Helper()
	w := &world{t: t, changed: make(chan struct{}, 100)}
	w.Servers = New(Options{
		Sandbox: b, Workspace: workspace, Version: "test", Log: slog.New(slog.NewTextHandler(&w.log, nil)), pace: p, Notes: notes,
		Changed: func() { w.changed <- struct{}{} },
	})
	t.Cleanup(w.Close)
	w.Use(list)
	w.Wait(t.Context())
	return w
}

// one is a server with a time-out that working calls do not reach.
func one(name string) Server {
	return Server{Name: name, Command: []string{"sh"}, Timeout: 20 * time.Second}
}

func (w *world) tool(name string) tool.Added {
	w.t.Helper()
	for _, a := range w.Tools(nil) {
		if a.Decl.Name == name {
			return a
		}
	}
	w.t.Fatalf("there is no %s among %v; the servers are %+v", name, names(w.Tools(nil)), w.States())
	return tool.Added{}
}

func (w *world) call(name, args string) tool.Result {
	w.t.Helper()
	return w.tool(name).Run(w.t.Context(), fsm.RunTool{Name: name, Args: args})
}

// until waits for something of the servers to come about.
func (w *world) until(is func() bool) {
	w.t.Helper()
	for !is() {
		select {
		case <-w.changed:
		case <-time.After(time.Millisecond):
		case <-w.t.Context().Done():
			w.t.Fatal("it does not come about")
		}
	}
}

func names(list []tool.Added) []string {
	var names []string
	for _, a := range list {
		names = append(names, a.Decl.Name)
	}
	return names
}

// kind runs a well-behaved server.
func kind(server func() *sdk.Server) box {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		_ = server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: writer{out}})
		return nil
	}
}

type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// allowing is the address of a server, which a connection must be allowed.
func allowing(t *testing.T, server *httptest.Server) []egress.Allowed {
	t.Helper()
	allowed, err := egress.ParseAllowed(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return []egress.Allowed{allowed}
}

func offering(tools ...*sdk.Tool) *sdk.Server { return offeringWith(nil, tools...) }

func offeringWith(o *sdk.ServerOptions, tools ...*sdk.Tool) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "kind", Version: "1"}, o)
	for _, t := range tools {
		if t.InputSchema == nil {
			t.InputSchema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
		}
		s.AddTool(t, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t.Name + " got " + string(r.Params.Arguments)}}}, nil
		})
	}
	return s
}

// message is what a hostile server reads.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// hostile runs a server that answers each message as it likes: with lines of its own, or
// with nothing. It greets in the older way.
func hostile(answer func(m message, say func(format string, args ...any)) error) box {
	return func(_ context.Context, in io.Reader, out io.Writer) error {
		var mu sync.Mutex
		say := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			_, _ = fmt.Fprintf(out, format+"\n", args...)
		}
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) != nil {
				continue
			}
			var err error
			switch m.Method {
			case "server/discover":
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
			case "initialize":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"h","version":"1"}}}`, m.ID)
			default:
				err = answer(m, say)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// oneTool answers a request for the list with one tool that is unsafe.
func oneTool(m message, say func(format string, args ...any)) bool {
	if m.Method != "tools/list" {
		return false
	}
	say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"act","description":"Acts.","inputSchema":{"type":"object"}}]}}`, m.ID)
	return true
}
