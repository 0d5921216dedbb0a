package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
	"shelly/runtime/tool/program"
)

func TestTOL91EachToolHasANameOfItsOwn(t *testing.T) {
	long := strings.Repeat("x", 80)
	tools := []declared{
		{server: "git", name: "log"}, {server: "a_b", name: "c"}, {server: "a", name: "b_c"}, {server: "git", name: "räum auf!"},
		{server: "git", name: long}, {server: "git", name: long + "y"}, {server: "read", name: "file"},
	}
	got := unique(tools, []string{"read_file", "exec"})
	if got[0] != "git_log" || got[3] != "git_r_um_auf_" || !strings.HasPrefix(got[1], "a_b_c_") || !strings.HasPrefix(got[2], "a_b_c_") || !strings.HasPrefix(got[6], "read_file_") {
		t.Errorf("the names are %q", got)
	}
	for i, name := range got {
		if len(name) > 64 || slices.Contains(got[:i], name) {
			t.Errorf("%q is too long or not of its own", name)
		}
	}
	if again := unique(tools[4:5], nil); again[0] != got[4] {
		t.Errorf("a name depends on other tools: %q and %q", again[0], got[4])
	}
}

func TestTOL94WhatAServerSaysOfItsToolsIsMapped(t *testing.T) {
	s := func() *sdk.Server {
		return offering(
			&sdk.Tool{Name: "look", Description: "Looks.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			&sdk.Tool{Name: "set", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}},
			&sdk.Tool{Name: "act", Title: "Acts", Annotations: &sdk.ToolAnnotations{}},
			&sdk.Tool{Name: "plain", InputSchema: json.RawMessage(`{"type":"object","properties":{"at":{"$ref":"#/$defs/place"}},"$defs":{"place":{"type":"string"}}}`)},
			&sdk.Tool{Name: "large", InputSchema: json.RawMessage(`{"type":"object","description":"` + strings.Repeat("x", schemaBytesMax) + `"}`)},
			&sdk.Tool{Name: "wrong", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"https://schemas.example/a"}}}`)},
		)
	}
	w := newWorld(t, kind(s), brief(), one("k"))
	got := map[string]fsm.ToolEffects{}
	for _, a := range w.Tools(nil) {
		got[a.Decl.Name] = a.Decl.Effects
	}
	want := map[string]fsm.ToolEffects{"k_look": fsm.EffectsNone, "k_set": fsm.EffectsIdempotent, "k_act": fsm.EffectsUnsafe, "k_plain": fsm.EffectsUnsafe}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if d := w.tool("k_act").Decl; d.Description != "Acts" || d.Source != 0 {
		t.Errorf("k_act is %+v", d)
	}
	if got := w.call("k_plain", `{"at": "home"}`); got.Failed || got.Text != `plain got {"at":"home"}` {
		t.Errorf("a call: %+v", got)
	}
	if got := w.call("k_plain", `{"at": "home", "id": 1234567890123456789}`); got.Failed || got.Text != `plain got {"at":"home","id":1234567890123456789}` {
		t.Errorf("a long number: %+v", got)
	}
	if got := w.call("k_plain", `{"at": 7}`); !got.Invalid {
		t.Errorf("a call with a wrong argument: %+v", got)
	}
}

func TestTOL94OnlyTheNamedToolsAreOffered(t *testing.T) {
	s := one("k")
	s.Only = []string{"b"}
	w := newWorld(t, kind(func() *sdk.Server { return offering(&sdk.Tool{Name: "a"}, &sdk.Tool{Name: "b"}) }), brief(), s)
	if got := names(w.Tools(nil)); !slices.Equal(got, []string{"k_b"}) {
		t.Errorf("offered are %v", got)
	}
}

func TestTOL94ANameThatNoToolHasIsReported(t *testing.T) {
	var log strings.Builder
	c := one("k")
	c.Only = []string{"b", "reed"}
	s := &server{config: c, options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	if got := s.usable([]*sdk.Tool{{Name: "a"}, {Name: "b"}}); len(got) != 1 || got[0].name != "b" {
		t.Errorf("offered are %+v", got)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"the server has no tool that tools.mcp names" server=k tool=reed`) {
		t.Errorf("the log says %q", text)
	}
}

