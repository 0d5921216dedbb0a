package comm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/access"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/comm/listener"
	"shelly/runtime/descriptor"
	"shelly/runtime/session"
)

// The channels of requests that name none.
const (
	ChannelHTTP = "http"
	ChannelUDP  = "udp"
)

// The HTTP listener's own bounds.
const (
	StreamsMax     = 256              // SSE streams and waits open at once
	HeaderBytesMax = 16 << 10         // all headers of a request
	HeartbeatEvery = 15 * time.Second // a comment on an idle stream

	idleTimeout = time.Minute // for a connection between two requests
	stopTimeout = time.Second // for answers being written when Serve ends
)

// HTTPOptions sets an HTTP listener up. Token and RequestBytesMax are required.
type HTTPOptions struct {
	Token           string
	Clients         *access.Clients // the clients with tokens of their own; nil: none
	RequestBytesMax int             // of a body, the JSON around the text included
	ConnectionsMax  int             // 0: the constant of this name, or fewer as the process may open files
	StreamsMax      int             // 0: the constant of this name, or three quarters of ConnectionsMax
	StreamWait      time.Duration   // for a free place, before a stream or a wait is refused; 0: 5 s
	ReadTimeout     time.Duration   // for the headers, and for headers and body together; 0: 5 s
	WriteTimeout    time.Duration   // for one piece of a long answer or one event of a stream; 0: writeTimeout
	Counters        *Counters       // nil: its own
	Memory          Memories        // nil: its routes are not there
	Sessions        Sessions        // nil: their routes are not there
	Page            Page            // nil: there is none
	Routes          []Route         // of other packages
	Dialects        []Dialect       // of the fronts that speak other protocols
	// Past returns what happened to a request; nil: its route is not there.
	Past func(j engine.Reader, key fsm.RequestKey) (Past[Step], error)
	// Complete adds to a status what the front does not know; nil: nothing.
	Complete func(*Status)
	// Metrics answers with the metrics of the process and those of a status; nil: the route is not there.
	Metrics func(w http.ResponseWriter, r *http.Request, now Status)
	Log     *slog.Logger // nil: none
	// Now is the clock of the bound on wrong tokens; nil: time.Now.
	Now func() time.Time
	// Heartbeat starts a stream's ticker and returns its ticks and how to stop
	// it; nil: one each HeartbeatEvery.
	Heartbeat func() (ticks <-chan time.Time, stop func())
}

// Sessions is what the routes about sessions need: a [session.Sessions]. Its methods are
// called from many goroutines at once.
type Sessions interface {
	List() ([]session.Listed, error)
	Archive(id string, after uint64, limit int) ([]session.Archived, error)
	Known(id string) (bool, error)
	ForgetAll(id string) (messages int, known bool, err error)
}

// Page serves the web page's files and knows its tickets and tokens: a [page.Site]. Its methods
// are called from many goroutines at once.
type Page interface {
	http.Handler
	// Mine reports whether a path belongs to the page.
	Mine(path string) bool
	// Ticket returns a ticket that lets a browser in once, within life, and the page's path.
	Ticket() (ticket, path string, life time.Duration)
	// Holds reports whether a token is a page's, and counts as a use of it.
	Holds(token string) bool
}

// Route is one route: which right it needs, and what answers. [HTTPOptions].Routes come from
// other packages, because runtime must not import the packages that look back.
type Route struct {
	Method, Pattern string       // such as GET and /v1/graphs
	Right           access.Right // that a token must give (COM-86)
	Page            bool         // a page may use it (COM-72)
	// Handle answers. An error that it returns becomes the answer: a [Problem] as it is,
	// another error worded like those of a [Front].
	Handle func(http.ResponseWriter, *http.Request) error
}

// HTTP is the HTTP listener.
type HTTP struct {
	front   Front
	o       HTTPOptions
	secret  secret
	wrong   allowance
	open    map[string]bool // the patterns of routes that need no token
	mux     *http.ServeMux
	keys    idempotency.Keys
	streams chan struct{} // a token per open stream or wait
	folds   chan struct{} // a token per history being computed
	backup  chan struct{} // a token while one is being sent
	handler http.Handler
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.ConnectionsMax < 1 {
		o.ConnectionsMax = listener.For(descriptor.Max())
	}
	if o.StreamsMax < 1 {
		o.StreamsMax = min(StreamsMax, o.ConnectionsMax*3/4) // so that there is always one for a short question
	}
	if o.StreamWait <= 0 {
		o.StreamWait = 5 * time.Second
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = 5 * time.Second
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = writeTimeout
	}
	if o.Counters == nil {
		o.Counters = &Counters{}
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Heartbeat == nil {
		o.Heartbeat = func() (<-chan time.Time, func()) {
			t := time.NewTicker(HeartbeatEvery)
			return t.C, t.Stop
		}
	}
	return o
}

const healthRoute = "/healthz"

func notFound() *Problem {
	return &Problem{CodeNotFound, "there is no such route", "GET /v1/openapi.json describes those that there are"}
}

// handling answers a request. It returns an error instead of answering with one.
type handling = func(http.ResponseWriter, *http.Request) error

// byMethod is a route with a handler for each of its methods, so that a GET never
// starts work.
type byMethod map[string]handling

// served is the method whose handler answers: HEAD is answered like GET (COM-97).
func (m byMethod) served(method string) string {
	if _, own := m[method]; !own && method == http.MethodHead {
		return http.MethodGet
	}
	return method
}

// bodiless is the answer to a HEAD. Its first piece ends whatever would write a body, such as a
// stream.
type bodiless struct{ http.ResponseWriter }

// Unwrap lets [http.ResponseController] reach the writer.
func (b bodiless) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// Write implements [io.Writer].
func (b bodiless) Write([]byte) (int, error) { return 0, http.ErrBodyNotAllowed }

// ServeHTTP implements [http.Handler].
func (m byMethod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w = bodiless{w}
	}
	handle, ok := m[m.served(r.Method)]
	if !ok {
		methods := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
		allow := methods
		if _, get := m[http.MethodGet]; get && m.served(http.MethodHead) == http.MethodGet {
			allow += ", " + http.MethodHead
		}
		w.Header().Set("Allow", allow)
		(&Problem{CodeMethodNotAllowed, r.Method + " is not for this route", "use " + methods}).write(w)
		return
	}
	err := handle(w, r)
	if errors.Is(err, context.Canceled) {
		err = cmp.Or(Ended(r.Context(), err), err)
	}
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		refuse(w, err)
	}
}

