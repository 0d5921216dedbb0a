package comm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm/idempotency"
)

// NewHTTP returns a listener for front, to be served with [HTTP.Serve].
func NewHTTP(front Front, o HTTPOptions) (*HTTP, error) {
	s, err := newSecret(o.Token)
	if err != nil {
		return nil, err
	}
	if o.RequestBytesMax < 1 {
		return nil, fmt.Errorf("the request limit is %d bytes and must be positive", o.RequestBytesMax)
	}
	o = o.withDefaults()
	h := &HTTP{
		front: Owned(front), o: o, secret: s, wrong: allowance{now: o.Now}, open: map[string]bool{}, keys: idempotency.Keys{Now: o.Now},
		streams: make(chan struct{}, o.StreamsMax), folds: make(chan struct{}, foldsMax), backup: make(chan struct{}, 1),
	}
	routes, err := h.routes()
	if err != nil {
		return nil, err
	}
	h.handler = h.guard(routes)
	return h, nil
}

// name identifies a route.
func (r Route) name() string { return r.Method + " " + r.Pattern }

// Routes returns the table of routes, including [HTTPOptions].Routes. COM-87 says what a client
// sees whose token does not give every right.
func (h *HTTP) Routes() []Route {
	get, post, page := http.MethodGet, http.MethodPost, true
	all := slices.Concat(
		[]Route{
			{post, "/v1/requests", access.Ask, page, Taking(h.postRequest, "stream", "wait", "after")},
			{get, "/v1/requests", access.Ask, page, Taking(h.getRequests, "before", "after", "limit", "state", "id", "prefix", "session", "client", "forgotten")},
			{get, "/v1/requests/{id}", access.Ask, page, Taking(h.getRequest, "channel", "client")},
			{get, "/v1/requests/{id}/events", access.Ask, page, Taking(h.getEvents, "after", "channel", "client")},
			{post, "/v1/requests/{id}/cancel", access.Ask, page, Taking(h.postCancel, "channel", "client")},
			{get, "/v1/requests/{id}/subagents", access.Ask, page, Taking(h.getSubagents, "channel", "client")},
			{post, "/v1/requests/{id}/subagents/{handle}/cancel", access.Ask, page, Taking(h.postCancelSubagent, "channel", "client")},
			{post, "/v1/requests/{id}/approve", access.Decide, page, Taking(h.postDecision(true), "channel", "client")},
			{post, "/v1/requests/{id}/deny", access.Decide, page, Taking(h.postDecision(false), "channel", "client")},
			{post, "/v1/requests/{id}/resolve", access.Decide, page, Taking(h.postResolution, "channel", "client")},
			{post, "/v1/handles/{handle}/approve", access.All, page, Taking(h.postDecision(true))},
			{post, "/v1/handles/{handle}/deny", access.All, page, Taking(h.postDecision(false))},
			{post, "/v1/handles/{handle}/resolve", access.All, page, Taking(h.postResolution)},
			{post, "/v1/handles/{handle}/cancel", access.All, page, Taking(h.postCancelHandle)},
			{post, "/v1/typing", access.Ask, page, Taking(h.postTyping)},
			{get, "/v1/schedules", access.All, page, Taking(h.getSchedules)},
			{post, "/v1/schedules", access.All, page, Taking(h.postSchedule)},
			{get, "/v1/approvals", access.All, page, Taking(h.getApprovals)},
			{post, "/v1/approvals/{id}/revoke", access.All, page, Taking(h.postRevoke)},
			{get, "/v1/messages", access.Ask, page, Taking(h.getMessages, "channel", "chat", "after", "limit", "unread")},
			{get, "/v1/messages/events", access.Ask, page, Taking(h.getMessageEvents, "channel", "chat", "after")},
			{post, "/v1/messages/read", access.All, page, Taking(h.postRead)},
			{get, "/v1/audit", access.All, page, Taking(h.getAudit, "session", "after", "limit")},
			{post, "/v1/events", access.Events, false, Taking(h.postEvent)},
			{get, "/v1/journal", access.All, false, Taking(h.getJournal, "from", "to")},
			{get, "/v1/journal/kept", access.All, false, Taking(h.getKept)},
			{get, "/v1/backup", access.All, false, Taking(h.getBackup)},
			{get, "/v1/status", access.All, page, Taking(h.getStatus)},
			{get, ProofRoute, access.Anyone, false, Taking(h.getProof, "challenge")},
			{get, healthRoute, access.Anyone, false, h.getHealth},
		},
		h.optional(), h.o.Routes,
	)
	for _, change := range []fsm.ScheduleChange{fsm.ScheduleRemove, fsm.SchedulePause, fsm.ScheduleResume, fsm.ScheduleRun} {
		all = append(all, Route{post, "/v1/schedules/{id}/" + string(change), access.All, page, Taking(h.postScheduleChange(change))})
	}
	return all
}

