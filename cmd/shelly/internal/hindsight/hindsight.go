// Package hindsight gives the daemon's listener the routes that look back: what happened to a
// request in words, what would have happened, and the machine's tables as graphs. Packages of
// runtime must not import those that look back.
//
//	GET  /v1/requests/{id}/trace    [TraceBody]: its steps as trace tells them; ?channel=, ?after= a step, &limit= at most that many (COM-74)
//	POST /v1/requests/{id}/fork     {at, edits: {key: value}}: 200 [ForkBody]: what would have happened; ?channel= (COM-75)
//	POST /v1/requests/{id}/report   no body: 200 [ReportBody]: the same as a report to look at, its secrets replaced; ?channel= (COM-77)
//	GET  /v1/runs                   [RunsBody]: work that is not a request, the latest first; ?before= a handle (next of the page before), &limit= at most that many, &session= and &state= of those (COM-85)
//	GET  /v1/runs/{run}/trace       as that of a request
//	POST /v1/runs/{run}/report      as that of a request
//	GET  /v1/graphs                 [GraphsBody]: the tables of states (COM-76)
package hindsight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/sim/history"
	"shelly/sim/history/redact"
)

// Options is what the routes need from a daemon.
type Options struct {
	Recorded func(ctx context.Context) (engine.Reader, error)
	Brain    daemon.Brain            // the brain that a fork asks
	About    func() string           // its name
	Redactor func() *redact.Redactor // a redactor for one report
	Show     func(report []byte) (path string)
	Log      *slog.Logger
}

// Bounds of the routes. A call beyond them does not wait: it is refused as busy.
const (
	tracesMax = 4
	forksMax  = 1 // at once: the daemon's own questions to the model wait for those of a fork
	traceTime = 30 * time.Second
	forkTime  = 5 * time.Minute
	bodyBytes = 1 << 20
)

type hindsight struct {
	o      Options
	traces chan struct{}
	forks  chan struct{}
}

// Routes returns the routes.
func Routes(o Options) []comm.Route {
	return newHindsight(o).routes()
}

func newHindsight(o Options) *hindsight {
	return &hindsight{o: o, traces: make(chan struct{}, tracesMax), forks: make(chan struct{}, forksMax)}
}

func (h *hindsight) routes() []comm.Route {
	return []comm.Route{
		{Method: http.MethodGet, Pattern: "/v1/requests/{id}/trace", Right: access.All, Page: true, Handle: comm.Taking(h.getTrace, "after", "limit", "channel", "client")},
		{Method: http.MethodPost, Pattern: "/v1/requests/{id}/fork", Right: access.All, Page: true, Handle: comm.Taking(h.postFork, "channel", "client")},
		{Method: http.MethodPost, Pattern: "/v1/requests/{id}/report", Right: access.All, Page: true, Handle: comm.Taking(h.postReport, "channel", "client")},
		{Method: http.MethodGet, Pattern: "/v1/runs", Right: access.All, Page: true, Handle: comm.Taking(h.getRuns, "before", "limit", "session", "state")},
		{Method: http.MethodGet, Pattern: "/v1/runs/{run}/trace", Right: access.All, Page: true, Handle: comm.Taking(h.getTrace, "after", "limit")},
		{Method: http.MethodPost, Pattern: "/v1/runs/{run}/report", Right: access.All, Page: true, Handle: comm.Taking(h.postReport)},
		{Method: http.MethodGet, Pattern: "/v1/graphs", Right: access.Ask, Page: true, Handle: comm.Taking(getGraphs)},
	}
}

// turn takes one of a bounded number of places.
func turn(places chan struct{}, what string) (release func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	default:
		return nil, &comm.Problem{Code: comm.CodeBusy, Message: what + " is being made already", Hint: "try again when that one is done"}
	}
}

// past finds the history of a request or a run; of reads that of a request.
func (h *hindsight) past(ctx context.Context, r *http.Request, of func(engine.Reader, fsm.RequestKey) (history.History, error)) (engine.Reader, history.History, error) {
	recorded, err := h.o.Recorded(ctx)
	if err != nil {
		return nil, history.History{}, err
	}
	j := comm.Ending(ctx, recorded)
	if run := r.PathValue("run"); run != "" {
		past, err := runPast(j, run)
		return j, past, err
	}
	key, err := comm.KeyOf(r)
	if err != nil {
		return nil, history.History{}, err
	}
	past, err := of(j, key)
	return j, past, err
}

// look bounds the time of making a trace or report, and finds its history.
func (h *hindsight) look(r *http.Request, what string, at func(j engine.Reader, past history.History) error) error {
	release, err := turn(h.traces, "a "+what)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(r.Context(), traceTime)
	defer cancel()
	j, past, err := h.past(ctx, r, history.Rest)
	if err == nil {
		err = at(j, past)
	}
	if err != nil {
		return h.worded(ctx, "the "+what, traceTime, err)
	}
	return nil
}

// worded words an error for the client.
func (h *hindsight) worded(ctx context.Context, what string, most time.Duration, err error) error {
	p := (*comm.Problem)(nil)
	switch {
	case errors.As(err, &p):
		return err
	case errors.Is(err, history.ErrNone):
		return &comm.Problem{Code: comm.CodeNotFound, Message: err.Error(), Hint: "name its channel with ?channel= and its client with ?client= if it came another way"}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &comm.Problem{Code: comm.CodeTooLarge, Message: fmt.Sprintf("%s took longer than %s, and was given up", what, most), Hint: "the verbs of shelly request take as long as it needs"}
	case errors.Is(err, engine.ErrTrimmed), ctx.Err() != nil:
		return err
	}
	h.o.Log.Error("could not make "+what, "error", err)
	return err
}
