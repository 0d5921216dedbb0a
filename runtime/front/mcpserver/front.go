package mcpserver

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/mcp/wire"
)

// Channel is the channel of requests from MCP clients.
const Channel = "mcp"

// Path is the server's path.
const Path = "/mcp"

// WaitsMax is how many calls, of ask and for a task's result, may wait for a reply at once.
const WaitsMax = 64

// Options set a front up. RequestBytesMax is required.
type Options struct {
	Version         string
	RequestBytesMax int64         // of a body
	Wait            time.Duration // how long ask waits for a reply outside a task; 0: 50 s
	WriteTimeout    time.Duration // for one write of an answer; 0: 10 s
	Log             *slog.Logger  // nil: none
}

// Front is the server.
type Front struct {
	front   comm.Front
	o       Options
	waits   chan struct{} // a token per call that waits
	calls   calls
	handler http.Handler
}

// New returns a server in front of a daemon.
func New(front comm.Front, o Options) *Front {
	o.Wait, o.WriteTimeout = cmp.Or(o.Wait, 50*time.Second), cmp.Or(o.WriteTimeout, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	f := &Front{front: comm.Owned(front), o: o, waits: make(chan struct{}, WaitsMax), calls: calls{all: map[callKey][]*call{}}}
	serve := sdk.NewStreamableHTTPHandler(f.server, &sdk.StreamableHTTPOptions{
		Stateless: true, Logger: slog.New(slog.DiscardHandler), MaxRequestBodyBytes: o.RequestBytesMax, PropagateRequestCancellation: true,
	})
	f.handler = wire.Handler(serve, o.RequestBytesMax)
	return f
}

// Routes returns the server's routes.
func (f *Front) Routes() []comm.Route {
	return []comm.Route{{Method: http.MethodPost, Pattern: Path, Right: access.Ask, Handle: f.serve}}
}

// patient gives each write its own deadline: an answer may take long, but a client that
// does not read is dropped.
type patient struct {
	http.ResponseWriter
	timeout time.Duration
}

func (p *patient) extend() {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.timeout)) // a writer without deadlines just has none
}

// Write implements [http.ResponseWriter].
func (p *patient) Write(b []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(b)
}

// Flush implements [http.Flusher].
func (p *patient) Flush() {
	p.extend()
	_ = http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] reach the writer.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// server returns the library's server for one request, acting for the request's caller.
func (f *Front) server(r *http.Request) *sdk.Server {
	v := visit{Front: f, caller: comm.CallerOf(r.Context()), key: idempotency.Key(r.Header), came: r.Context()}
	if came, is := r.Context().Value(requestIn{}).(context.Context); is {
		v.came = came
	}
	v.call, _ = r.Context().Value(callIn{}).(*call)
	s := sdk.NewServer(&sdk.Implementation{Name: "shelly", Version: f.o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Extensions: map[string]any{wire.Extension: map[string]any{}}},
	})
	for _, t := range v.tools() {
		s.AddTool(t.decl, t.run)
	}
	tasks := wire.Server{Tools: []string{ToolAsk}, Begin: v.begin, Get: v.stands, Result: v.result, Cancel: v.cancelTask, Update: v.update}
	if err := tasks.Use(s); err != nil {
		f.o.Log.Error("tasks are not offered to MCP clients", "error", err) // the library has its own handler for a method
	}
	return s
}

// visit is one request of a client.
type visit struct {
	*Front
	caller comm.Caller
	key    string // the message's Idempotency-Key
	call   *call  // that the message is; nil: none
	came   context.Context
}

// waiting returns the context of what waits for something else than an answer of the daemon. It ends
// with the HTTP request: when its client has gone, its token is revoked or shelly stops.
func (v visit) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.came, cancel)
	return ctx, func() { stop(); cancel() }
}

// revoked returns an error if the caller's token was revoked, or if its side of the connection is closed.
func (v visit) revoked() error { return comm.Ended(v.came, nil) }

func (v visit) as(ctx context.Context) context.Context { return comm.WithCaller(ctx, v.caller) }
