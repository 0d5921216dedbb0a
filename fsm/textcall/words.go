package textcall

import (
	"strings"
	"unicode/utf8"
)

// Models say what they are about to do, and then call. A server that reads calls takes the words
// for the text of the answer. So does [Forms.Read], if the mark of a family begins a line or follows a
// sentence and everything from there on is calls.

// afterWords reads a text that ends with calls. It reports whether there are any.
func (f Forms) afterWords(s string) (Reading, bool) {
	marks := f.Marks()
	at, whole := marks.First(s, 0)
	if !whole || !begins(s[:at]) {
		return Reading{}, false
	}
	calls, _ := f.tagged(s[at:])
	return Reading{Calls: calls, Text: strings.TrimSpace(s[:at]), Written: s[at:]}, len(calls) > 0
}

// Marks are the marks that may begin calls after words. They are listed when the first character
// comes that one of them begins with, which in most answers none does.
type Marks struct {
	forms Forms
	list  []string
}

// Marks returns the marks of the families.
func (f Forms) Marks() Marks { return Marks{forms: f} }

func (m *Marks) all() []string {
	if m.list == nil {
		for _, one := range m.forms.families() {
			m.list = append(m.list, one.open)
		}
	}
	return m.list
}

// First returns where in a text, from a position on, the first mark begins. whole is false if only
// the text's end can still become one; without any, at is the text's length.
func (m *Marks) First(s string, from int) (at int, whole bool) {
	for at = from; at < len(s) && m.forms >= Mended; at++ {
		rest := s[at:]
		if !mayOpen(rest) {
			continue
		}
		for _, mark := range m.all() {
			switch {
			case strings.HasPrefix(rest, mark):
				return at, true
			case strings.HasPrefix(mark, rest):
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
	said := strings.TrimRight(words, " \t")
	last, _ := utf8.DecodeLastRuneInString(said)
	ends := said == "" || strings.ContainsRune("\n。！？", last) || strings.ContainsRune(".!?…", last) && len(said) < len(words)
	return ends && strings.Count(words, "```")%2 == 0
}
