package comm

import (
	"fmt"
	"net/http"

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
	mux.Handle("/v1/status", only(http.MethodGet, h.getStatus))
	mux.Handle(ProofRoute, only(http.MethodGet, h.getProof))
	mux.Handle(healthRoute, only(http.MethodGet, h.getHealth))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound().write(w) })
	return mux
}