func TestTOL94AToolThatIsLeftOutIsNamed(t *testing.T) {
	var log strings.Builder
	s := &server{config: one("k"), options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	s.usable([]*sdk.Tool{{Name: "far", InputSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "https://schemas.example/a"}}}}})
	if text := log.String(); !strings.Contains(text, "schema of far: ") {
		t.Errorf("the log says %q", text)
	}
	if odd := s.state().Odd; len(odd) != 1 || !strings.HasPrefix(odd[0], "the MCP server k: a tool is left out; tool: far; error: schema of far: ") {
		t.Errorf("the state says %q", odd)
	}
}

func TestTOL94AToolWhoseSchemaCannotBeCheckedInFullIsOffered(t *testing.T) {
	var log strings.Builder
	s := &server{config: one("k"), options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	list := s.usable([]*sdk.Tool{{Name: "ahead", InputSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "pattern": "^(?!x)"}}}}})
	if text := log.String(); len(list) != 1 || !strings.Contains(text, `"part of a tool's schema cannot be checked" server=k tool=ahead part="pattern \"^(?!x)\""`) {
		t.Fatalf("%+v are offered; the log says %q", list, text)
	}
	added, err := s.added("k_ahead", list[0])
	if err != nil || !strings.Contains(added.Decl.Parameters, `"pattern":"^(?!x)"`) {
		t.Errorf("%+v, %v", added.Decl, err)
	}
	if got := added.Run(t.Context(), fsm.RunTool{Args: `{"a": 1}`}); !got.Invalid || !strings.Contains(got.Text, "argument a must be a string") {
		t.Errorf("%+v", got)
	}
}

func TestTOL94AToolThatCannotBeReadCostsNoOther(t *testing.T) {
	var log lines
	w := New(Options{Sandbox: hostile(func(m message, say func(string, ...any)) error {
		if m.Method == "tools/list" {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"odd","description":7},{"name":7},"none",null,{"name":"act"}]}}`, m.ID)
		}
		return nil
	}), Workspace: t.TempDir(), Path: program.Path, Log: slog.New(slog.NewTextHandler(&log, nil)), pace: brief(), Changed: func() {}})
	t.Cleanup(w.Close)
	w.Use([]Server{one("h")})
	w.Wait(t.Context())
	if got := names(w.Tools(nil)); !slices.Equal(got, []string{"h_act"}) {
		t.Errorf("offered are %v; the servers are %+v", got, w.States())
	}
	if text := log.text(); !strings.Contains(text, `tool=odd error="it cannot be read: \"description\" is a number, not a text"`) || strings.Contains(text, "Go ") {
		t.Errorf("the log says %s", text)
	}
}

// The library drops such a tool.
func TestTOL94AToolWithAnInvalidHeaderIsNamed(t *testing.T) {
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if m.Method == "tools/list" {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"deploy","inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}},{"name":"act"}]}}`, m.ID)
		}
		return nil
	}), brief(), Server{Name: "h", Command: []string{"sh"}, Timeout: 20 * time.Second, Only: []string{"act", "deploy"}})
	want := `the MCP server h: a tool is left out; tool: deploy; error: its schema cannot be used: property "n": x-mcp-header can only be applied to primitive types (integer, string, boolean), got "number"`
	if got, odd := names(w.Tools(nil)), w.States()[0].Odd; !slices.Equal(got, []string{"h_act"}) || !slices.Equal(odd, []string{want}) {
		t.Errorf("offered are %v; what is odd is %q", got, odd)
	}
}

// lines is a log that several write to.
type lines struct {
	mu   sync.Mutex
	kept strings.Builder
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.String()
}