// optional returns the routes that not every listener has.
func (h *HTTP) optional() (all []Route) {
	get, post, page := http.MethodGet, http.MethodPost, true
	if h.o.Past != nil {
		all = append(all, Route{get, "/v1/requests/{id}/steps", access.All, page, Taking(h.getSteps, "after", "limit", "at", "channel", "client")})
	}
	if h.o.Memory != nil {
		all = append(all,
			Route{get, "/v1/memory", access.All, page, Taking(h.getMemory, "skip", "limit", "session", "kind", "since", "before")},
			Route{post, "/v1/memory", access.All, page, Taking(h.postMemory)},
			Route{get, "/v1/memory/search", access.All, page, Taking(h.getSearch, "text", "k", "mode", "session", "kind", "since", "before")},
			Route{get, "/v1/memory/entries/{id}", access.All, page, Taking(h.getEntry)},
			Route{post, "/v1/memory/forget", access.All, page, Taking(h.postForget)},
			Route{get, "/v1/memory/export", access.All, false, Taking(h.getExport, "vectors")})
	}
	if h.o.Sessions != nil {
		all = append(all,
			Route{get, "/v1/sessions", access.Ask, page, Taking(h.getSessions, "after")},
			Route{get, "/v1/sessions/{id}", access.Ask, page, Taking(h.getSession, "after", "limit")},
			Route{post, "/v1/sessions/{id}/forget", access.All, page, Taking(h.postForgetSession)})
	}
	if h.o.Clients != nil {
		all = append(all,
			Route{get, "/v1/tokens", access.All, false, Taking(h.getTokens)},
			Route{post, "/v1/tokens", access.All, false, Taking(h.postToken)},
			Route{post, "/v1/tokens/{name}/revoke", access.All, false, Taking(h.postTokenRevoke)})
	}
	if h.o.Page != nil {
		all = append(all, Route{post, TicketRoute, access.All, false, Taking(h.postTicket)})
	}
	if h.o.Metrics != nil {
		all = append(all, Route{get, "/metrics", access.All, false, h.getMetrics})
	}
	return all
}

// Taking is the handling of a route whose query can have these parameters (COM-97).
func Taking(do handling, parameters ...string) handling {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := Query(r, parameters...); err != nil {
			return err
		}
		return do(w, r)
	}
}

// routes returns the table's handler. A route that requires no right is a defect.
func (h *HTTP) routes() (http.Handler, error) {
	byPattern, byName := map[string]byMethod{}, map[string]Route{}
	for _, r := range h.Routes() {
		switch _, twice := byName[r.name()]; {
		case !r.Right.Known():
			return nil, fmt.Errorf("route %s asks for no right", r.name())
		case twice:
			return nil, fmt.Errorf("there are two routes %s", r.name())
		}
		byName[r.name()] = r
		if byPattern[r.Pattern] == nil {
			byPattern[r.Pattern] = byMethod{}
		}
		byPattern[r.Pattern][r.Method] = r.Handle
		if r.Right == access.Anyone {
			h.open[r.Pattern] = true
		}
	}
	mux := http.NewServeMux()
	h.mux = mux
	for pattern, methods := range byPattern { // order-free: the patterns differ
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			matched(r)
			methods.ServeHTTP(w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound().write(w) })
	return h.rights(mux, func(method, pattern string) (Route, bool) {
		route, known := byName[byPattern[pattern].served(method)+" "+pattern]
		return route, known
	}), nil
}

// slash stands in a path for a part that is one escaped slash, such as the id of the request "/":
// no wildcard of [http.ServeMux] matches that. It is the part "/\x00", which names nothing.
const slash = "%2F%00"

// matchable returns a request whose path has slash for each part that is one escaped slash.
func matchable(r *http.Request) *http.Request {
	if r.URL.RawPath == "" { // nothing is escaped that needs it
		return r
	}
	parts := strings.Split(r.URL.EscapedPath(), "/")
	found := false
	for i, part := range parts {
		if strings.EqualFold(part, "%2F") {
			parts[i], found = slash, true
		}
	}
	if !found {
		return r
	}
	r = r.WithContext(r.Context())
	u := *r.URL
	u.RawPath = strings.Join(parts, "/")
	u.Path, _ = url.PathUnescape(u.RawPath) // never fails: the path was read from one
	r.URL = &u
	return r
}

