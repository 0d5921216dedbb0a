package requestreport

import (
	"errors"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/history/export"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/redact"
	"shelly/sim/history/trace"
	"shelly/sim/scenario"
)

// recorded returns the journal of a request, in which one step was decided differently from
// today, and the request's history.
func recorded(t *testing.T) (engine.Reader, history.History) {
	t.Helper()
	f, err := scenario.Parse("a.scenario.yaml", []byte("scenario: 1\nname: x\nprofile: shelly\nbrain: [{says: 'the key is hunter2-hunter2'}]\ntimeline: [{user: Hi, id: r}]\nexpect: {ends: serving}\n"))
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	j := engine.NewMemoryJournal()
	b := engine.Batch{Requests: out.Result.Requests}
	for i, s := range out.Result.Steps {
		hash := fsm.HashEffects(s.Effects)
		if fsm.InputKind(s.Input) == "brain_answered" && i == 2 {
			hash++
		}
		b.Records = append(b.Records, engine.Record{Index: uint64(i + 1), Input: s.Input, Effects: hash})
	}
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	h, err := history.Of(j, out.Result.Requests[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	return j, h
}

// SIM-35, CLI-164: the first divergence is shown once, today's side beside the recorded one, with
// the secrets of both replaced.
func TestSIM35TheFirstDivergenceIsShownSideBySide(t *testing.T) {
	j, h := recorded(t)
	record, err := export.ReadOf(j, h)
	if err != nil {
		t.Fatal(err)
	}
	by := redact.New(redact.Secret{Kind: "a key", Text: "hunter2-hunter2"})
	if err := record.Redact(by, false); err != nil {
		t.Fatal(err)
	}
	d := document(record, 0)
	judged(d)
	c := d.Cases[0]
	if c.Place != "channel , session cli:direct" {
		t.Errorf("the request, which names no session (SES-1), is of %q", c.Place)
	}
	if d.Summary != "today's code decides 1 of 5 steps differently" || c.Status != "differs" || len(c.Pairs) != 1 {
		t.Fatalf("%s, %s, %d pairs", d.Summary, c.Status, len(c.Pairs))
	}
	p := c.Pairs[0]
	if p.Step != 2 || !strings.Contains(p.Left.Text, "record 4: brain_answered") || !strings.Contains(p.Right.Text, "asks the model (summary)") {
		t.Errorf("got %+v; want Step 2, Left.Text with %q, Right.Text with %q", p, "record 4: brain_answered", "asks the model (summary)")
	}
	if c.Steps[1].Differs == nil || c.Steps[1].Differs.Recorded == c.Steps[1].Differs.Today {
		t.Errorf("step 2: %+v", c.Steps[1].Differs)
	}
	if html, err := Clean(d, by); err != nil || strings.Contains(string(html), "hunter2") {
		t.Errorf("%v; the secret is in it: %v", err, strings.Contains(string(html), "hunter2"))
	}
}

// CLI-163: a file in which a secret is left is not written.
func TestCLI163ASecretThatIsLeftIsAnError(t *testing.T) {
	j, h := recorded(t)
	record, err := export.ReadOf(j, h)
	if err != nil {
		t.Fatal(err)
	}
	d := document(record, 0)
	by := redact.New(redact.Secret{Kind: "a key", Text: "hunter2-hunter2"})
	if html, err := Clean(d, by); !errors.Is(err, ErrSecret) || len(html) > 0 {
		t.Errorf("%v, %d bytes", err, len(html))
	}
	// The details of many steps are compressed in the file.
	d = &htmlreport.Document{Cases: []htmlreport.Case{{Steps: make([]trace.Step, 401)}}}
	d.Cases[0].Steps[400].Changes = []trace.Change{{Path: "answer", After: "hunter2-hunter2"}}
	if html, err := Clean(d, by); !errors.Is(err, ErrSecret) || len(html) > 0 {
		t.Errorf("compressed: %v, %d bytes", err, len(html))
	}
	// The template's own text is not part of the record, so it is not redacted.
	if made, err := Of(j, h, redact.New(redact.Secret{Kind: "a key", Text: "<!doctype html>"}), false); !errors.Is(err, ErrSecret) || len(made.HTML) > 0 {
		t.Errorf("report of the request: %v, %d bytes", err, len(made.HTML))
	}
	if made, err := Of(j, h, by, false); err != nil || made.Steps == 0 || strings.Contains(string(made.HTML), "hunter2") {
		t.Errorf("report of the request: %v, %d steps", err, made.Steps)
	}
}
