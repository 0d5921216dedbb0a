package status

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"shelly/cmd/shelly/internal/markdown"
)

// nameColumns is the width of the names on the left, and narrow that of a screen with no room for them
// beside what they name.
const (
	nameColumns = 11
	narrow      = 40
)

// fitted wraps the lines of a status for a screen of that many columns, each below where its text begins;
// 0: as long as they are.
func fitted(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		head, rest, indent := "", line, 0
		if columns >= narrow && len(line) > nameColumns && line[nameColumns-1] == ' ' {
			head, rest, indent = line[:nameColumns], line[nameColumns:], nameColumns
		}
		for i, part := range markdown.Wrap(rest, columns-indent) {
			if i > 0 {
				head = strings.Repeat(" ", indent)
			}
			b.WriteString(head + part + "\n")
		}
	}
	return b.String()
}

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