func TestTOL94AListWithoutEndIsCut(t *testing.T) {
	pages := 0
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if m.Method == "tools/list" {
			pages++
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"more"}}`, m.ID, pages)
		}
		return nil
	}), brief(), one("h"))
	if got := len(w.Tools(nil)); got != pagesMax || pages != pagesMax {
		t.Errorf("%d tools of %d pages", got, pages)
	}
}

func TestTOL94AListThatChangesIsReadAgain(t *testing.T) {
	s := offering(&sdk.Tool{Name: "a"})
	w := newWorld(t, kind(func() *sdk.Server { return s }), brief(), one("k"))
	s.AddTool(&sdk.Tool{Name: "b", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	w.until(func() bool { return slices.Equal(names(w.Tools(nil)), []string{"k_a", "k_b"}) })
}

func TestTOL94AListThatCannotBeReadAgainCostsNoCall(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter, json.RawMessage){ // order-free: each is a world of its own
		"a broken gateway": func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(http.StatusBadGateway) },
		"a refusal": func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"busy"}}`, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lists atomic.Int32
			again, calling := make(chan struct{}), make(chan struct{})
			s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
				close(calling)
				select {
				case <-again:
				case <-r.Context().Done():
				}
				w.WriteHeader(http.StatusUnauthorized)
			}, func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-calling:
				case <-t.Context().Done():
				}
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n\n")
			})
			plain := at.Config.Handler
			at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var m message
				if json.Unmarshal(body, &m) == nil && m.Method == "tools/list" {
					switch lists.Add(1) {
					case 2, 3:
						refuse(w, m.ID)
						return
					case 4:
						close(again)
					}
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				plain.ServeHTTP(w, r)
			})
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != tool.Invalid("the server r refuses the call: it answers HTTP 401 Unauthorized") || sessions.Load() != 1 {
				t.Errorf("it is %+v after %d sessions", got, sessions.Load())
			}
		})
	}
}

func TestTOL96ResultsAreText(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
	say := func(name string, r *sdk.CallToolResult) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return r, nil })
	}
	say("mixed", &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "one"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("1234")}, &sdk.ResourceLink{Name: "n", URI: "file:///x"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///y", Text: "two"}},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///z", MIMEType: "a/b", Blob: []byte("1")}},
	}})
	say("error", &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such city"}}})
	say("structured", &sdk.CallToolResult{StructuredContent: map[string]any{"a": 1}})
	say("exact", &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"id": 12345678901234567890, "of": "<a> & b"}`)})
	say("nothing", &sdk.CallToolResult{})
	say("blank", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{}}})
	say("beside", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{}}, StructuredContent: map[string]any{"a": 1}})
	w := newWorld(t, kind(func() *sdk.Server { return s }), brief(), one("k"))
	if got := w.call("k_mixed", ""); got.Text != "one\n[an image, image/png, 4 bytes; it cannot be shown]\n[a link: n file:///x]\nfile:///y:\ntwo\n[a resource: file:///z, a/b, 1 bytes]" {
		t.Errorf("mixed: %q", got.Text)
	}
	if got := w.call("k_error", ""); !got.Failed || !got.Invalid || got.Nothing || got.Text != "no such city" {
		t.Errorf("error: %+v", got)
	}
	for name, want := range map[string]string{"structured": `{"a":1}`, "exact": `{"id":12345678901234567890,"of":"<a> & b"}`, "beside": `{"a":1}`, "nothing": "(no output)", "blank": "(no output)"} {
		if got := w.call("k_"+name, ""); got.Text != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// deaf makes a server refuse the newer greeting.
func deaf(b box) box {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		filtered, to := io.Pipe()
		go func() {
			d := json.NewDecoder(in)
			for {
				var raw json.RawMessage
				if err := d.Decode(&raw); err != nil {
					_ = to.CloseWithError(io.EOF)
					return
				}
				var m message
				if json.Unmarshal(raw, &m) == nil && m.Method == "server/discover" {
					_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
					continue
				}
				_, _ = fmt.Fprintf(to, "%s\n", raw)
			}
		}()
		return b(ctx, filtered, out)
	}
}

func TestTOL92LinesThatAreNoMessagesAreDropped(t *testing.T) {
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		say("Server started\n\n{not json}\n[debug] %s", m.Method)
		say(`{"level":30,"msg":"ready"}` + "\n[1,2]\n[]\n{}\n" + `{"jsonrpc":2,"id":1}`)
		if !oneTool(m, say) && m.Method == "tools/call" {
			say("half {\"jsonrpc\":")
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`, m.ID)
		}
		return nil
	}), brief(), one("h"))
	if got := w.call("h_act", ""); got.Failed || got.Text != "done" || got.Contained != "none" {
		t.Errorf("%+v", got)
	}
}