// matched undoes matchable in the values of the wildcards that a request has matched.
func matched(r *http.Request) {
	if r.URL.RawPath == "" {
		return
	}
	for part := range strings.SplitSeq(r.Pattern, "/") {
		if name := strings.Trim(part, "{}"); name != part && r.PathValue(name) == "/\x00" {
			r.SetPathValue(name, "/")
		}
	}
}

// rights refuses routes that a page or client may not use; find returns the one for a method.
func (h *HTTP) rights(mux *http.ServeMux, find func(method, pattern string) (Route, bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = matchable(r)
		_, pattern := mux.Handler(r)
		route, known := find(r.Method, pattern)
		if known && route.Right != access.Anyone && !slices.Contains(glances, pattern) {
			defer h.o.Counters.enter(h.connectionOf(r, pattern))()
		}
		switch caller := CallerOf(r.Context()); {
		case caller.paged && !route.Page:
			h.o.Counters.foreign.Add(1)
			(&Problem{CodeForbidden, "the page may not use this route", "use a verb of shelly"}).write(w)
		case known && !caller.May(route.Right):
			h.o.Counters.refused.Add(1)
			caller.Lacks(route.Right).write(w)
		case route.Once() && idempotency.Key(r.Header) != "":
			h.once(w, r, mux)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// glances are routes that only look at the daemon; their callers do not count as clients.
var glances = []string{"/v1/status", "/metrics"}

// onceRoutes are the routes where a repeated request with the same Idempotency-Key gets the
// first one's answer (COM-92). POST /v1/requests is not among them: there the key is the id.
var onceRoutes = []string{
	"POST /v1/schedules", "POST /v1/schedules/{id}/run", "POST /v1/events", "POST /v1/memory", "POST /v1/memory/forget",
}

// Once reports whether the route answers a repeated request with the first one's answer.
func (r Route) Once() bool { return slices.Contains(onceRoutes, r.name()) }

// once answers a request that has an Idempotency-Key.
func (h *HTTP) once(w http.ResponseWriter, r *http.Request, next http.Handler) {
	key := idempotency.Key(r.Header)
	err := checkName(idempotency.Header, key, 1, IDBytesMax)
	var body []byte
	if err == nil {
		body, err = Body(w, r, MemoryBytesMax)
	}
	if err == nil {
		// What has begun may happen although its client has gone. Its answer is kept for the client
		// that sends it again, so nothing may end the work before there is one.
		r = r.WithContext(context.WithoutCancel(r.Context()))
		r.Body = io.NopCloser(bytes.NewReader(body))
		err = h.keys.Serve(w, r, idempotency.Name{Caller: CallerOf(r.Context()).Name, Key: key}, body, next)
	}
	switch {
	case err == nil:
		return
	case errors.Is(err, idempotency.ErrOther):
		err = &Problem{CodeConflict, err.Error(), "use a new key for each request"}
	case errors.Is(err, idempotency.ErrRunning), errors.Is(err, idempotency.ErrFull):
		err = &Problem{CodeBusy, err.Error(), "try again in a moment"}
	}
	refuse(w, err)
}

// TicketRoute is the route that gives a ticket for the page.
const TicketRoute = "/v1/page/tickets"

// TicketBody is its answer.
type TicketBody struct {
	Ticket string `json:"ticket"`
	Path   string `json:"path"`    // of the page; the ticket goes after it, as #ticket=
	LifeMS int64  `json:"life_ms"` // how long it can be used, once
}

// postTicket gives a ticket for a page (COM-71).
func (h *HTTP) postTicket(w http.ResponseWriter, r *http.Request) error {
	ticket, path, life := h.o.Page.Ticket()
	return JSON(w, http.StatusOK, TicketBody{ticket, path, life.Milliseconds()})
}

// socketRoute is the route of the WebSocket, which has no dialect.
const socketRoute = "/v1/ws"

// connectionOf returns the front and client of a request for a route.
func (h *HTTP) connectionOf(r *http.Request, pattern string) connection {
	caller := CallerOf(r.Context())
	of := connection{"http", caller.Name}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && at.Network() == "unix" {
		of.front = "unix"
	}
	if front, _, ours := h.dialect(r.URL.Path); ours {
		of.front = front
	}
	if pattern == socketRoute {
		of.front = "websocket"
	}
	if caller.paged {
		of.front = "page"
	}
	return of
}
