package hindsight

import (
	"encoding/json"
	"net/http"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/sim/history"
	"shelly/sim/history/fork"
	"shelly/sim/history/trace"
)

// Bounds of one answer. Its first step may be longer.
const (
	stepsMax     = 500
	stepsBytes   = 4 << 20
	traceTextMax = 16 << 10
	traceWords   = 400
)

// TraceBody is what happened to a request, step by step.
type TraceBody struct {
	Version int    `json:"version"` // of the format of the steps
	Steps   []Step `json:"steps"`
	More    bool   `json:"more,omitempty"` // there are steps after these
}

// Step is a step, and the keys of its input that a fork can change (COM-75).
type Step struct {
	trace.Step
	Edits []string `json:"edits,omitempty"`
}

// getTrace answers with the steps of a request or run (COM-74, COM-85). The steps of a run
// cannot be changed.
func (h *hindsight) getTrace(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	after, err := comm.Number(q.Get("after"), "after", 0)
	if err != nil {
		return err
	}
	limit, err := comm.Limit(q, "limit", stepsMax, stepsMax)
	if err != nil {
		return err
	}
	return h.look(r, "trace", func(j engine.Reader, past history.History) error {
		body, err := traced(j, past, after, limit, r.PathValue("run") == "")
		if err != nil {
			return err
		}
		return comm.JSON(w, http.StatusOK, body)
	})
}

// traced returns the steps of a history after a given one. If forks is set, each has the keys
// that a fork can change.
func traced(j engine.Reader, past history.History, after uint64, limit int, forks bool) (TraceBody, error) {
	edits := map[int][]string{} // never ranged over
	for _, s := range past.Steps {
		if s.About && forks {
			edits[s.N] = fork.EditKeys(s.Input)
		}
	}
	body, size := TraceBody{Version: trace.Version, Steps: []Step{}}, 0
	for s, err := range trace.OfRequest(j, past, trace.Options{TextMax: traceTextMax, WordsMax: traceWords}) {
		if err != nil {
			return body, err
		}
		if uint64(s.N) <= after {
			continue
		}
		told := Step{s, edits[s.N]}
		text, err := json.Marshal(told)
		if err != nil {
			return body, err
		}
		if size += len(text); len(body.Steps) >= limit || len(body.Steps) > 0 && size > stepsBytes {
			body.More = true
			break
		}
		body.Steps = append(body.Steps, told)
	}
	return body, nil
}
