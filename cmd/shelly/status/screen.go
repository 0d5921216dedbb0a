package status

import (
	"io"
	"strings"
)

// What moves a terminal's cursor and clears (ECMA-48): to the first line, what is below the
// cursor, and what is right of it.
const (
	home  = "\x1b[H"
	below = "\x1b[J"
	right = "\x1b[K"
)

// clearing writes lines over older ones, none of them wider than the terminal.
type clearing struct {
	out     io.Writer
	columns int // 0: not known
}

// Write implements [io.Writer].
func (c clearing) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		text, ended := strings.CutSuffix(line, "\n")
		if all := []rune(text); c.columns > 0 && len(all) > c.columns {
			text = string(all[:c.columns-1]) + "…"
		}
		if b.WriteString(text); ended {
			b.WriteString(right + "\n")
		}
	}
	_, err := io.WriteString(c.out, b.String())
	return len(p), err
}