func TestTOL92AFloodEndsTheServer(t *testing.T) {
	line := strings.Repeat("x", 1<<20)
	for why, flood := range map[string]func(say func(string, ...any)){ // order-free: each is a world of its own
		"a line of more than 4194304 bytes": func(say func(string, ...any)) {
			say(`{"a": "%s"}`, strings.Repeat(line, 5))
		},
		"it writes without end": func(say func(string, ...any)) {
			for range 70 {
				say("%s", line)
			}
		},
	} {
		t.Run(why, func(t *testing.T) {
			w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
				if !oneTool(m, say) && m.Method == "tools/call" {
					flood(say)
				}
				return nil
			}), brief(), one("h"))
			if got := w.call("h_act", ""); !got.Failed || got.Nothing || !strings.Contains(got.Text, why+"; its outcome is unknown") {
				t.Errorf("%+v", got)
			}
			w.until(func() bool { s := w.States()[0]; return s.Up })
		})
	}
}

func TestTOL96AServerThatHangsCostsOneCall(t *testing.T) {
	var starts atomic.Int32
	h := hostile(func(m message, say func(string, ...any)) error {
		oneTool(m, say)
		return nil
	})
	s := one("h")
	s.Timeout = 50 * time.Millisecond
	w := newWorld(t, box(func(ctx context.Context, in io.Reader, out io.Writer) error {
		starts.Add(1)
		return h(ctx, in, out)
	}), brief(), s)
	for range silentMax {
		if got := w.call("h_act", ""); !got.Failed || got.Nothing || !strings.Contains(got.Text, "no answer within 50ms (tools.mcp.h.timeout); its outcome is unknown") {
			t.Errorf("%+v", got)
		}
	}
	w.until(func() bool { return starts.Load() >= 2 && w.States()[0].Up })
}

func TestTOL95AServerThatEndsIsStartedAgain(t *testing.T) {
	var starts atomic.Int32
	h := hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			if starts.Load() < 3 {
				return errors.New("panic: out of order")
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`, m.ID)
		}
		return nil
	})
	w := newWorld(t, box(func(ctx context.Context, in io.Reader, out io.Writer) error {
		starts.Add(1)
		return h(ctx, in, out)
	}), brief(), one("h"))
	for range 2 {
		got := w.call("h_act", "")
		if !got.Failed || got.Nothing || got.Text != "the server h ended during the call: it has ended with exit code 1: panic: out of order; its outcome is unknown: check before you repeat it" {
			t.Errorf("%+v", got)
		}
		w.until(func() bool { return w.States()[0].Up })
	}
	if got := w.call("h_act", ""); got.Failed || got.Text != "done" {
		t.Errorf("%+v", got)
	}
	if len(w.changed) > 1 {
		t.Errorf("%d changes were told, with the same tools all the time", len(w.changed))
	}
}

func TestTOL96AnAnswerThatCannotBeUsedDoesNotEndTheServer(t *testing.T) {
	var starts atomic.Int32
	var answer atomic.Value
	h := hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer.Load())
		}
		return nil
	})
	w := newWorld(t, box(func(ctx context.Context, in io.Reader, out io.Writer) error {
		starts.Add(1)
		return h(ctx, in, out)
	}), brief(), one("h"))
	for result, want := range map[string]string{
		`{"content":"a text"}`:  "its answer cannot be read: \"content\" is a text, not a list;",
		`"a text"`:              "its answer cannot be read: a value is a text, not an object;",
		`{"isError":"yes"}`:     "its answer cannot be read: \"isError\" is a text, not true or false;",
		`{"task":{"taskId":7}}`: "its answer cannot be read: \"taskId\" is a number, not a text;",
		`{"resultType":"task"}`: "a task without an id",
		`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}`: `it asks for "sampling/createMessage"`,
	} {
		answer.Store(result)
		got := w.call("h_act", "")
		if !got.Failed || got.Nothing || !strings.Contains(got.Text, want) || !strings.Contains(got.Text, "outcome is unknown") || strings.Contains(got.Text, "shelly/") {
			t.Errorf("%s: %+v", result, got)
		}
	}
	answer.Store(`{"content":[{"type":"text","text":"done"}]}`)
	if got := w.call("h_act", ""); got.Text != "done" || starts.Load() != 1 {
		t.Errorf("%+v after %d starts", got, starts.Load())
	}
}

func TestTOL96ContentThatCannotBeShownIsNamedInItsPlace(t *testing.T) {
	var answer atomic.Value
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"before"},%s,{"type":"text","text":"after"}],"structuredContent":{}}}`, m.ID, answer.Load())
		}
		return nil
	}), brief(), one("h"))
	for item, want := range map[string]string{
		`{"type":"video","data":"AAAA"}`:                `[content of the type "video"; it cannot be shown]`,
		`{"type":"image","data":"no base64!"}`:          `[content of the type "image"; it cannot be shown]`,
		`{"type":"tool_use","id":"1","name":"a"}`:       `[content of the type "tool_use"; it cannot be shown]`,
		`{"type":"resource_link","uri":"a","size":1.5}`: `[content of the type "resource_link"; it cannot be shown]`,
		`null`: `[content without a type; it cannot be shown]`,
	} {
		answer.Store(item)
		if got := w.call("h_act", ""); got.Failed || got.Text != "before\n"+want+"\nafter" {
			t.Errorf("%s: %+v", item, got)
		}
	}
}