// refuse answers with an error of a handler.
func refuse(w http.ResponseWriter, err error) {
	p := ProblemOf(err)
	if p.Code == CodeBusy {
		w.Header().Set("Retry-After", retryAfter(time.Second))
	}
	p.write(w)
}

// ServeHTTP implements [http.Handler]. It needs the connection's local address
// in the request's context, where [http.Server] puts it.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, r = h.speak(&countedWriter{w, h.o.Counters}, r)
	h.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), placesKey{}, h)))
}

// speak reads the request, and words its answer, in the dialect of its path.
func (h *HTTP) speak(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	for _, d := range h.o.Dialects {
		if d.Enter != nil {
			r = d.Enter(r)
		}
	}
	if _, word, ours := h.dialect(r.URL.Path); ours {
		return &spoken{w, word}, r
	}
	return w, r
}

// dialect returns whose path it is, and how problems are worded there. A path that was put
// together with a slash too many is still that front's.
func (h *HTTP) dialect(of string) (front string, word func(p *Problem, status int) any, ours bool) {
	for _, d := range h.o.Dialects {
		if word, ours := d.Word(path.Clean(of)); ours {
			return d.Front, word, true
		}
	}
	return "", nil, false
}

// Serve answers on l, a loopback address or a socket in the file system, until ctx ends. It
// closes l, and returns once every connection has ended; nil if it was ctx that ended it.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	if l.Addr().Network() != "unix" {
		if err := listener.Loopback(l.Addr().String()); err != nil {
			_ = l.Close()
			return err
		}
	}
	var connections sync.WaitGroup // only server.Serve adds to it, so not after <-ended
	var upgrades sync.WaitGroup    // the answers on hijacked connections, which the server forgets
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Upgrade") != "" {
				upgrades.Add(1)
				defer upgrades.Done()
			}
			h.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(ctx, servingKey{}, ctx) },
		ReadHeaderTimeout: h.o.ReadTimeout,
		ReadTimeout:       h.o.ReadTimeout,
		WriteTimeout:      h.o.WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    HeaderBytesMax,
		ConnContext:       listener.With,
		ConnState: func(conn net.Conn, state http.ConnState) {
			switch state {
			case http.StateIdle:
				listener.Rests(conn)
			case http.StateNew:
				connections.Add(1)
			case http.StateClosed, http.StateHijacked:
				connections.Done()
			}
		},
		ErrorLog: slog.NewLogLogger(h.o.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener.Bound(l, h.o.ConnectionsMax)) }()
	var err error
	select {
	case err = <-ended:
		err = fmt.Errorf("serve HTTP on %s: %w", l.Addr(), err)
		_ = server.Close()
	case <-ctx.Done():
		h.stop(server)
		<-ended
	}
	connections.Wait()
	upgrades.Wait()
	return err
}

// stop ends the connections; those being answered get stopTimeout to finish.
func (h *HTTP) stop(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = server.Close()
	}
}

// getHealth answers, without a token, whether requests are accepted (for supervisors).
func (h *HTTP) getHealth(w http.ResponseWriter, r *http.Request) error {
	s := h.front.Status(r.Context())
	ok := s.NoSpace == "" && (s.Lifecycle == state.Initializing || s.Lifecycle == state.Serving)
	status := http.StatusOK
	if !ok {
		status = http.StatusServiceUnavailable
	}
	return JSON(w, status, struct {
		OK        bool      `json:"ok"`
		Lifecycle fsm.State `json:"lifecycle"`
	}{ok, s.Lifecycle})
}

func (h *HTTP) getStatus(w http.ResponseWriter, r *http.Request) error {
	return JSON(w, http.StatusOK, h.status(r.Context()))
}

// getMetrics answers with the metrics (OBS-2).
func (h *HTTP) getMetrics(w http.ResponseWriter, r *http.Request) error {
	h.o.Metrics(w, r, h.status(r.Context()))
	return nil
}

// status is the daemon's status, including the listeners.
func (h *HTTP) status(ctx context.Context) Status {
	s := h.front.Status(ctx)
	s.Listeners, s.Clients = h.o.Counters.Counts(), h.o.Counters.Clients()
	if h.o.Complete != nil {
		h.o.Complete(&s)
	}
	if unread, err := h.front.Unread(ctx); err == nil && unread.Messages > 0 { // a stopping daemon has a status, too
		s.Unread = &unread
	}
	return s
}
