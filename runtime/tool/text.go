package tool

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm/wording"
)

// Mend returns text as valid UTF-8 that cannot move a cursor: invalid bytes, and
// control characters except tabs and line ends, become U+FFFD (TOL-4).
func Mend(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return utf8.RuneError
		}
		return r
	}, text)
}

// clip returns valid UTF-8 text cut between characters, with a mark, so that
// it is at most limit bytes long (TOL-4); limit must leave room for the mark.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	mark := fmt.Sprintf("\n[cut: %d bytes in all]", len(text))
	return wording.Edge(text, limit-len(mark)) + mark
}
