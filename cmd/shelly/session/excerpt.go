package session

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	excerptMax    = 240 // characters of a message that a search shows
	excerptBefore = 80  // of them before the words that were searched for
	excerptWord   = 40  // at most so much of a word is left out, so that none is cut
)

// folded returns a text as a search compares it: in small letters, with one blank for any between words.
// It has a character for each of them.
func folded(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// excerpt returns the part of a text that contains the folded words, whole words as far as possible; a
// short text is returned as it is.
func excerpt(text, want string) string {
	if utf8.RuneCountInString(text) <= excerptMax {
		return text
	}
	all := []rune(strings.Join(strings.Fields(text), " "))
	low := folded(text)
	at := utf8.RuneCountInString(low[:max(strings.Index(low, want), 0)])
	from := max(min(at-excerptBefore, len(all)-excerptMax), 0)
	until := min(from+excerptMax, len(all))
	if blank := slices.Index(all[from:at], ' '); from > 0 && blank >= 0 && blank < excerptWord {
		from += blank + 1
	}
	end := max(min(at+utf8.RuneCountInString(want), until), until-excerptWord)
	for blank := until - 1; until < len(all) && blank >= end; blank-- {
		if all[blank] == ' ' {
			until = blank
			break
		}
	}
	part := string(all[from:until])
	if from > 0 {
		part = "…" + part
	}
	if until < len(all) {
		part += "…"
	}
	return part
}
