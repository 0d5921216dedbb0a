package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
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
			&sdk.Tool{Name: "act", Title: "Acts", Annotations: &sdk.ToolAnnotations{Title: "Does"}},
			&sdk.Tool{Name: "old", Annotations: &sdk.ToolAnnotations{Title: "Is old", ReadOnlyHint: true}},
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
	want := map[string]fsm.ToolEffects{"k_look": fsm.EffectsNone, "k_set": fsm.EffectsIdempotent, "k_act": fsm.EffectsUnsafe, "k_old": fsm.EffectsNone, "k_plain": fsm.EffectsUnsafe}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if d := w.tool("k_act").Decl; d.Description != "Acts" || d.Source != 0 {
		t.Errorf("k_act is %+v", d)
	}
	if d := w.tool("k_old").Decl; d.Description != "Is old" {
		t.Errorf("k_old is %+v", d)
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
	if got := s.usable([]*sdk.Tool{{Name: "b"}}, false); len(got) != 1 || got[0].name != "b" {
		t.Errorf("offered are %+v", got)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"the server has no tool that tools.mcp names" server=k tool=reed`) {
		t.Errorf("the log says %q", text)
	}
}

func TestTOL94AToolThatIsLeftOutIsNamed(t *testing.T) {
	var log strings.Builder
	s := &server{config: one("k"), options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	s.usable([]*sdk.Tool{{Name: "far", InputSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "https://schemas.example/a"}}}}}, false)
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
	list := s.usable([]*sdk.Tool{{Name: "ahead", InputSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "pattern": "^(?!x)"}}}}}, false)
	if text := log.String(); len(list) != 1 || !strings.Contains(text, `"part of a tool's schema cannot be checked" server=k tool=ahead part="pattern \"^(?!x)\""`) {
		t.Fatalf("%+v are offered; the log says %q", list, text)
	}
	added, err := s.added("k_ahead", list[0])
	if err != nil || !strings.Contains(added.Decl.Parameters, `"pattern":"^(?!x)"`) {
		t.Errorf("got %+v, %v; want Parameters with %q", added.Decl, err, `"pattern":"^(?!x)"`)
	}
	if got := added.Run(t.Context(), fsm.RunTool{Args: `{"a": 1}`}); !got.Invalid || !strings.Contains(got.Text, "argument a must be a string") {
		t.Errorf("got %+v; want Invalid, Text with %q", got, "argument a must be a string")
	}
}

func TestTOL94AToolThatCannotBeReadCostsNoOther(t *testing.T) {
	var log lines
	w := New(Options{Sandbox: hostile(func(m message, say func(string, ...any)) error {
		if m.Method == "tools/list" {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"odd","description":7},{"name":7},"none",null,{"name":"act"}]}}`, m.ID)
		}
		return nil
	}), Workspace: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil)), pace: brief(), Changed: func() {}})
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
	if odd := w.States()[0].Odd; len(odd) != 1 || !strings.Contains(odd[0], "list of tools is too long, and its end is not read; read: 32") {
		t.Errorf("it says %q", odd)
	}
}

