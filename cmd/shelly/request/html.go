package request

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/sim/history"
	"shelly/sim/history/export"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/redact"
	"shelly/sim/history/trace"
)

// htmlTextMax is how much of a text, in bytes, the file has.
const htmlTextMax = 16 << 10

// html writes the request as one file, in which no secret is left (CLI-163).
func (c *showCmd) html(t *terminal.Terminal, j engine.Reader, p comm.Past[history.Step]) error {
	of := history.History{Request: p.Request, Handles: p.Handles, Ended: p.Ended, Lost: p.Lost, Steps: p.Steps}
	return c.report(t, j, of, output.File{Name: c.HTML, Force: c.Force}, c.Secret, false)
}

// report writes what happened to a request; with verdict it says whether today's code
// decides the same.
func (r *journalled) report(t *terminal.Terminal, j engine.Reader, of history.History, file output.File, secrets []string, verdict bool) error {
	if err := file.Free(); err != nil {
		return err
	}
	by, err := r.redactor(secrets)
	if err != nil {
		return err
	}
	record, err := export.ReadOf(j, of)
	if err != nil {
		return exit.History(err)
	}
	id := of.Request.Key.ID
	if err := record.Redact(by, false); err != nil {
		return exit.Errorf(exit.Failed, "request %s is not written: %w", id, err)
	}
	d := requestDocument(record, of.Lost)
	if verdict {
		judged(d)
	}
	if err := file.Write(t, func(to io.Writer) error { return writeClean(to, d, by) }); err != nil {
		return err
	}
	fmt.Fprintf(t.Err, "%s: %s of request %s\n", file.Name, wording.Count(len(d.Cases[0].Steps), "step"), id)
	for _, n := range by.Counts() {
		fmt.Fprintf(t.Err, "replaced: %s, %s\n", n.Kind, wording.Count(n.Times, "time"))
	}
	return nil
}

// redactor knows the secrets of the configuration and the environment, and those given.
func (r *journalled) redactor(secrets []string) (*redact.Redactor, error) {
	cfg, err := r.Load()
	if err != nil {
		return nil, err
	}
	return (&written{secrets: secrets}).redactor(cfg)
}

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

// requestDocument is the report of a request whose secrets are replaced.
func requestDocument(r *export.Record, lost uint64) *htmlreport.Document {
	q := &r.Request
	c := htmlreport.Case{Name: "request " + q.Key.ID, Place: "channel " + q.Key.Channel + ", session " + q.Session, Start: q.Accepted}
	c.Note = "asked: " + q.Text
	if q.Done {
		c.Note += fmt.Sprintf("\n%s in %s: %s", q.Outcome, history.Span(q.Replied-q.Accepted), q.Reply)
	} else {
		c.Note += "\nnot finished"
	}
	if lost > 0 {
		c.Note += fmt.Sprintf("\nits first %s no longer kept; the rest follows", are(lost, "record"))
	}
	visits := trace.Sum{}
	for s := range r.Trace(trace.Options{TextMax: htmlTextMax}) {
		visits.Add(s)
		c.Steps = append(c.Steps, s)
	}
	c.Ran = len(c.Steps)
	if i := slices.IndexFunc(c.Steps, func(s trace.Step) bool { return s.Differs != nil }); i >= 0 {
		c.Pairs = append(c.Pairs, divergence(r, c.Steps[i]))
	}
	d := &htmlreport.Document{Title: "shelly request " + q.Key.ID, Cases: []htmlreport.Case{c}, Visits: visits, Of: "this request"}
	d.Summary = string(q.Outcome)
	if d.Summary == "" {
		d.Summary = "not finished"
	}
	return d
}

// divergence is the first step that today's code decides differently: beside what it does,
// what the record shows of what was done then, which are the hash of the effects and the
// inputs that followed.
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

// writeClean writes the report, unless a secret is still in it. What the file has
// compressed is looked at before.
func writeClean(w io.Writer, d *htmlreport.Document, by *redact.Redactor) error {
	plain, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := htmlreport.Write(&b, d); err != nil {
		return err
	}
	for _, text := range []string{string(plain), b.String()} {
		if kind, found := by.Known(text); found {
			return exit.Errorf(exit.Failed, "a secret is still there: %s", kind)
		}
	}
	_, err = b.WriteTo(w)
	return err
}
