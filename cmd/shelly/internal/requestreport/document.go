package requestreport

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/sim/history"
	"shelly/sim/history/export"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/trace"
)

// textMax is how many bytes of a text the file shows.
const textMax = 16 << 10

// judged adds to a report whether today's code decides each step as recorded.
func judged(d *htmlreport.Document) {
	c, differ := &d.Cases[0], 0
	for _, s := range c.Steps {
		if s.Differs != nil {
			differ++
		}
	}
	d.Verdict, c.Status = htmlreport.Passed, htmlreport.Passed
	d.Summary = fmt.Sprintf("today's code decides each of %s as recorded", wording.Count(len(c.Steps), "step"))
	if differ > 0 {
		d.Verdict, c.Status = htmlreport.Failed, htmlreport.Differs
		d.Summary = fmt.Sprintf("today's code decides %d of %s differently", differ, wording.Count(len(c.Steps), "step"))
	}
}

// document makes the report of a request or run whose secrets have been replaced.
func document(r *export.Record, lost uint64) *htmlreport.Document {
	q := &r.Request
	session, _ := fsm.Belongs(q.Session, q.Origin) // a request may name none
	c := htmlreport.Case{Name: r.Name(), Place: "channel " + q.Key.Channel + ", session " + session, Start: q.Accepted, Note: "asked: " + q.Text}
	of := "this request"
	if r.Run {
		c.Place, c.Note, of = q.Key.Channel+", session "+q.Session, q.Text, "this run"
	}
	if q.Done {
		c.Note += fmt.Sprintf("\n%s in %s: %s", ended(q), history.Span(q.Replied-q.Accepted), q.Reply)
	} else {
		c.Note += "\nnot finished"
	}
	if lost > 0 {
		c.Note += "\n" + Lost(lost)
	}
	visits := trace.Sum{}
	for s := range r.Trace(trace.Options{TextMax: textMax}) {
		visits.Add(s)
		c.Steps = append(c.Steps, s)
	}
	c.Ran = len(c.Steps)
	if i := slices.IndexFunc(c.Steps, func(s trace.Step) bool { return s.Differs != nil }); i >= 0 {
		c.Pairs = append(c.Pairs, divergence(r, c.Steps[i]))
	}
	d := &htmlreport.Document{Title: "shelly " + r.Name(), Cases: []htmlreport.Case{c}, Visits: visits, Of: of}
	d.Summary = ended(q)
	return d
}

// ended describes how a request ended. A run has no outcome.
func ended(q *engine.Request) string {
	switch {
	case !q.Done:
		return "not finished"
	case q.Outcome != "":
		return string(q.Outcome)
	case q.IsError:
		return "failed"
	default:
		return "done"
	}
}

// divergence shows the first step that today's code decides differently, side by side: what
// today's code does, and what the record has, which is the hash of the effects and the inputs
// that followed.
func divergence(r *export.Record, s trace.Step) htmlreport.Pair {
	p := htmlreport.Pair{Title: "The first step that today's code decides differently", Step: s.N}
	p.Left = htmlreport.Side{Title: "recorded", Text: "effects " + s.Differs.Recorded + "\nwhat came next:"}
	p.Right = htmlreport.Side{Title: "today", Text: "effects " + s.Differs.Today + "\nwhat it does:"}
	for _, e := range s.Effects {
		p.Right.Text += "\n" + e.Words
	}
	n := 0
	for _, later := range r.Steps {
		if later.Index > s.Index && later.N > 0 && n < 5 {
			p.Left.Text += fmt.Sprintf("\nrecord %d: %s", later.Index, fsm.InputKind(later.Input))
			n++
		}
	}
	return p
}

// Lost says how many records there were before those that are shown.
func Lost(n uint64) string {
	if n == 1 {
		return "its first record is no longer kept; the rest follows"
	}
	return fmt.Sprintf("its first %d records are no longer kept; the rest follows", n)
}
