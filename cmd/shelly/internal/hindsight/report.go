package hindsight

import (
	"errors"
	"net/http"

	"shelly/cmd/shelly/internal/requestreport"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/sim/history"
	"shelly/sim/history/export"
)

// reportBytes is the longest report that the page shows. A report has at most
// [export.RecordsMax] records.
const reportBytes = 32 << 20

// ReportBody is where a report can be seen, once and for a short time.
type ReportBody struct {
	Path string `json:"path"`
}

// postReport makes the same report of a request as request show --html, with secrets replaced
// (COM-77).
func (h *hindsight) postReport(w http.ResponseWriter, r *http.Request) error {
	return h.look(r, "report", func(j engine.Reader, past history.History) error {
		made, err := requestreport.Of(j, past, h.o.Redactor(), false)
		switch {
		case errors.Is(err, requestreport.ErrSecret):
			return &comm.Problem{Code: comm.CodeConflict, Message: "the report is not shown: " + err.Error(), Hint: "the steps on the page show what happened"}
		case errors.Is(err, export.ErrTooMany):
			return &comm.Problem{Code: comm.CodeTooLarge, Message: "the report is not made: " + err.Error(), Hint: "the steps on the page show what happened"}
		case err != nil:
			return err
		case len(made.HTML) > reportBytes:
			return &comm.Problem{Code: comm.CodeTooLarge, Message: "the report is too large for the page", Hint: "write it with: shelly request show --html FILE " + wording.ShellArgument(past.Request.Key.ID)}
		}
		return comm.JSON(w, http.StatusOK, ReportBody{h.o.Show(made.HTML)})
	})
}
