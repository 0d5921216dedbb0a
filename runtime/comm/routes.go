package comm

import (
	"fmt"
	"net/http"
	"slices"

	"shelly/fsm"
)

// NewHTTP returns a listener for front, to be served with [HTTP.Serve].
func NewHTTP(front Front, o HTTPOptions) (*HTTP, error) {
	s, err := newSecret(o.Token)
	if err != nil {
		return nil, err
	}
	if o.RequestBytesMax < 1 {
		return nil, fmt.Errorf("the request limit is %d bytes and wants to be positive", o.RequestBytesMax)
	}
	o = o.withDefaults()
	h := &HTTP{front: front, o: o, secret: s, wrong: allowance{now: o.Now}, streams: make(chan struct{}, o.StreamsMax), folds: make(chan struct{}, foldsMax), backup: make(chan struct{}, 1)}
	h.handler = h.guard(h.routes())
	return h, nil
}

func (h *HTTP) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/requests", byMethod{http.MethodPost: h.postRequest, http.MethodGet: h.getRequests})
	mux.Handle("/v1/requests/{id}", only(http.MethodGet, h.getRequest))
	mux.Handle("/v1/requests/{id}/events", only(http.MethodGet, h.getEvents))
	mux.Handle("/v1/requests/{id}/cancel", only(http.MethodPost, h.postCancel))
	for _, of := range []string{"/v1/requests/{id}", "/v1/handles/{handle}"} {
		mux.Handle(of+"/approve", only(http.MethodPost, h.postDecision(true)))
		mux.Handle(of+"/deny", only(http.MethodPost, h.postDecision(false)))
		mux.Handle(of+"/resolve", only(http.MethodPost, h.postResolution))
	}
	mux.Handle("/v1/handles/{handle}/cancel", only(http.MethodPost, h.postCancelHandle))
	mux.Handle("/v1/schedules", byMethod{http.MethodGet: h.getSchedules, http.MethodPost: h.postSchedule})
	for _, change := range []fsm.ScheduleChange{fsm.ScheduleRemove, fsm.SchedulePause, fsm.ScheduleResume, fsm.ScheduleRun} {
		mux.Handle("/v1/schedules/{id}/"+string(change), only(http.MethodPost, h.postScheduleChange(change)))
	}
	mux.Handle("/v1/approvals", only(http.MethodGet, h.getApprovals))
	mux.Handle("/v1/approvals/{id}/revoke", only(http.MethodPost, h.postRevoke))
	mux.Handle("/v1/messages", only(http.MethodGet, h.getMessages))
	mux.Handle("/v1/messages/events", only(http.MethodGet, h.getMessageEvents))
	mux.Handle("/v1/messages/read", only(http.MethodPost, h.postRead))
	mux.Handle("/v1/audit", only(http.MethodGet, h.getAudit))
	mux.Handle("/v1/events", only(http.MethodPost, h.postEvent))
	mux.Handle("/v1/journal", only(http.MethodGet, h.getJournal))
	mux.Handle("/v1/journal/kept", only(http.MethodGet, h.getKept))
	mux.Handle("/v1/backup", only(http.MethodGet, h.getBackup))
	if h.o.Past != nil {
		mux.Handle("/v1/requests/{id}/steps", only(http.MethodGet, h.getSteps))
	}
	if h.o.Memory != nil {
		mux.Handle("/v1/memory", byMethod{http.MethodGet: h.getMemory, http.MethodPost: h.postMemory})
		mux.Handle("/v1/memory/search", only(http.MethodGet, h.getSearch))
		mux.Handle("/v1/memory/entries/{id}", only(http.MethodGet, h.getEntry))
		mux.Handle("/v1/memory/forget", only(http.MethodPost, h.postForget))
		mux.Handle("/v1/memory/export", only(http.MethodGet, h.getExport))
	}
	if h.o.Sessions != nil {
		mux.Handle("/v1/sessions", only(http.MethodGet, h.getSessions))
		mux.Handle("/v1/sessions/{id}", only(http.MethodGet, h.getSession))
	}
	for pattern, methods := range h.made() { // order-free: each is another route
		mux.Handle(pattern, methods)
	}
	if h.o.Page != nil {
		mux.Handle(TicketRoute, only(http.MethodPost, h.postTicket))
	}
	mux.Handle("/v1/status", only(http.MethodGet, h.getStatus))
	if h.o.Metrics != nil {
		mux.Handle("/metrics", only(http.MethodGet, h.getMetrics))
	}
	mux.Handle(ProofRoute, only(http.MethodGet, h.getProof))
	mux.Handle(healthRoute, only(http.MethodGet, h.getHealth))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound().write(w) })
	return h.pageBounds(mux)
}

// made are the routes of the options by their patterns.
func (h *HTTP) made() map[string]byMethod {
	all := map[string]byMethod{}
	for _, r := range h.o.Routes {
		if all[r.Pattern] == nil {
			all[r.Pattern] = byMethod{}
		}
		all[r.Pattern][r.Method] = r.Handle
	}
	return all
}

// pageRoutes are those that a page may use, by method and pattern (COM-72). What takes the
// journal or the whole memory away, a page does not need.
var pageRoutes = []string{
	"POST /v1/requests", "GET /v1/requests", "GET /v1/requests/{id}", "GET /v1/requests/{id}/events", "GET /v1/requests/{id}/steps",
	"POST /v1/requests/{id}/cancel", "POST /v1/requests/{id}/approve", "POST /v1/requests/{id}/deny", "POST /v1/requests/{id}/resolve",
	"POST /v1/handles/{handle}/approve", "POST /v1/handles/{handle}/deny", "POST /v1/handles/{handle}/resolve", "POST /v1/handles/{handle}/cancel",
	"GET /v1/schedules", "POST /v1/schedules",
	"POST /v1/schedules/{id}/remove", "POST /v1/schedules/{id}/pause", "POST /v1/schedules/{id}/resume", "POST /v1/schedules/{id}/run",
	"GET /v1/approvals", "POST /v1/approvals/{id}/revoke",
	"GET /v1/messages", "GET /v1/messages/events", "POST /v1/messages/read", "GET /v1/audit",
	"GET /v1/memory", "POST /v1/memory", "GET /v1/memory/search", "GET /v1/memory/entries/{id}", "POST /v1/memory/forget",
	"GET /v1/sessions", "GET /v1/sessions/{id}", "GET /v1/status",
}

// pageBounds refuses a page what is not named for it.
func (h *HTTP) pageBounds(mux *http.ServeMux) http.Handler {
	may := slices.Clone(pageRoutes)
	for _, r := range h.o.Routes {
		if r.Page {
			may = append(may, r.Method+" "+r.Pattern)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if r.Context().Value(pagedKey{}) != nil && !slices.Contains(may, r.Method+" "+pattern) {
			h.o.Counters.foreign.Add(1)
			(&Problem{CodeForbidden, "the page may not use this route", "use a verb of shelly"}).write(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// TicketRoute is where a ticket for a page comes from.
const TicketRoute = "/v1/page/tickets"

// TicketBody is its answer.
type TicketBody struct {
	Ticket string `json:"ticket"`
	Path   string `json:"path"`    // of the page; the ticket goes after it, as #ticket=
	LifeMS int64  `json:"life_ms"` // in which it is good, once
}

// postTicket gives a ticket for a page (COM-71).
func (h *HTTP) postTicket(w http.ResponseWriter, r *http.Request) error {
	if err := h.query(r); err != nil {
		return err
	}
	ticket, path, life := h.o.Page.Ticket()
	writeJSON(w, http.StatusOK, TicketBody{ticket, path, life.Milliseconds()})
	return nil
}
