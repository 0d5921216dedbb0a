// Package wording puts words, numbers and foreign text into messages: cut to a length,
// quoted if they would be unclear as they are, and without characters that control a
// terminal. It imports nothing of shelly, so that every part of shelly can show texts in
// the same way; the machine decides nothing by it.
package wording

import (
	"strconv"
	"strings"
	"unicode"
)

// ShownMax is how many bytes of a word an error shows.
const ShownMax = 60

// Clip returns s if it has at most n bytes, else as much of it as fits in whole characters,
// and a visible mark.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Edge(s, n) + "…"
}

// Part returns the beginning of a text and how many bytes of it are left out, so that nobody takes a
// part for the whole.
func Part(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := Edge(s, n)
	return head + "… [" + Thousands(len(s)-len(head)) + " more bytes are not shown]"
}

// Address returns how a server's URL is shown: as far as its host and port. What surrounds them,
// a user, a path or a query, may be or hold a token.
func Address(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if !found {
		scheme, rest = "", url
	} else {
		scheme += "://"
	}
	hidden := ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		if rest[end:] != "/" {
			hidden = "/…"
		}
		rest = rest[:end]
	}
	return scheme + rest[strings.LastIndexByte(rest, '@')+1:] + hidden
}

// Edge returns the longest beginning of s of at most n bytes that ends between characters.
func Edge(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Tail returns s if it has at most n bytes, else a visible mark and as much of its end as
// fits in whole characters.
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

// Count returns a number of things in words: 1 file, 2 files.
func Count(n int, thing string) string { return Counted(n, thing, thing+"s") }

// Counted is Count of a thing whose plural is not its singular with an s: 1 entry, 2 entries.
func Counted(n int, thing, things string) string {
	if n != 1 {
		thing = things
	}
	return strconv.Itoa(n) + " " + thing
}

// Thousands returns a number with commas between groups of three digits: 99,488.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Short returns a duration without the parts that are 0, given as Go writes it: 1m30s, 30m, 1h.
func Short(duration string) string {
	if short, ok := strings.CutSuffix(duration, "m0s"); ok {
		duration = short + "m"
	}
	if short, ok := strings.CutSuffix(duration, "h0m"); ok {
		duration = short + "h"
	}
	return duration
}

// Days returns the end of an error about a text that is not a duration: what to write, if the
// text has days as in 2d, else nothing.
func Days(text string) string {
	if before, _, found := strings.Cut(text, "d"); found && before != "" && '0' <= before[len(before)-1] && before[len(before)-1] <= '9' {
		return "; there is no unit for days: write 24h for a day"
	}
	return ""
}

// Regexp says what is wrong with a regular expression, by the error of package regexp.
func Regexp(err error) string {
	return "is not a valid regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// Quote returns the beginning of s in quotes.
func Quote(s string) string { return strconv.Quote(Clip(s, ShownMax)) }

// plain reports whether s has only ASCII letters, digits and marks that quoting does not
// change. Most words are like this, and then need not be quoted to find out.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Word returns s as an error shows it: quoted and cut if it would be unclear as it is.
func Word(s string) string {
	if len(s) > ShownMax || s == "" || !plain(s) && strconv.Quote(s) != `"`+s+`"` {
		return Quote(s)
	}
	return s
}

// Line returns s on one line that is safe to print.
func Line(s string) string { return strings.Map(Printable, s) }

// Visible returns s with escapes in place of its control characters, but for line ends and tabs, so that
// none of them controls a terminal, and of what nobody would see or what would move other text (APR-22).
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && unseen(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen reports whether a character controls what shows a text, moves what stands beside it, or is
// not seen: a model reads tags and variation selectors, in which any text can be written. Joiners and the two
// selectors of emoji stay, since scripts and pictures need them.
func unseen(r rune) bool {
	switch {
	case r >= ' ' && r <= '~', r == '\u200c', r == '\u200d', r == '\ufe0e', r == '\ufe0f', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// OneLine returns s on one line that is safe to print, with blanks for line ends.
func OneLine(s string) string { return Line(strings.NewReplacer("\n", " ", "\r", " ").Replace(s)) }

// Printable returns a character as it is shown: one that could control the terminal is
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
