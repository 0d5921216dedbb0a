package replay

import (
	"cmp"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/requestreport"
	"shelly/runtime/durable"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/redact"
	"shelly/sim/history/regression"
)

// html writes the report as a file with secrets replaced, if one is asked for (CLI-164).
func (c *Asking) html(r *regression.Report) error {
	if c.HTML == "" {
		return nil
	}
	by, err := c.Redactor()
	if err != nil {
		return err
	}
	html, err := rendered(r, by)
	if err != nil {
		return exit.Errorf(exit.Failed, "--html: %w", err)
	}
	if err := (durable.As{Folder: 0o700}).Text(c.HTML, html); err != nil {
		return exit.Errorf(exit.Disk, "--html: %w", err)
	}
	return nil
}

// rendered returns the report with secrets replaced. All of it is searched for credentials
// before anything is replaced: one may appear alone earlier in the text than the place that
// shows what it is.
func rendered(r *regression.Report, by *redact.Redactor) ([]byte, error) {
	_ = Document(r, func(text string) string { by.Learn(text); return text })
	return requestreport.Clean(Document(r, by.Replace), by)
}

// Document returns the report as an HTML file: both decisions of each question side by side,
// the differences first.
func Document(r *regression.Report, replace func(string) string) *htmlreport.Document {
	var summary strings.Builder
	totals(&summary, r)
	first, _, _ := strings.Cut(strings.TrimSpace(summary.String()), "\n")
	d := &htmlreport.Document{Title: "shelly request replay: " + r.Model.Name, Verdict: htmlreport.Passed, Summary: first}
	for _, c := range r.Cases {
		out := htmlreport.Case{Status: htmlreport.Passed, Note: classWords(c)}
		cells := row(c)
		out.Name = fmt.Sprintf("%s, step %s, %s", replace(cells[0]), cells[1], cells[2])
		out.Place = fmt.Sprintf("record %d, session %s", c.Record, replace(cmp.Or(c.Session, "–")))
		if c.Differs() {
			out.Status, d.Verdict = htmlreport.Differs, htmlreport.Differs
		}
		out.Pairs = []htmlreport.Pair{{
			Title: "What is decided",
			Left:  htmlreport.Side{Title: held(r), Text: replace(decided(c.Against))},
			Right: htmlreport.Side{Title: r.Model.Name, Text: replace(decided(shown(c).Decision))},
		}}
		d.Cases = append(d.Cases, out)
	}
	return d
}

// decided returns a decision in lines: the verdict, each call, the text.
func decided(d regression.Decision) string {
	lines := []string{verdict(d)}
	for _, call := range d.Calls {
		lines = append(lines, call.Name+" "+call.Args)
	}
	if d.Text != "" {
		lines = append(lines, d.Text)
	}
	return strings.Join(lines, "\n")
}