// Of a long list only the tools that are named are counted.
func TestTOL94ANamedToolIsFoundFarDownTheList(t *testing.T) {
	s := one("h")
	s.Only = []string{"t3", "t950", "t9999"}
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if m.Method != "tools/list" {
			return nil
		}
		var from struct{ Cursor string }
		_ = json.Unmarshal(m.Params, &from)
		first, _ := strconv.Atoi(from.Cursor)
		var tools []string
		for i := range 100 {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, first+i))
		}
		say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"nextCursor":"%d"}}`, m.ID, strings.Join(tools, ","), first+100)
		return nil
	}), brief(), s)
	if got := names(w.Tools(nil)); !slices.Equal(got, []string{"h_t3", "h_t950"}) {
		t.Errorf("offered are %v", got)
	}
	if odd := w.States()[0].Odd; len(odd) != 2 || !strings.HasSuffix(odd[1], "what is read of the server's list has no tool that tools.mcp names; tool: t9999") {
		t.Errorf("it says %q", odd)
	}
}

func TestTOL94AListThatChangesIsReadAgain(t *testing.T) {
	s := offering(&sdk.Tool{Name: "a"})
	w := newWorld(t, kind(func() *sdk.Server { return s }), brief(), one("k"))
	s.AddTool(&sdk.Tool{Name: "b", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	w.until(func() bool { return slices.Equal(names(w.Tools(nil)), []string{"k_a", "k_b"}) })
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
	say("blanks", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: " \n"}}})
	say("silent", &sdk.CallToolResult{IsError: true})
	say("plain", &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.ImageContent{Data: []byte("1234")}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///z", Blob: []byte("1")}},
	}, StructuredContent: map[string]any{"a": 1}})
	say("twice", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a is 1"}}, StructuredContent: map[string]any{"a": 1}})
	say("beside", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{}}, StructuredContent: map[string]any{"a": 1}})
	w := newWorld(t, kind(func() *sdk.Server { return s }), brief(), one("k"))
	if got := w.call("k_mixed", ""); got.Text != "one\n[an image, image/png, 4 bytes; it cannot be shown]\n[a link: n file:///x]\nfile:///y:\ntwo\n[a resource: file:///z, a/b, 1 byte]" {
		t.Errorf("mixed: %q", got.Text)
	}
	if got := w.call("k_error", ""); !got.Failed || !got.Invalid || got.Nothing || got.Text != "no such city" {
		t.Errorf("error: %+v", got)
	}
	for name, want := range map[string]string{"structured": `{"a":1}`, "exact": `{"id":12345678901234567890,"of":"<a> & b"}`, "beside": `{"a":1}`, "nothing": "(no output)", "blank": "(no output)",
		"blanks": "(no output)", "silent": "the call failed; its server does not say why", "twice": "a is 1",
		"plain": "[an image, 4 bytes; it cannot be shown]\n[a resource: file:///z, 1 byte]\n{\"a\":1}"} {
		if got := w.call("k_"+name, ""); got.Text != want {
			t.Errorf("%s: got %+v; want Text %q", name, got, want)
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
		t.Errorf("got %+v; want not Failed, Text %q, Contained %q", got, "done", "none")
	}
}

// deep is JSON that is nested deeper than any reader of JSON goes.
var deep = strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)

func TestTOL92AMessageThatCannotBeReadCostsOneCallAtMost(t *testing.T) {
	var starts atomic.Int32
	done := `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`
	unread := tool.Failed("the server h gave no answer: its answer is nested more than 1000 deep; its outcome is unknown: check before you repeat it")
	broken := tool.Failed("the server h gave no answer: its answer is not JSON on one line; its outcome is unknown: check before you repeat it")
	for name, c := range map[string]struct { // order-free: each is a world of its own
		line string
		want tool.Result
	}{
		"an answer nested too deep":       {`{"jsonrpc":"2.0","result":{"structuredContent":` + deep + `},"id":%s}`, unread},
		"an answer just too deep":         {`{"jsonrpc":"2.0","id":%s,"result":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, unread},
		"a notification nested too deep":  {`{"jsonrpc":"2.0","method":"notifications/message","params":` + deep + "}\n" + done, tool.Result{Text: "done"}},
		"an answer that is not JSON":      {`{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":{"mean":NaN}}}`, broken},
		"an answer on two lines":          {`{"jsonrpc":"2.0","id":%s,"result":{` + "\n" + `"content":[]}}`, broken},
		"a value that is not JSON":        {`{"jsonrpc":"2.0","id":%s,"result":NaN}`, broken},
		"a request that is not JSON":      {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}` + "\n" + done, tool.Result{Text: "done"}},
		"a log of an answer":              {`{"id":1,"result":{"a":NaN}}` + "\n" + done, tool.Result{Text: "done"}},
		"an answer without an id":         {`{"jsonrpc":"2.0","result":{}}` + "\n" + done, tool.Result{Text: "done"}},
		"an id that is none":              {`{"jsonrpc":"2.0","id":true,"result":{}}` + "\n" + done, tool.Result{Text: "done"}},
		"several in a version without":    {`[{"jsonrpc":"2.0","method":"notifications/message"},` + done + `]`, tool.Result{Text: "done"}},
		"several of which one is no good": {`[7,{"jsonrpc":"2.0"},` + done + `]`, tool.Result{Text: "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			starts.Store(0)
			w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
				switch {
				case oneTool(m, say):
					starts.Add(1)
				case m.Method == "tools/call":
					say(c.line, m.ID)
				}
				return nil
			}), brief(), one("h"))
			c.want.Contained = "none"
			for range 2 * silentMax {
				if got := w.call("h_act", ""); got != c.want {
					t.Fatalf("got %+v; want %+v", got, c.want)
				}
			}
			if n := starts.Load(); n != 1 {
				t.Errorf("%d sessions; want 1", n)
			}
		})
	}
}

func TestTOL92AFloodEndsTheServer(t *testing.T) {
	line := strings.Repeat("x", 1<<20)
	for why, flood := range map[string]func(say func(string, ...any)){ // order-free: each is a world of its own
		"a line of more than 16777216 bytes": func(say func(string, ...any)) {
			say(`{"a": "%s"}`, strings.Repeat(line, 17))
		},
		"it writes without end": func(say func(string, ...any)) {
			for range 70 {
				say("%s", line)
			}
		},
		"it has sent more than 1000 requests": func(say func(string, ...any)) {
			for i := range 10_000 { // without reading the answers: some 1,600 are in the pipe
				say(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
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
				t.Errorf("got %+v; want Failed, not Nothing, Text with %q", got, why+"; its outcome is unknown")
			}
			w.until(func() bool { s := w.States()[0]; return s.Up })
		})
	}
}

// Such a line may be the picture of a long page; to read one takes seconds with the race detector.
func TestTOL92ALongLineIsNoFlood(t *testing.T) {
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			say("%s", strings.Repeat("x", 12<<20))
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`, m.ID)
		}
		return nil
	}), brief(), one("h"))
	if got := w.call("h_act", ""); got.Failed || got.Text != "done" {
		t.Errorf("got %+v", got)
	}
}

