package status

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Control sequences of a terminal (ECMA-48): move the cursor to the first line, clear below the
// cursor, and clear to the right of it.
const (
	home  = "\x1b[H"
	below = "\x1b[J"
	right = "\x1b[K"
)

// clearing overwrites older lines with new ones, each cut to the terminal's width.
type clearing struct {
	out     io.Writer
	columns int
}

// Write implements [io.Writer].
func (c clearing) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		text, ended := strings.CutSuffix(line, "\n")
		if b.WriteString(ansi.Truncate(text, c.columns, "…")); ended {
			b.WriteString(right + "\n")
		}
	}
	_, err := io.WriteString(c.out, b.String())
	return len(p), err
}
