package match

import (
	"iter"
	"slices"
	"strings"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Pos is where the matcher stands in its file.
func (m *Matcher) Pos() strict.Pos { return m.pos }

// Keys are the keys of a map, or none where the matcher is for something else.
func (m *Matcher) Keys() []string {
	var keys []string
	for i := range m.members {
		keys = append(keys, m.members[i].key)
	}
	return keys
}

// At is where a key of a map stands.
func (m *Matcher) At(key string) strict.Pos {
	if i := m.index(key); i >= 0 {
		return m.members[i].pos
	}
	return m.pos
}

// Member is what a member of a map must be like, or nil.
func (m *Matcher) Member(key string) *Matcher {
	if i := m.index(key); i >= 0 {
		return &m.members[i].matcher
	}
	return nil
}

// Inner are the matchers right within this one.
func (m *Matcher) Inner() []*Matcher {
	var inner []*Matcher
	for i := range m.list {
		inner = append(inner, &m.list[i])
	}
	for i := range m.members {
		inner = append(inner, &m.members[i].matcher)
	}
	return inner
}

// Text is the scalar or literal text that a value must be.
func (m *Matcher) Text() (text string, ok bool) {
	return m.data.Text, (m.op == opScalar || m.op == opLiteral) && m.data.Kind == data.TextKind
}

// Place is where a map has something: in a member, or in a member of that.
type Place struct{ Key, Within string }

// In returns what a map has at the place, as a matcher of a text sees it.
func (p Place) In(v data.Value) data.Value {
	v = v.Get(p.Key)
	if p.Within != "" {
		v = v.Get(p.Within)
	}
	if v.Kind == data.MapKind && v.Main != "" {
		v = v.Get(v.Main)
	}
	return v
}

// Texts are texts that a map must have at a place to match. There may be others: those of
// durations and times are not told, because other texts equal them.
func (m *Matcher) Texts() iter.Seq2[Place, string] {
	return func(yield func(Place, string) bool) {
		for i := range m.members {
			one := &m.members[i]
			if text, ok := one.matcher.plain(); ok && !yield(Place{Key: one.key}, text) {
				return
			}
			for k := range one.matcher.members {
				inner := &one.matcher.members[k]
				if text, ok := inner.matcher.plain(); ok && inner.key != "" && !yield(Place{one.key, inner.key}, text) {
					return
				}
			}
		}
	}
}

// plain is the text that alone a value can be.
func (m *Matcher) plain() (text string, ok bool) {
	text, ok = m.Text()
	_, of := data.Measured(text)
	return text, ok && of == data.NoMeasure
}

// Gathered are the matchers of which a value must fit one or each: itself, or those that it
// gathers.
func (m *Matcher) Gathered() []*Matcher {
	switch m.op {
	case opOneOf, opAll, opExact:
	default:
		return []*Matcher{m}
	}
	var list []*Matcher
	for i := range m.list {
		list = append(list, m.list[i].Gathered()...)
	}
	return list
}

// Choices are those of them that are texts.
func (m *Matcher) Choices() []*Matcher {
	return slices.DeleteFunc(m.Gathered(), func(m *Matcher) bool {
		_, text := m.Text()
		return !text || m.op != opScalar
	})
}

// Exact are the matchers of a text to the letter, in lists and in the members of maps by
// some keys. Of a map that leave is true of there are none.
func (m *Matcher) Exact(keys []string, leave func(*Matcher) bool) []*Matcher {
	if _, text := m.Text(); text {
		return []*Matcher{m}
	}
	var list []*Matcher
	switch m.op {
	case opList, opExact, opOneOf, opAll, opUnordered:
		for i := range m.list {
			list = append(list, m.list[i].Exact(keys, leave)...)
		}
	case opMap:
		for i := range m.members {
			if of := &m.members[i]; slices.Contains(keys, of.key) && !leave(m) {
				list = append(list, of.matcher.Exact(keys, leave)...)
			}
		}
	}
	return list
}

// Always reports whether every text matches.
func (m *Matcher) Always() bool {
	switch m.op {
	case opRegex:
		return fitsAll(m.data.Text)
	case opContains:
		text, ok := m.list[0].Text()
		return ok && text == ""
	default:
		return false
	}
}

// Any reports whether the matcher is for whatever there is.
func (m *Matcher) Any() bool {
	return m.op == opAny || m.gathers((*Matcher).Any)
}

// gathers reports whether a matcher that gathers others is for each value of a kind, as those are of
// which is reports it.
func (m *Matcher) gathers(is func(*Matcher) bool) bool {
	switch m.op {
	case opOneOf:
		return slices.ContainsFunc(m.Inner(), is)
	case opAll, opExact:
		return !slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return !is(m) })
	default:
		return false
	}
}

// AnyDuration reports whether each duration matches.
func (m *Matcher) AnyDuration() bool {
	_, of := data.Measured(m.data.Text)
	return (m.op == opGte || m.op == opGt) && of == data.ADuration && m.Fits(data.Text("0s"))
}

// AnyLength reports whether the matcher is for a length and each one matches.
func (m *Matcher) AnyLength() bool { return m.op == opLen && m.list[0].AnyCount() }

// AnyCount reports whether each number of things matches.
func (m *Matcher) AnyCount() bool {
	from := (m.op == opGte || m.op == opGt) && m.data.Kind == data.NumberKind && m.Fits(data.Int(0))
	return from || m.op == opAny || m.gathers((*Matcher).AnyCount)
}

// NoCount reports whether no whole number from the least one on matches: it wants less than that, a
// part of one, or no number. One that could not be read may.
func (m *Matcher) NoCount(least int) bool {
	no := func(m *Matcher) bool { return m.NoCount(least) }
	switch m.op {
	case opLt, opLte:
		return !m.Fits(data.Int(least))
	case opOneOf:
		return !slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return !m.NoCount(least) })
	case opAll, opExact:
		return slices.ContainsFunc(m.Inner(), no)
	case opScalar, opLiteral:
		if m.data.Kind != data.NumberKind {
			return m.op == opScalar && m.data.Kind != data.AbsentKind
		}
		whole, part, _ := strings.Cut(m.data.Text, ".")
		none := strings.Trim(whole, "-0") == ""
		return strings.Trim(part, "0") != "" || none && least > 0 || !none && strings.HasPrefix(whole, "-")
	default:
		return false
	}
}

// ForNumber reports whether a matcher is for a number.
func (m *Matcher) ForNumber() bool {
	switch m.op {
	case opGt, opGte, opLt, opLte:
		return true
	case opOneOf, opAll, opExact:
		return len(m.list) > 0 && m.list[0].ForNumber() // without any, what is wrong with it was said
	default:
		return m.data.Kind == data.NumberKind
	}
}

// Unquoted reports whether a matcher is for a number or a switch, or for a part that is one, as a
// text without quotes is read.
func (m *Matcher) Unquoted() bool {
	if m.op == opContains {
		return m.list[0].Unquoted()
	}
	return m.op == opScalar && (m.data.Kind == data.NumberKind || m.data.Kind == data.BoolKind)
}

// Rename puts other texts in place of those that are wanted whole.
func (m *Matcher) Rename(name func(string) string) {
	if text, ok := m.Text(); ok {
		m.data.Text = name(text)
	}
	for _, inner := range m.Inner() {
		inner.Rename(name)
	}
}

// Also lets a value be one more text, where one is wanted.
func (m *Matcher) Also(text string) {
	if was, ok := m.Text(); !ok || was == text {
		return
	}
	other := *m
	other.data.Text = text
	*m = Matcher{pos: m.pos, op: opOneOf, list: []Matcher{*m, other}}
}