// A server that asks every now and then whether shelly is still there is no flood, even if nobody calls it
// for a day.
func TestTOL92RequestsThatAreAnsweredAreNoFlood(t *testing.T) {
	begun, pinged := 0, 0
	ping := func(say func(string, ...any)) { say(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, pinged) }
	enough := make(chan struct{})
	newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if oneTool(m, say) {
			begun++
			ping(say)
		}
		if m.Method == "" {
			if pinged++; pinged == 1500 {
				close(enough)
				return nil
			}
			ping(say)
		}
		return nil
	}), brief(), one("h"))
	<-enough
	if begun != 1 {
		t.Errorf("it was started %d times", begun)
	}
}

// leaving is a sandbox whose programs have left something when they end.
type leaving struct{ box }

func (l leaving) Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error) {
	end, err := l.box.Run(ctx, s)
	end.Removed = []string{"repo/.git/commondir"}
	return end, err
}

func TestTOL44AServerIsNotBlamedForTheDisk(t *testing.T) {
	want := errEnded.Error() + ", because within a minute the disk had filled by more than is allowed (tools.exec.disk), whoever has written there"
	if got := ending(sandbox.End{DiskFull: true}, nil); got.Error() != want || !errors.Is(got, errEnded) {
		t.Errorf("got %v; want %s", got, want)
	}
}

func TestTOL92WhatAServerLeavesIsSaid(t *testing.T) {
	var log lines
	w := New(Options{Sandbox: leaving{hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			return errors.New("oops")
		}
		return nil
	})}, Workspace: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil)), pace: brief(), Changed: func() {}})
	t.Cleanup(w.Close)
	w.Use([]Server{one("h")})
	w.Wait(t.Context())
	const left = "[removed after the command, since git would look elsewhere by it for what it runs: repo/.git/commondir]"
	want := "the server h ended during the call: it has ended with exit code 1 " + left + ": oops; its outcome is unknown: check before you repeat it"
	if got := w.Tools(nil)[0].Run(t.Context(), fsm.RunTool{}); got.Text != want {
		t.Errorf("got %+v; want Text %q", got, want)
	}
	for !w.States()[0].Up {
		runtime.Gosched()
	}
	w.Close()
	if text := log.text(); !strings.Contains(text, `"an MCP server has left something" server=h what="`+left) {
		t.Errorf("the log says %q", text)
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
			t.Errorf("got %+v; want Failed, not Nothing, Text with %q", got, "no answer within 50ms (tools.mcp.h.timeout); its outcome is unknown")
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
			t.Errorf("got %+v; want Failed, not Nothing, Text %q", got, "the server h ended during the call: it has ended with exit code 1: panic: out of order; its outcome is unknown: check before you repeat it")
		}
		w.until(func() bool { return w.States()[0].Up })
	}
	if got := w.call("h_act", ""); got.Failed || got.Text != "done" {
		t.Errorf("got %+v; want not Failed, Text %q", got, "done")
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
			t.Errorf("%s: got %+v; want Failed, not Nothing, Text with %q and %q, Text without %q", result, got, want, "outcome is unknown", "shelly/")
		}
	}
	answer.Store(`{"content":[{"type":"text","text":"done"}]}`)
	if got := w.call("h_act", ""); got.Text != "done" || starts.Load() != 1 {
		t.Errorf("%+v after %d starts", got, starts.Load())
	}
}

