package runs

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/history/casetrace"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/trace"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// The HTML file is bounded. A case that passes has its steps only in a run of few cases.
const (
	PassedCasesMax = 20     // cases of a run in which those that pass have steps too
	PassedStepsMax = 2_000  // steps of a case that passes
	StepsMax       = 10_000 // steps of one case
	AllStepsMax    = 20_000 // steps of the file; a case for which there is no room has none

	textMax = 2 << 10 // bytes of a text in the file
)

// Recorder records the runs of cases, which run concurrently. A nil Recorder records nothing.
type Recorder struct {
	Text  bool // for Print
	HTML  bool // for Document
	Cases int  // of the whole run

	mu     sync.Mutex
	cases  map[key]*recorded
	visits trace.Sum
}

// key identifies a case of a run.
type key struct {
	file string
	line int
	name string
}

// recorded is the latest run of a case.
type recorded struct {
	text  string
	shown htmlreport.Case // its steps, seeds and pairs
}

func keyOf(out *scenario.Outcome) key { return key{out.File, out.Line, out.Name} }

// Take records the run of a case in place of an earlier one.
func (r *Recorder) Take(f *scenario.File, out *scenario.Outcome) {
	if r == nil || out.Result == nil {
		return
	}
	var kept recorded
	if r.Text {
		kept.text = text(f, out)
	}
	if r.HTML {
		r.visit(out)
		kept.shown = r.shown(f, out)
	}
	r.keep(keyOf(out), &kept)
}

func (r *Recorder) keep(k key, kept *recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cases == nil {
		r.cases = map[key]*recorded{}
	}
	r.cases[k] = kept
}

// text returns the trace of a run as text.
func text(f *scenario.File, out *scenario.Outcome) string {
	var b strings.Builder
	w := trace.Writer{To: &b, Start: casetrace.Start(f)}
	for s := range casetrace.Of(f, out, trace.Options{}) {
		_ = w.Write(s) // writes to memory
	}
	return b.String()
}

// visit counts the transitions of a run.
func (r *Recorder) visit(out *scenario.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.visits == nil {
		r.visits = trace.Sum{}
	}
	for _, s := range out.Result.Steps {
		for _, m := range s.Moves {
			r.visits[trace.Key(m.Table, m.From, string(m.On))]++
		}
	}
}

// shown returns what the file shows of a run.
func (r *Recorder) shown(f *scenario.File, out *scenario.Outcome) htmlreport.Case {
	c := htmlreport.Case{Start: casetrace.Start(f), Ran: len(out.Result.Steps)}
	most := StepsMax
	if out.OK() {
		most = PassedStepsMax
		if r.Cases > PassedCasesMax {
			c.Left = fmt.Sprintf("The steps are left out: in a run of more than %d cases only those that fail have steps. Run this case alone with --html, or with --trace.", PassedCasesMax)
			return c
		}
	}
	for s := range casetrace.Of(f, out, trace.Options{TextMax: textMax}) {
		if len(c.Steps) == most {
			c.Left = fmt.Sprintf("The first %d steps are here, the other %d are left out; --trace prints all.", most, c.Ran-most)
			break
		}
		c.Steps = append(c.Steps, s)
	}
	return c
}

// Print writes the trace of a case as text, and drops it.
func (r *Recorder) Print(w io.Writer, c *report.Case) error {
	if r == nil || !r.Text {
		return nil
	}
	r.mu.Lock()
	kept, found := r.cases[keyOf(&c.Outcome)]
	text := ""
	if found {
		text, kept.text = kept.text, ""
	}
	r.mu.Unlock()
	if text == "" {
		return nil
	}
	_, err := fmt.Fprint(w, terminal.Printable(fmt.Sprintf("trace of %s:%d  %s\n%s\n", c.File, c.Line, c.Name, text)))
	return err
}
