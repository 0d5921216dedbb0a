package suite

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/history/casetrace"
	"shelly/sim/history/trace"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// traces has (CLI-160) what the runs of cases did, step by step, as text, until it is told. Cases run
// concurrently.
type traces struct {
	mu    sync.Mutex
	texts map[caseKey]string
}

// caseKey tells the cases of a run apart.
type caseKey struct {
	file string
	line int
	name string
}

func keyOf(c *scenario.Outcome) caseKey { return caseKey{c.File, c.Line, c.Name} }

// take keeps the trace of a run, in the place of an earlier one of the case.
func (t *traces) take(f *scenario.File, out *scenario.Outcome) {
	if t == nil || out.Result == nil {
		return
	}
	var b strings.Builder
	w := trace.Writer{To: &b, Start: casetrace.Start(f)}
	for s := range casetrace.Of(f, out, trace.Options{}) {
		_ = w.Write(s) // to memory
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil {
		t.texts = map[caseKey]string{}
	}
	t.texts[keyOf(out)] = b.String()
}

// tell writes the trace of a case, and forgets it.
func (t *traces) tell(w io.Writer, c *report.Case) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	key := keyOf(&c.Outcome)
	text, found := t.texts[key]
	delete(t.texts, key)
	t.mu.Unlock()
	if !found {
		return nil
	}
	_, err := fmt.Fprintf(w, "trace of %s:%d  %s\n%s\n", c.File, c.Line, c.Name, terminal.Printable(text))
	return err
}
