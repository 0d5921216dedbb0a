package hindsight

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/past"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// Bounds of one answer. Its first run may be longer.
const (
	runsMax   = 256
	runsBytes = 4 << 20
)

// RunsBody is one page of the runs, the latest first.
type RunsBody struct {
	Runs []comm.Record `json:"runs"`
	Next fsm.HandleID  `json:"next,omitempty"` // the before of the next page; 0: there is none
}

// getRuns lists the work that is not a request (COM-85).
func (h *hindsight) getRuns(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	before, err := comm.Number(q.Get("before"), "before", 0)
	if err != nil {
		return err
	}
	limit, err := comm.Limit(q, "limit", runsMax, runsMax)
	if err != nil {
		return err
	}
	wanted := past.Runs{Session: q.Get("session"), State: q.Get("state"), Before: fsm.HandleID(before), Limit: limit}
	if wanted.State != "" && !slices.Contains(comm.States, wanted.State) {
		return &comm.Problem{Code: comm.CodeBadRequest, Message: "query parameter state is not a state", Hint: "the states are " + strings.Join(comm.States, ", ")}
	}
	release, err := turn(h.traces, "a list")
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(r.Context(), traceTime)
	defer cancel()
	recorded, err := h.o.Recorded(ctx)
	if err != nil {
		return err
	}
	var body RunsBody
	if body.Runs, body.Next, err = wanted.List(comm.Ending(ctx, recorded)); err != nil {
		return h.worded(ctx, "the list", traceTime, err)
	}
	if err := body.cut(); err != nil {
		return err
	}
	return comm.JSON(w, http.StatusOK, body)
}

// cut drops runs that would make the answer too long.
func (b *RunsBody) cut() error {
	size := 0
	for i, one := range b.Runs {
		text, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if size += len(text); i > 0 && size > runsBytes {
			b.Runs, b.Next = b.Runs[:i], b.Runs[i-1].Handle
			return nil
		}
	}
	return nil
}

// runPast returns what happened to a run.
func runPast(j engine.Reader, name string) (history.History, error) {
	id, ok := past.RunID(name)
	if !ok {
		return history.History{}, &comm.Problem{Code: comm.CodeBadRequest, Message: "that is not the id of a run", Hint: "it is that of its handle, such as h12"}
	}
	run, err := past.RunOf(j, id)
	if errors.Is(err, history.ErrNone) {
		return history.History{}, &comm.Problem{Code: comm.CodeNotFound, Message: "there is no run " + id.Entry(), Hint: "GET /v1/runs lists those that the journal has"}
	}
	if err != nil {
		return history.History{}, err
	}
	return history.OfRun(j, run)
}
