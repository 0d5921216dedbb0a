package listing

import (
	"strings"

	"shelly/cmd/shelly/internal/markdown"
)

// besideMin is how many columns a text needs beside a name: on a screen with fewer it takes whole lines, a little further in if it has no name.
const besideMin = 24

// Beside wraps texts with names on their left, which take so many columns with the blank after them, for a
// screen of that many columns: each text goes on below its beginning. With 0 columns the lines stay as they
// are, and names of 0 columns are none.
func Beside(lines string, names, columns int) string {
	if columns <= 0 {
		return lines
	}
	var b strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.TrimRight(line, "\n")
		head, rest, indent := "", line, 0
		switch text := strings.TrimLeft(line, " "); {
		case names == 0:
		case columns-names < besideMin && text != line:
			head, rest, indent = "  ", text, 2
		case columns-names >= besideMin && len(line) > names && line[names-1] == ' ':
			head, rest, indent = line[:names], line[names:], names
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