func TestTOL95AServerThatDoesNotStartDelaysNobody(t *testing.T) {
	p := brief()
	p.connect = 20 * time.Millisecond
	silent := box(func(_ context.Context, in io.Reader, _ io.Writer) error {
		_, err := io.Copy(io.Discard, in)
		return err
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t, silent, p, one("h"))
	w.Servers.Wait(ctx) // is over at once
	w.until(func() bool {
		err := w.States()[0].Err
		return err != nil && strings.Contains(err.Error(), "not greeted")
	})
	if got := w.Tools(nil); len(got) != 0 {
		t.Errorf("its tools are %v", names(got))
	}
	gone := one("gone")
	gone.Command = []string{"no-such-program"}
	w.Use([]Server{gone})
	w.Servers.Wait(t.Context())
	if err := w.States()[0].Err; err == nil || !strings.Contains(err.Error(), `tools.mcp.gone.command: there is no program "no-such-program"`) {
		t.Errorf("the reason is %v", err)
	}
}

func TestTOL95AServerThatIsNotUpFailsWithoutEffect(t *testing.T) {
	var starts atomic.Int32
	h := hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			return errors.New("the end")
		}
		return nil
	})
	p := brief()
	p.least = time.Hour
	w := newWorld(t, box(func(ctx context.Context, in io.Reader, out io.Writer) error {
		starts.Add(1)
		return h(ctx, in, out)
	}), p, one("h"))
	w.call("h_act", "")
	w.until(func() bool { return !w.States()[0].Up })
	if got := w.call("h_act", ""); !got.Nothing || !strings.Contains(got.Text, "is not up") {
		t.Errorf("%+v", got)
	}
}

func TestTOL93AServerAtAnAddressIsReached(t *testing.T) {
	var wrong atomic.Int32
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		if r.Header.Get("Authorization") != "Bearer key" {
			wrong.Add(1)
		}
		return offering(&sdk.Tool{Name: "a"})
	}, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	s := Server{Name: "r", URL: server.URL + "/mcp", Headers: []Header{{"Authorization", "Bearer key"}}, Timeout: 20 * time.Second}
	refused := s
	allowed, err := egress.ParseAllowed(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	s.Allow = []egress.Allowed{allowed}
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_a", `{"text": "x"}`); got.Failed || got.Text != `a got {"text":"x"}` || wrong.Load() > 0 {
		t.Errorf("%+v; %d requests without the header", got, wrong.Load())
	}
	w.Use([]Server{refused})
	w.Servers.Wait(t.Context())
	if err := w.States()[0].Err; err == nil || !strings.Contains(err.Error(), "is refused") {
		t.Errorf("without being allowed: %v", err)
	}
}

