package request

import (
	"io"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/engine"
	"shelly/sim/history"
	"shelly/sim/history/trace"
)

// trace prints what happened in the form of a simulator run, or each step as a line of JSON
// (CLI-161).
func (c *showCmd) trace(t *terminal.Terminal, j engine.Reader, h history.History) error {
	o := trace.Options{TextMax: shownBytes, WordsMax: shownBytes}
	if c.Full || c.JSON {
		o = trace.Options{TextMax: 1 << 20, WordsMax: 1 << 20}
	}
	var text strings.Builder
	w := trace.Writer{To: &text, Start: h.Request.Accepted, Full: c.Full}
	for step, err := range trace.OfRequest(j, h, o) {
		if err != nil {
			return exit.With(exit.Data, err)
		}
		if c.JSON {
			err = t.JSONLine(step)
		} else {
			text.Reset()
			_ = w.Write(step) // writes to memory
			_, err = io.WriteString(t.Out, terminal.Printable(text.String()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
