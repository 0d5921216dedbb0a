package terminal

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/ansi"
)

// clear clears to the right of the cursor (EL of ECMA-48).
const clear = "\x1b[K"

// Line shows progress. On a terminal it is one line, redrawn in place and cut to its width;
// elsewhere, and on a terminal without cursor control, only texts that are worth a line are printed.
type Line struct {
	Out      io.Writer
	Terminal bool
	drawn    string
}

// NewLine shows progress on an output.
func NewLine(out io.Writer) *Line { return &Line{Out: out, Terminal: Columns(out) > 0} }

// Draw shows a text on a terminal, unless it is shown already.
func (l *Line) Draw(text string) {
	if columns := Columns(l.Out); columns > 0 {
		text = ansi.Truncate(text, columns-1, "…")
	}
	if l.Terminal && text != l.drawn {
		fmt.Fprintf(l.Out, "\r%s%s", text, clear)
		l.drawn = text
	}
}

// Print is Draw on a terminal, and prints a line elsewhere.
func (l *Line) Print(text string) {
	if l.Draw(text); !l.Terminal {
		fmt.Fprintln(l.Out, text)
	}
}

// Erase removes the line.
func (l *Line) Erase() {
	if l.drawn != "" {
		fmt.Fprint(l.Out, "\r"+clear)
		l.drawn = ""
	}
}

// End leaves the line on the screen and moves below it.
func (l *Line) End() {
	if l.drawn != "" {
		fmt.Fprintln(l.Out)
		l.drawn = ""
	}
}
