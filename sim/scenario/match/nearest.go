package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

const (
	nearestBytesMax = 240 // of the line that names what comes nearest
	partBytesMax    = 90  // of each value in it
)

// fit is how near a value comes to a matcher (SCN-33).
type fit struct {
	matched int // keys and entries that match
	present int // keys that are there, matching or not
	differs int // what is left of the first text that differs, common beginning and end apart
	wrong   *Mismatch
}

// fit compares a value with the matcher, key by key.
func (m *Matcher) fit(v data.Value) fit {
	f := fit{wrong: m.Match(v, "")}
	if v.Kind == data.MapKind && v.Main != "" && m.wantsMain() {
		v = v.Get(v.Main)
	}
	switch {
	case m.op == opMap && v.Kind == data.MapKind:
		for i := range m.members {
			of := v.Get(m.members[i].key)
			if of.Kind != data.AbsentKind {
				f.present++
			}
			f.matched += m.members[i].matcher.fit(of).matched
		}
	case m.op == opList && v.Kind == data.ListKind:
		for i := range min(len(m.list), len(v.List)) {
			f.matched += m.list[i].fit(v.List[i]).matched
		}
	case f.wrong == nil:
		f.matched = 1
	}
	if f.wrong != nil {
		f.differs = difference(f.wrong.Want, f.wrong.Got)
	}
	return f
}

// nearer reports whether f is a nearer fit than o; of equals the first stays.
func (f fit) nearer(o fit) bool {
	switch {
	case f.matched != o.matched:
		return f.matched > o.matched
	case f.present != o.present:
		return f.present > o.present
	default:
		return f.differs < o.differs
	}
}

// difference is how many bytes of the longer text lie between the beginning and the
// end that both have.
func difference(a, b string) int {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	begin := 0
	for begin < short && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < short-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return long - begin - end
}

// nearest returns the candidate that comes nearest among n, or -1 where none has
// anything in common with the matcher.
func (m *Matcher) nearest(n int, candidate func(int) data.Value) (int, fit) {
	best, at := fit{}, -1
	for i := range n {
		v := candidate(i)
		if v.Kind == data.AbsentKind || m.op == opMap && !m.shares(v) {
			continue
		}
		if f := m.fit(v); at < 0 || f.nearer(best) {
			best, at = f, i
		}
	}
	return at, best
}

// shares reports whether a value has one of the matcher's keys.
func (m *Matcher) shares(v data.Value) bool {
	return slices.ContainsFunc(m.members, func(o memberMatcher) bool { return v.Get(o.key).Kind != data.AbsentKind })
}

// NearestOf names what comes nearest among n candidates; where says where each is. It is
// empty where none has anything in common with the matcher.
func (m *Matcher) NearestOf(n int, candidate func(int) data.Value, where func(int) string) string {
	at, best := m.nearest(n, candidate)
	if at < 0 || best.wrong == nil {
		return ""
	}
	return nearestLine(where(at), m, candidate(at), best.wrong)
}

// nearestEntry names the entry of a list that comes nearest, of those that are free.
func (m *Matcher) nearestEntry(list []data.Value, free func(int) bool) string {
	candidate := func(i int) data.Value {
		if free != nil && !free(i) {
			return data.Value{}
		}
		return list[i]
	}
	return m.NearestOf(len(list), candidate, func(i int) string { return strict.Element("", i) })
}

// nearestLine is one line: where the candidate is, what of it is asked for, and the
// field that differs.
func nearestLine(where string, m *Matcher, v data.Value, wrong *Mismatch) string {
	line := "nearest: " + where
	if m.op == opMap {
		line += ", " + wording.Clip(m.part(v).String(), partBytesMax)
	}
	return wording.Clip(line+": "+wrong.brief(), nearestBytesMax)
}

// part is what a value has of the keys that the matcher names.
func (m *Matcher) part(v data.Value) data.Value {
	if m.op != opMap || v.Kind != data.MapKind {
		return v
	}
	p := data.Value{Kind: data.MapKind}
	for _, have := range v.Members {
		if i := m.index(have.Key); i >= 0 {
			p.Members = append(p.Members, data.With(have.Key, m.members[i].matcher.part(have.Value)))
		}
	}
	return p
}

// brief is a mismatch as part of a line.
func (w *Mismatch) brief() string {
	subject := w.Path
	if subject != "" {
		subject += " "
	}
	if at := w.whereTextsDiffer(); at != "" {
		return subject + at
	}
	switch {
	case w.Got == data.Value{}.String():
		return subject + "is missing, wants " + wording.Clip(w.Want, partBytesMax)
	case w.Text != "":
		return subject + w.Text
	default:
		return subject + "is " + wording.Clip(w.Got, partBytesMax) + ", wants " + wording.Clip(w.Want, partBytesMax)
	}
}

const (
	longText       = 60 // characters from which on it is said where two texts differ
	charsBefore    = 12
	charsFromThere = 24
)

// whereTextsDiffer says where two long texts first differ, and of others which characters do where
// these may look alike; else it is empty.
func (w *Mismatch) whereTextsDiffer() string {
	if w.of == nil || w.of.op != opScalar && w.of.op != opLiteral || w.of.data.Kind != data.TextKind || w.value.Kind != data.TextKind {
		return ""
	}
	want, got := []rune(w.of.data.Text), []rune(w.value.Text)
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	switch {
	case max(len(want), len(got)) < longText:
		return alike(want[at:], got[at:], at)
	case at == len(got):
		return fmt.Sprintf("ends at character %d, wants %s after it", at, around(want, at))
	case at == len(want):
		return fmt.Sprintf("goes on after character %d: %s", at, around(got, at))
	default:
		return fmt.Sprintf("differs at character %d: %s, wants %s", at+1, around(got, at), around(want, at))
	}
}

// alike names the first characters of the rests of two texts, at a place, where one of them is not
// ASCII: e of Latin and of Cyrillic, ü as one character and as two.
func alike(want, got []rune, at int) string {
	if len(want) == 0 || len(got) == 0 || max(want[0], got[0]) <= unicode.MaxASCII {
		return ""
	}
	return fmt.Sprintf("differs at character %d: %#U, wants %#U", at+1, got[0], want[0])
}

// around shows a text around a character.
func around(text []rune, at int) string {
	begin, end := max(0, at-charsBefore), min(len(text), at+charsFromThere)
	shown := fmt.Sprintf("%q", string(text[begin:end]))
	if begin > 0 {
		shown = `"…` + shown[1:]
	}
	if end < len(text) {
		shown = shown[:len(shown)-1] + `…"`
	}
	return shown
}

// longestPart is the longest beginning of a wanted text that a text has; it tells
// where the rest went another way. Less than a few characters tell nothing.
func longestPart(want, got string) string {
	const charsMin = 4
	for end := len(want); end > 0; end-- {
		if !utf8.RuneStart((want + " ")[end]) || !strings.Contains(got, want[:end]) {
			continue
		}
		if utf8.RuneCountInString(want[:end]) < charsMin {
			return ""
		}
		rest := got[strings.Index(got, want[:end])+end:]
		return fmt.Sprintf("nearest: has %q, then %s, wants %s", wording.Tail(want[:end], partBytesMax/2),
			around([]rune(rest), 0), around([]rune(want[end:]), 0))
	}
	return ""
}
