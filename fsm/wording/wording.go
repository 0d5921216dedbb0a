// Package wording puts words, numbers and foreign text into messages: cut to a length,
// quoted where they could not stand as they are, and without what moves a terminal. It
// stands on the ground floor, so that every part of shelly shows a text in one way; the
// machine itself decides nothing by it.
package wording

import (
	"strconv"
	"strings"
	"unicode"
)

// ShownMax is how many bytes of a word an error shows.
const ShownMax = 60

// Clip cuts s to at most n bytes at a character's edge, with a visible mark.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Edge(s, n) + "…"
}

// Edge is the longest beginning of s of at most n bytes that ends at a character's edge.
func Edge(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Tail cuts s to its last n bytes at a character's edge, with a visible mark.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && s[from]&0xC0 == 0x80 {
		from++
	}
	return "…" + s[from:]
}

// Count is a number of things: 1 file, 2 files.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Quote is the beginning of s in quotes.
func Quote(s string) string { return strconv.Quote(Clip(s, ShownMax)) }

// plain reports whether s is of ASCII letters, digits and marks that a quoted text has as they
// are. Most words are, and there is nothing to be quoted to find that out.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Word is s as an error shows it: quoted and cut where it could not stand as it is.
func Word(s string) string {
	if len(s) > ShownMax || s == "" || !plain(s) && strconv.Quote(s) != `"`+s+`"` {
		return Quote(s)
	}
	return s
}

// Line is s on one line that is safe to print.
func Line(s string) string { return strings.Map(Printable, s) }

// OneLine is s on one line that is safe to print, its line ends as blanks.
func OneLine(s string) string { return Line(strings.NewReplacer("\n", " ", "\r", " ").Replace(s)) }

// Printable is a character as it is shown: one that could change the terminal is
// replaced.
func Printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case !unicode.IsGraphic(r):
		return unicode.ReplacementChar
	default:
		return r
	}
}
