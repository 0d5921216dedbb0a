package terminal

import (
	"strings"

	"shelly/fsm/wording"
)

// Printable makes control characters visible: the output of a model or a tool must not move the
// cursor or rename the window.
func Printable(s string) string { return wording.Visible(s) }

// Cut returns the beginning of a text, on one line.
func Cut(text string, most int) string {
	all := []rune(strings.Join(strings.Fields(text), " "))
	if len(all) <= most {
		return string(all)
	}
	return string(all[:most-1]) + "…"
}

// textColumn is how many characters of a text a table shows.
const textColumn = 40

// Head returns the beginning of a text, for one line of a table.
func Head(text string) string { return Cut(text, textColumn) }
