package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/runtime/descriptor"
)

// Defaults of [Options] and [Timeouts].
const (
	DefaultNumCtx    = 8192
	DefaultKeepAlive = 5 * time.Minute

	DefaultConnect    = 5 * time.Second
	DefaultLoad       = 5 * time.Minute
	DefaultFirstToken = time.Hour
	DefaultIdle       = time.Minute
	DefaultTotal      = 4 * time.Hour
)

// The headers that say what a call is for. A real Ollama ignores them; the mock server finds its
// script by them. The session is escaped as in a URL query.
const (
	PurposeHeader = "X-Shelly-Purpose"
	SessionHeader = "X-Shelly-Session"
)

// Options says which server and model to ask, and how. A zero value means the default.
type Options struct {
	// BaseURL is the server in any form that OLLAMA_HOST takes: host, host:port,
	// :port, http://host:port/path. Default: DefaultBaseURL.
	BaseURL string
	// Model is the chat model. Default: none; see [Client.Choose].
	Model string
	// EmbedModel makes vectors. Default: none; Embed then returns an error.
	EmbedModel string
	// NumCtx is the context window in tokens. Default: DefaultNumCtx.
	NumCtx int
	// NumPredict is the longest answer in tokens. Default: NumCtx, since an answer ends
	// at the window anyway.
	NumPredict int
	// KeepAlive is how long the server keeps an idle model loaded; negative: forever. Default:
	// DefaultKeepAlive. To unload it at once use time.Nanosecond.
	KeepAlive time.Duration
	// Seed is that of the sampling. Default: nil, the model's own.
	Seed *int
	// Think says whether the model thinks: true, false, low, medium or high. Default: empty, as the
	// model does by itself.
	Think string
	// Tools says how a model learns about tools (BRN-16). Default: ToolsAuto.
	Tools ToolsBy
	// Log gets messages about loading, and about getting less from the server than was asked for.
	// Default: none.
	Log      *slog.Logger
	Timeouts Timeouts
}

// ToolsBy says how a model learns about tools.
type ToolsBy string

// ToolsAuto: by the server's own means if the model can call tools, else by a description in the
// prompt. ToolsNative: always by the server. ToolsDescribed: always by a description.
const (
	ToolsAuto      ToolsBy = "auto"
	ToolsNative    ToolsBy = "native"
	ToolsDescribed ToolsBy = "described"
)

// Timeouts bound one call (BRN-8). A zero value means the default.
type Timeouts struct {
	// Connect bounds the time to reach the server. Default: DefaultConnect. It also bounds the
	// question what is loaded.
	Connect time.Duration
	// Load bounds the loading of the chat model. Default: DefaultLoad.
	Load time.Duration
	// FirstToken bounds the wait for the first line of an answer, while the server reads the
	// prompt. An embedding may take Load and FirstToken together. Default: DefaultFirstToken.
	FirstToken time.Duration
	// Idle bounds the wait between two lines of an answer (BRN-43), and each question about the server
	// and its models. Default: DefaultIdle.
	Idle time.Duration
	// Total bounds a whole chat, without the loading. Default: DefaultTotal.
	Total time.Duration
}

// aliveTick is how often a server that has not begun its answer is asked whether it is alive.
const aliveTick = 15 * time.Second

// Client asks one Ollama server. It is safe for concurrent use.
type Client struct {
	opt     Options // without zero values
	base    server
	chatURL string
	http    *http.Client
	api     *api.Client

	open     context.Context // until Close
	shut     context.CancelFunc
	known    *known
	encoded  *encoded
	ticks    func(time.Duration) (<-chan time.Time, func()) // clock of the notes while a chat waits
	patience time.Duration                                  // before a server that has not begun its answer is first asked whether it is alive
	now      func() time.Time                               // for the time since the model answered
}