// Many servers say only in an error's data which argument is wrong.
func TestTOL96AnErrorSaysWhatIsInItsData(t *testing.T) {
	var answer atomic.Value
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			say(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, answer.Load())
		}
		return nil
	}), brief(), one("h"))
	for given, want := range map[string]tool.Result{
		`{"code":-32602,"message":"invalid","data":{"path":"n","why":"too small"}}`: tool.Invalid(`the server h refuses the call: invalid ({"path":"n","why":"too small"})`),
		`{"code":-32602,"message":"invalid","data":null}`:                           tool.Invalid("the server h refuses the call: invalid"),
		`{"code":-32603,"message":" "}`:                                             tool.Failed("the server h answers with an error: code -32603"),
	} {
		answer.Store(given)
		want.Contained = "none"
		if got := w.call("h_act", ""); got != want {
			t.Errorf("%s: got %+v; want %+v", given, got, want)
		}
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
			t.Errorf("%s: got %+v; want not Failed, Text %q", item, got, "before\n"+want+"\nafter")
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
		t.Errorf("got %+v; want Nothing, Text with %q", got, "is not up")
	}
	if got := w.States()[0].Tools; got != 1 {
		t.Errorf("it has %d tools; want 1", got)
	}
}

func TestTOL95WhatAProgramComplainedOfIsSaidOnce(t *testing.T) {
	p := brief()
	p.least = time.Hour
	w := newWorld(t, box(hostile(func(message, func(string, ...any)) error { return errors.New("no such module") })), p, one("h"))
	w.until(func() bool {
		return w.States()[0].Err != nil && strings.Contains(w.States()[0].Err.Error(), "exit code")
	})
	if got := w.States()[0].Err.Error(); strings.Count(got, "no such module") != 1 {
		t.Errorf("got %s; want 1 %q", got, "no such module")
	}
}

func TestTOL95WhyAServerDoesNotComeUpIsLoggedOnce(t *testing.T) {
	var starts atomic.Int32
	h := hostile(func(message, func(string, ...any)) error {
		if starts.Add(1) > 20 {
			return errors.New("out of memory")
		}
		return fmt.Errorf("no such module in process %d", starts.Load())
	})
	w := newWorld(t, h, brief(), one("h"))
	w.until(func() bool { return starts.Load() > 40 })
	w.Close()
	log := w.log.String()
	for _, why := range []string{"no such module", "out of memory"} {
		if got := strings.Count(log, why); got != 1 {
			t.Errorf("%q is logged %d times; want once:\n%s", why, got, log)
		}
	}
}

func TestTOL90ACallSaysThatAReloadHasEndedItsServer(t *testing.T) {
	called := make(chan struct{})
	w := newWorld(t, hostile(func(m message, say func(string, ...any)) error {
		if !oneTool(m, say) && m.Method == "tools/call" {
			close(called)
		}
		return nil
	}), brief(), one("h"))
	act, result := w.tool("h_act"), make(chan tool.Result, 1)
	go func() { result <- act.Run(t.Context(), fsm.RunTool{Name: "h_act"}) }()
	<-called
	w.Use(nil)
	want := "the server h ended during the call: a reload has changed or removed its settings, and so shelly has ended it; its outcome is unknown: check before you repeat it"
	if got := <-result; got.Text != want || got.Nothing {
		t.Errorf("got %+v, want %q", got, want)
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
