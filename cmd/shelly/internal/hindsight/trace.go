package hindsight

import (
	"encoding/json"
	"net/http"

	"shelly/sim/history"
	"shelly/sim/history/fork"
	"shelly/sim/history/trace"
)

// Bounds of one answer; the first step of it may be longer.
const (
	stepsMax     = 500
	stepsBytes   = 4 << 20
	traceTextMax = 16 << 10
	traceWords   = 400
)

// TraceBody is what happened to a request, step by step.
type TraceBody struct {
	Version int    `json:"version"` // of the steps
	Steps   []Step `json:"steps"`
	More    bool   `json:"more,omitempty"` // there are steps after these
}

// Step is a step, and what of its input a fork can change (COM-75).
type Step struct {
	trace.Step
	Edits []string `json:"edits,omitempty"`
}

// getTrace tells the steps of a request or run (COM-74, COM-85). Of a run nothing can be changed.
func (h *hindsight) getTrace(w http.ResponseWriter, r *http.Request) error {
	after, err := number(r, "after", 0)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", stepsMax)
	if err != nil {
		return err
	}
	release, err := turn(h.traces, "a trace")
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := timed(w, r, traceTime)
	defer cancel()
	j, past, err := h.past(ctx, r, history.Rest)
	if err != nil {
		return h.worded(ctx, "the trace", traceTime, err)
	}
	edits := map[int][]string{} // only looked up
	for _, s := range past.Steps {
		if s.About && r.PathValue("run") == "" {
			edits[s.N] = fork.EditKeys(s.Input)
		}
	}
	body, size := TraceBody{Version: trace.Version, Steps: []Step{}}, 0
	for s, err := range trace.OfRequest(j, past, trace.Options{TextMax: traceTextMax, WordsMax: traceWords}) {
		if err != nil {
			return h.worded(ctx, "the trace", traceTime, err)
		}
		if s.N <= after {
			continue
		}
		told := Step{s, edits[s.N]}
		text, err := json.Marshal(told)
		if err != nil {
			return err
		}
		if size += len(text); len(body.Steps) >= min(limit, stepsMax) || len(body.Steps) > 0 && size > stepsBytes {
			body.More = true
			break
		}
		body.Steps = append(body.Steps, told)
	}
	return answer(w, body)
}