// web is a server at an address that greets, has one unsafe tool, and answers calls, and a client
// that listens (unless nil), as it likes.
func web(t *testing.T, call http.HandlerFunc, listen func(http.ResponseWriter)) (s Server, at *httptest.Server, sessions *atomic.Int32) {
	t.Helper()
	sessions = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		_ = json.NewDecoder(r.Body).Decode(&m)
		answers := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`,
		}
		switch {
		case r.Method == http.MethodGet && listen != nil:
			listen(w)
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "tools/call":
			call(w, r)
		case answers[m.Method] != "":
			w.Header().Set("Content-Type", "application/json")
			if m.Method == "initialize" {
				w.Header().Set("Mcp-Session-Id", fmt.Sprint(sessions.Add(1)))
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answers[m.Method])
		case m.ID != nil:
			w.WriteHeader(http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	allowed, err := egress.ParseAllowed(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: "r", URL: server.URL + "/mcp", Allow: []egress.Allowed{allowed}, Timeout: 20 * time.Second}, server, sessions
}

func TestTOL96AStatusSaysWhatBecameOfTheCall(t *testing.T) {
	for name, c := range map[string]struct { // order-free: each is a world of its own
		status   int
		body     string
		want     tool.Result
		sessions int32 // afterwards
	}{
		"refused":               {401, "no token", tool.Invalid("the server r refuses the call: it answers HTTP 401 Unauthorized: no token"), 1},
		"refused as a protocol": {400, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no x"}}`, tool.Invalid("the server r refuses the call: no x"), 1},
		"a session's end":       {404, "who?", tool.Nothing("the server r is not up, and is being started again: it answers HTTP 404 Not Found: who?"), 2},
		"as other servers say":  {400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no valid session"}}`, tool.Nothing("the server r is not up, and is being started again: it answers HTTP 400 Bad Request: no valid session"), 2},
		"a broken gateway":      {502, "<html>sorry</html>", tool.Failed("the server r gave no answer: it answers HTTP 502 Bad Gateway; its outcome is unknown: check before you repeat it"), 1},
		"a failure":             {500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}}`, tool.Failed("the server r gave no answer: it answers HTTP 500 Internal Server Error: boom; its outcome is unknown: check before you repeat it"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, sessions := web(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", http.DetectContentType([]byte(c.body)))
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}, nil)
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != c.want {
				t.Errorf("it is %+v, not %+v", got, c.want)
			}
			w.until(func() bool { return w.States()[0].Up && sessions.Load() == c.sessions })
		})
	}
}

func TestTOL96AnAnswerOverHTTPThatIsNoMessageCostsOneCall(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want string }{ // order-free: each is a world of its own
		"a page":       {"text/html; charset=utf-8", "<html>sign in</html>", "it answers HTTP 200 with text/html, not with a message of the protocol"},
		"garbage":      {"application/json", "{oops", "its answer is not a message of the protocol"},
		"nothing":      {"application/json", "", "its answer is not a message of the protocol"},
		"half":         {"application/json", "", "its answer cannot be read: unexpected EOF"},
		"a text as id": {"application/json", `{"jsonrpc":"2.0","id":"3","result":{}}`, "its answer has another id than the request"},
		"a request":    {"application/json", `{"jsonrpc":"2.0","id":3,"method":"ping"}`, "its answer has another id than the request"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, sessions := web(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				if name == "half" {
					w.Header().Set("Content-Length", "100")
				}
				_, _ = io.WriteString(w, c.body)
			}, nil)
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != tool.Failed("the server r gave no answer: %s; its outcome is unknown: check before you repeat it", c.want) {
				t.Errorf("it is %+v", got)
			}
			if n := sessions.Load(); n != 1 || !w.States()[0].Up {
				t.Errorf("%d sessions, %+v", n, w.States())
			}
		})
	}
}

func TestTOL96AStreamOfEventsCostsOneCall(t *testing.T) {
	result := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done"}]}}`
	}
	done := tool.Result{Text: "done"}
	none := func(why string) tool.Result {
		return tool.Failed("the server r gave no answer: its stream of events %s; its outcome is unknown: check before you repeat it", why)
	}
	continued := func(status int, body string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, id string) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
		}
	}
	for name, c := range map[string]struct { // order-free: each is a world of its own
		events string // ID: the id of the request
		again  []func(w http.ResponseWriter, id string)
		want   tool.Result
	}{
		"cut":                  {": hello\n\n", nil, none("ends without the answer")},
		"garbage":              {"oops\n\ndata: {oops\n\ndata: 1\n\ndata\n\n", nil, none("ends without the answer; events that are no messages of the protocol: 3")},
		"another's answer":     {"data: " + result("77") + "\n\n", nil, none("ends without the answer")},
		"garbage, and then it": {"oops\nretry\n\ndata: {oops\n\ndata: " + result("ID") + "\n\n", nil, done},
		"a byte order mark":    {"\uFEFFdata: " + result("ID") + "\r\n\r\n", nil, done},
		"several lines":        {"event: message\ndata: " + strings.ReplaceAll(result("ID"), ":{", ":{\ndata:") + "\n\n", nil, done},
		"without its last end": {"data: " + result("ID"), nil, done},
		"too long":             {"data: " + strings.Repeat("x", 15<<20) + "\n\n", nil, none("ends without the answer: an event is longer than 15728640 bytes")},
		"continued": {"id: 1\nretry: 1\n\n", []func(http.ResponseWriter, string){
			continued(502, "sorry"), continued(200, "oops\n\n"), continued(200, "data: "+result("ID")+"\n\n"),
		}, done},
		"not continued": {"id: 1\nretry: 1\n\n", []func(http.ResponseWriter, string){continued(405, "")},
			none("was cut, and when it is opened again the server answers HTTP 405 Method Not Allowed")},
		"a half event is not passed over": {"id: 1\nretry: 1\n\nid: 2\ndata: {", []func(http.ResponseWriter, string){continued(200, "data: "+result("ID")+"\n\n")}, done},
	} {
		t.Run(name, func(t *testing.T) {
			var id, last atomic.Value
			var opened atomic.Int32
			s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, strings.ReplaceAll(c.events, "ID", id.Load().(string)))
			}, nil)
			plain := at.Config.Handler
			at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" {
					last.Store(r.Header.Get("Last-Event-ID"))
					w.Header().Set("Content-Type", "text/event-stream")
					c.again[opened.Add(1)-1](w, id.Load().(string))
					return
				}
				body, _ := io.ReadAll(r.Body)
				var m message
				if json.Unmarshal(body, &m) == nil && m.Method == "tools/call" {
					id.Store(string(m.ID))
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				plain.ServeHTTP(w, r)
			})
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != c.want {
				t.Errorf("it is %+v, not %+v", got, c.want)
			}
			if n := sessions.Load(); n != 1 || !w.States()[0].Up || int(opened.Load()) != len(c.again) || last.Load() != nil && last.Load() != "1" {
				t.Errorf("%d sessions, continued %d times after %v, %+v", n, opened.Load(), last.Load(), w.States())
			}
		})
	}
}