// New returns a client. It sends nothing; an error is about the options.
func New(opt Options) (*Client, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	if t := opt.Timeouts; min(opt.NumCtx, opt.NumPredict) < 0 || min(t.Connect, t.Load, t.FirstToken, t.Idle, t.Total) < 0 {
		return nil, errors.New("num_ctx, num_predict and the timeouts of the Ollama client must be positive")
	}
	client := &http.Client{
		Transport:     bounded{newTransport(opt.Timeouts.Connect)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	open, shut := context.WithCancel(context.Background())
	return &Client{
		open: open, shut: shut, opt: opt, base: server{base}, chatURL: base.JoinPath("api/chat").String(), http: client, api: api.NewClient(base, client),
		known: newKnown(), encoded: &encoded{}, ticks: everyTick, patience: aliveTick, now: time.Now,
	}, nil
}

// With returns a client for other models that shares the connections and what is known about the
// server's models.
func (c *Client) With(chat, embed string) *Client {
	d := *c
	d.opt.Model, d.opt.EmbedModel = chat, embed
	return &d
}

// WithChat returns a client for another chat model and the same embedding model.
func (c *Client) WithChat(chat string) *Client { return c.With(chat, c.opt.EmbedModel) }

// BaseURL returns the server's address as it is used, in words.
func (c *Client) BaseURL() string { return c.base.String() }

// Close ends a load that no chat waits for any more, and drops idle connections.
func (c *Client) Close() {
	c.shut()
	c.http.CloseIdleConnections()
}

func (o Options) withDefaults() Options {
	o.NumCtx = cmp.Or(o.NumCtx, DefaultNumCtx)
	o.NumPredict = cmp.Or(o.NumPredict, o.NumCtx)
	o.KeepAlive = cmp.Or(o.KeepAlive, DefaultKeepAlive)
	o.Tools = cmp.Or(o.Tools, ToolsAuto)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	t := &o.Timeouts
	t.Connect = cmp.Or(t.Connect, DefaultConnect)
	t.Load = cmp.Or(t.Load, DefaultLoad)
	t.FirstToken = cmp.Or(t.FirstToken, DefaultFirstToken)
	t.Idle = cmp.Or(t.Idle, DefaultIdle)
	t.Total = cmp.Or(t.Total, DefaultTotal)
	return o
}

// writeBufferBytes is enough for an ordinary conversation with its tools, which is then sent in one
// piece.
const writeBufferBytes = 32 << 10

// newTransport never uses a proxy: the model is on this machine or nearby, and a proxy configured
// for the web must not see the conversation.
func newTransport(connect time.Duration) *http.Transport {
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return descriptor.Get(ctx, func() (net.Conn, error) {
				return (&net.Dialer{Timeout: connect}).DialContext(ctx, network, address)
			})
		},
		TLSHandshakeTimeout: connect,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 64,
		WriteBufferSize:     writeBufferBytes,
		IdleConnTimeout:     90 * time.Second,
	}
}

// Bounds of responses, so that no server can fill the memory (BRN-11). What is read of a list takes up to a
// thousand bytes for an entry of three.
const (
	listMiBMax   = 1 // of the server's models
	aboutMiBMax  = 4 // about one model, or its vector
	answerMiBMax = 64
)

// bodyMiBMax returns how long a response to a request may be.
func bodyMiBMax(path string) int {
	switch {
	case strings.HasSuffix(path, "/api/tags"), strings.HasSuffix(path, "/api/ps"), strings.HasSuffix(path, "/api/version"):
		return listMiBMax
	case strings.HasSuffix(path, "/api/show"), strings.HasSuffix(path, "/api/embed"):
		return aboutMiBMax
	}
	return answerMiBMax
}

var errTooLarge = errors.New("the response is larger")

// bounded limits the size of every response.
type bounded struct{ *http.Transport }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.Transport.RoundTrip(req)
	if err == nil {
		most := bodyMiBMax(req.URL.Path)
		resp.Body = &boundedBody{ReadCloser: resp.Body, most: most, left: most << 20}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	most int // in MiB
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w than %d MiB", errTooLarge, b.most)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// everyTick returns a clock that ticks, and how to stop it.
func everyTick(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}
