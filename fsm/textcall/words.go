package textcall

import (
	"strings"
	"unicode/utf8"
)

// Models say what they are about to do, and then call. A server that reads calls takes the words
// for the text of the answer. So does [Read], if the mark of a family begins a line or follows a
// sentence and everything from there on is calls.

// afterWords reads a text that ends with calls. It reports whether there are any.
func (f Forms) afterWords(s string) (Reading, bool) {
	at, whole := f.Mark(s, 0)
	if !whole || !begins(s[:at]) {
		return Reading{}, false
	}
	calls, _ := f.tagged(s[at:])
	return Reading{Calls: calls, Text: strings.TrimSpace(s[:at]), Written: s[at:]}, len(calls) > 0
}

// Mark returns where in a text, from a position on, the first mark of a family begins. whole is
// false if only the text's end can still become one; without any, at is the text's length.
func (f Forms) Mark(s string, from int) (at int, whole bool) {
	if f < Mended {
		return len(s), false
	}
	var all []family
	for at = from; at < len(s); at++ {
		if !mayOpen(s[at:]) {
			continue
		}
		if all == nil { // most texts have no such character
			all = f.families()
		}
		for _, one := range all {
			switch rest := s[at:]; {
			case strings.HasPrefix(rest, one.open):
				return at, true
			case strings.HasPrefix(one.open, rest):
				return at, false
			}
		}
	}
	return len(s), false
}

// Begins reports whether a mark after these words begins a call: on a line of its own or after a
// sentence, and not inside a fence.
func (f Forms) Begins(words string) bool { return f >= Mended && begins(words) }

func begins(words string) bool {
	if strings.Count(words, "```")%2 == 1 {
		return false
	}
	said := strings.TrimRight(words, " \t")
	if said == "" || said[len(said)-1] == '\n' {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(said)
	return strings.ContainsRune("。！？", last) || strings.ContainsRune(".!?…", last) && len(said) < len(words)
}
