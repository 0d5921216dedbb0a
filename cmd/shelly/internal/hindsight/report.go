package hindsight

import (
	"bytes"
	"fmt"
	"net/http"

	"shelly/runtime/comm"
	"shelly/sim/history"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/trace"
)

// Bounds of a report. What is beyond is said in it.
const (
	reportSteps = 10000
	reportBytes = 32 << 20 // of the file
)

// ReportBody is where a report can be looked at, once and soon.
type ReportBody struct {
	Path string `json:"path"`
}

// postReport makes the report of a request, the one that request show --html writes (COM-77).
func (h *hindsight) postReport(w http.ResponseWriter, r *http.Request) error {
	release, err := turn(h.traces, "a report")
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := timed(w, r, traceTime)
	defer cancel()
	j, past, err := h.past(ctx, r, history.Rest)
	if err != nil {
		return h.worded(ctx, "the report", traceTime, err)
	}
	q := past.Request
	c := htmlreport.Case{Name: "request " + q.Key.ID, Place: "channel " + q.Key.Channel, Start: q.Accepted, Note: "asked: " + q.Text}
	if q.Done {
		c.Note += fmt.Sprintf("\n%s in %s: %s", q.Outcome, history.Span(q.Replied-q.Accepted), q.Reply)
	}
	visits := trace.Sum{}
	for s, err := range trace.OfRequest(j, past, trace.Options{TextMax: traceTextMax}) {
		if err != nil {
			return h.worded(ctx, "the report", traceTime, err)
		}
		if c.Ran++; c.Ran > reportSteps {
			c.Left = fmt.Sprintf("the first %d steps are here; shelly request show --html has all", reportSteps)
			break
		}
		visits.Add(s)
		c.Steps = append(c.Steps, s)
	}
	var file bytes.Buffer
	d := &htmlreport.Document{Title: "shelly request " + q.Key.ID, Summary: string(q.Outcome), Cases: []htmlreport.Case{c}, Visits: visits, Of: "this request"}
	if err := htmlreport.Write(&file, d); err != nil {
		return h.worded(ctx, "the report", traceTime, err)
	}
	if file.Len() > reportBytes {
		return &comm.Problem{Code: comm.CodeTooLarge, Message: "the report is too large for the page", Hint: "write it with: shelly request show --html FILE " + q.Key.ID}
	}
	return answer(w, ReportBody{h.o.Show(file.Bytes())})
}