func TestTOL96ARefusedMessageWithoutAnAnswerCostsNothing(t *testing.T) {
	refused := make(chan struct{})
	var calls atomic.Int32
	s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-refused:
		case <-r.Context().Done():
		}
	}, nil)
	plain := at.Config.Handler
	at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		plain.ServeHTTP(w, r) // it refuses the answer to its ping
		if bytes.Contains(body, []byte(`"id":"p"`)) {
			close(refused)
		}
	})
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_act", ""); !strings.HasPrefix(got.Text, "the server r gave no answer: its stream of events ends without the answer") {
		t.Errorf("it is %+v", got)
	}
	for range 5 {
		if got := w.call("r_act", ""); !got.Invalid || sessions.Load() != 1 {
			t.Errorf("afterwards it is %+v in %d sessions", got, sessions.Load())
		}
	}
}

func TestTOL96AnAnswerThatNamesAnotherSessionIsAnAnswer(t *testing.T) {
	s, at, sessions := web(t, nil, nil)
	plain := at.Config.Handler
	at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m message
		if json.Unmarshal(body, &m) == nil && m.Method == "tools/call" {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "another")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"of %s"}]}}`, m.ID, r.Header.Get("Mcp-Session-Id"))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		plain.ServeHTTP(w, r)
	})
	w := newWorld(t, nil, brief(), s)
	for range 2 {
		if got := w.call("r_act", ""); got != (tool.Result{Text: "of 1"}) || sessions.Load() != 1 {
			t.Errorf("it is %+v in %d sessions", got, sessions.Load())
		}
	}
}

func TestTOL96AServerAtAnAddressThatEndsIsNoticed(t *testing.T) {
	s, at, _ := web(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil)
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_act", ""); got.Nothing || !strings.HasSuffix(got.Text, "EOF; its outcome is unknown: check before you repeat it") {
		t.Errorf("during the call: %+v", got)
	}
	w.until(func() bool { return w.States()[0].Up })
	at.Close()
	if got := w.call("r_act", ""); !got.Nothing || !strings.HasSuffix(got.Text, "connection refused") {
		t.Errorf("after its end: %+v", got)
	}
	w.until(func() bool { return !w.States()[0].Up })
}

func TestTOL93AStreamThatIsCutIsOpenedAgain(t *testing.T) {
	var opened atomic.Int32
	s, _, sessions := web(t, nil, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 1\n\n")
		opened.Add(1)
	})
	w := newWorld(t, nil, brief(), s)
	w.until(func() bool { return opened.Load() >= 10 })
	if n := sessions.Load(); n != 1 || !w.States()[0].Up {
		t.Errorf("%d sessions, %+v", n, w.States())
	}
}

func TestTOL93AStreamThatSaysOrMeetsAnythingIsOpenedAgain(t *testing.T) {
	var opened atomic.Int32
	s, _, sessions := web(t, nil, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch opened.Add(1) % 4 {
		case 0:
			w.WriteHeader(http.StatusBadGateway)
		case 1:
			_, _ = io.WriteString(w, "retry: 1\n\noops\n\ndata: {oops\n\n")
		case 2:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "retry: 1\n\n<html>")
		case 3:
			_, _ = io.WriteString(w, "retry: 1\n\n"+strings.Repeat("x", 16<<20))
		}
	})
	w := newWorld(t, nil, brief(), s)
	w.until(func() bool { return opened.Load() >= 9 })
	if n := sessions.Load(); n != 1 || !w.States()[0].Up {
		t.Errorf("%d sessions, %+v", n, w.States())
	}
}

func TestTOL93AStreamIsNotOpenedAgainAtOnce(t *testing.T) {
	r := remoteVia(trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader("retry: 1\n\nretry: 5000\nid: 1\n\nretry: soon\n\n"))}, nil
	}), nil, time.Second, func(error) {})
	answer, err := (&http.Client{Transport: r}).Get("http://127.0.0.1/mcp")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(answer.Body); err != nil || string(got) != "retry: 1000\n\nid: 1\nretry: 5000\n\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTOL93AServerOf2026IsListenedToAgain(t *testing.T) {
	var opened, cut atomic.Int32
	s := offering(&sdk.Tool{Name: "a"})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "subscriptions/listen" {
			handler.ServeHTTP(w, r)
			return
		}
		switch n := opened.Add(1); {
		case n == 1:
			w.WriteHeader(http.StatusBadGateway)
		case n <= 4: // without an answer
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}`+"\n\n")
			cut.Add(1)
		default:
			if n == 5 { // nobody is told
				s.AddTool(&sdk.Tool{Name: "b", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
			}
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	allowed, err := egress.ParseAllowed(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil, brief(), Server{Name: "r", URL: server.URL, Allow: []egress.Allowed{allowed}, Timeout: 20 * time.Second})
	w.until(func() bool { return slices.Equal(names(w.Tools(nil)), []string{"r_a", "r_b"}) })
	s.AddTool(&sdk.Tool{Name: "c", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	w.until(func() bool { return len(w.Tools(nil)) == 3 })
	if cut.Load() != 3 || !w.States()[0].Up {
		t.Errorf("cut %d times; the servers are %+v", cut.Load(), w.States())
	}
}

func TestTOL90ServersThatStayGoOn(t *testing.T) {
	var starts atomic.Int32
	b := kind(func() *sdk.Server {
		starts.Add(1)
		return offering(&sdk.Tool{Name: "a"})
	})
	w := newWorld(t, b, brief(), one("x"), one("y"))
	w.Use([]Server{one("y"), one("z")})
	w.Servers.Wait(t.Context())
	if got := names(w.Tools(nil)); !slices.Equal(got, []string{"y_a", "z_a"}) || starts.Load() != 3 {
		t.Errorf("%v after %d starts", got, starts.Load())
	}
}

// TOL-93: a redirect is an answer, wherever it leads; an error would have the library open the
// stream again for ever.
func TestTOL93ARedirectThatCannotBeReadIsAnAnswer(t *testing.T) {
	r := remoteVia(trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"http://[::bad"}}, Body: http.NoBody}, nil
	}), nil, time.Millisecond, func(error) {})
	guard := egress.Guard{}
	client := guard.Client(time.Second)
	client.Transport = r
	answer, err := client.Get("http://127.0.0.1/mcp")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusFound {
		t.Errorf("it is %s", answer.Status)
	}
}

// trip is a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
