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
	return strings.Map(mended, text)
}

func mended(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
		return utf8.RuneError
	}
	return r
}

// shownBytes is how long a character is after Mend.
func shownBytes(r rune) int { return utf8.RuneLen(mended(r)) }

// Beginning returns the beginning of text as Mend shows it, of at most room bytes, and how many
// bytes of text that is: what is replaced may become longer.
func Beginning(text []byte, room int) (shown string, n int) {
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if room -= shownBytes(r); room < 0 {
			break
		}
		n += size
	}
	return Mend(string(text[:n])), n
}

// ending does the same for the end of a text.
func ending(text []byte, room int) (shown string, n int) {
	for n < len(text) {
		r, size := utf8.DecodeLastRune(text[:len(text)-n])
		if room -= shownBytes(r); room < 0 {
			break
		}
		n += size
	}
	return Mend(string(text[len(text)-n:])), n
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
