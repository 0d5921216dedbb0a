package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/history/htmlreport"
	"shelly/sim/report"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// Write writes the HTML file of a run (CLI-162).
func (r *Recorder) Write(w io.Writer, run *report.Run) error {
	plain := *run
	plain.Took = 0 // equal runs give equal files
	n := run.Count()
	d := &htmlreport.Document{Title: "shelly test", Verdict: htmlreport.Passed, Summary: report.Summary(&plain), Visits: r.visits, Of: wording.Count(len(run.Cases), "case")}
	if n.Failed+n.Errors+n.Differ > 0 {
		d.Verdict = htmlreport.Failed
	}
	if len(run.Cases) == 1 {
		d.Title = "shelly test: " + run.Cases[0].Title()
	}
	room := AllStepsMax
	for i := range run.Cases {
		c := r.caseOf(&run.Cases[i], room)
		room -= len(c.Steps)
		d.Cases = append(d.Cases, c)
	}
	return htmlreport.Write(w, d)
}

// caseOf returns what the file shows of a case, its steps if there is room for them.
func (r *Recorder) caseOf(c *report.Case, room int) htmlreport.Case {
	var out htmlreport.Case
	if kept := r.cases[keyOf(&c.Outcome)]; kept != nil {
		out = kept.shown
	}
	if len(out.Steps) > room {
		out.Steps, out.Left = nil, fmt.Sprintf("The steps are left out: the file has at most %d steps of all cases.", AllStepsMax)
	}
	last := 0 // the last step that is shown: there is no link to a later one
	if n := len(out.Steps); n > 0 {
		last = out.Steps[n-1].N
	}
	out.Name, out.Place, out.Status = c.Title(), c.File, string(c.Status())
	if c.Line > 0 {
		out.Place = fmt.Sprintf("%s:%d", c.File, c.Line)
	}
	out.Tags, out.Covers, out.Note = c.Tags, c.Covers, note(c)
	out.Ran = cmp.Or(out.Ran, c.Steps)
	if c.Status().Fails() {
		out.Again = c.Again()
	}
	for i := range c.Failures {
		f := &c.Failures[i]
		out.Failures = append(out.Failures, failure(f))
		if f.Step > last {
			out.Failures[i].Step = 0
		}
		if f.Again != "" {
			out.Again = f.Again
		}
		if f.Diff != "" && len(out.Steps) > 0 {
			out.Failures[i].Diff = f.Diff
		}
	}
	for _, m := range c.Met {
		met := htmlreport.Met{Path: m.Path, Place: m.Pos.Of(c.File)}
		for _, n := range m.Steps {
			if n <= last {
				met.Steps = append(met.Steps, n)
			}
		}
		out.Met = append(out.Met, met)
	}
	return out
}

func failure(f *judge.Failure) htmlreport.Failure {
	return htmlreport.Failure{
		Place: f.Pos.Of(f.File), Path: f.Path, Text: f.Text, Want: f.Want, Got: f.Got, Hint: f.Hint, Diff: f.Diff, Frame: f.Frame,
		Trace: f.Trace, Again: f.Again, Step: f.Step,
	}
}

// note returns what else the file says about a case, one thing on a line.
func note(c *report.Case) string {
	var lines []string
	var load *strict.Error
	switch {
	case errors.As(c.Err, &load):
		lines = append(lines, load.Detail())
	case c.Err != nil:
		lines = append(lines, c.Err.Error())
	}
	if c.Skipped != "" {
		lines = append(lines, "skipped: "+c.Skipped)
	}
	if c.Differs {
		lines = append(lines, "two runs gave two traces")
	}
	if c.Points > 0 {
		lines = append(lines, fmt.Sprintf("crashed at each of %s; outcome not compared: %d unknown, %d met by another input", wording.Count(c.Points, "point"), c.Unknown, c.Raced))
	}
	if c.Live != nil {
		lines = append(lines, c.Live.String())
	}
	if p := c.Property; p != nil {
		lines = append(lines, fmt.Sprintf("%d of %s made, %s", p.Runs, wording.Count(p.Seeds, "case"), wording.Count(p.Regressions, "regression")))
		for _, reached := range p.Cover {
			lines = append(lines, fmt.Sprintf("%s in %d, expected in %s", reached.Name, reached.Runs, reached.AtLeast))
		}
		if p.Wrote != "" {
			lines = append(lines, "the case that failed: "+p.Wrote)
		}
	}
	return strings.Join(lines, "\n")
}
