package match

import (
	"cmp"
	"maps"
	"slices"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Shape is what a matcher can be for: a map of the keys, and what each is for. One
// without keys is a scalar, nil is data of any kind. The key * stands for names that the file
// chooses.
type Shape map[string]Key

// Sort is what the scalars of a key are. A map for which a text stands is of the sort Texts.
type Sort int

const (
	Texts     Sort = iota
	Numbers        // decimals and negative ones too
	Counts         // whole numbers from 0 on
	Ordinals       // whole numbers from 1 on
	Switches       // true and false
	Durations      // texts that are lengths of time
	Times          // texts that are times
	Maps           // nothing but maps
)

// Key is what a key is for.
type Key struct {
	Shape Shape
	Sort  Sort
	Lists int      // in how many lists, each in the one before, there is what the shape and the sort say
	Means string   // for whoever writes a file
	Words []string // of which alone its texts are; nil: any
	Word  string   // what such a text is called, such as state; empty: as the key
	Rare  bool     // not each map of the shape has it
}

// Rarely is the key where not each map of the shape has it.
func (k Key) Rarely() Key {
	k.Rare = true
	return k
}

// Keys are the keys of the shape, in order.
func (s Shape) Keys() []string { return slices.Sorted(maps.Keys(s)) }

func (s Shape) has(key string) bool {
	_, named := s[key]
	_, any := s["*"]
	return named || any
}

// lacks returns a key that each map of the shape has and an exact map leaves out, or the empty text.
func (s Shape) lacks(named func(key string) bool) string {
	for _, key := range s.Keys() {
		if key != "*" && !s[key].Rare && !named(key) {
			return key
		}
	}
	return ""
}

// Foreign is a key of a matcher that its shape does not have, or a matcher that nothing of a
// key fits.
type Foreign struct {
	Pos     strict.Pos
	Key     string
	Allowed []string // the keys of the shape
	Matcher *Matcher // nil: it is the key that is foreign
	Of      Key      // what the matcher is for
}

// Foreign returns the keys that nothing of a shape has, and the matchers that nothing of it fits:
// what they ask for is never there, so that {$absent: true} and never always hold, and anything
// else never does. name is the key that the matcher is for.
func (m *Matcher) Foreign(name string, of Key) (list []Foreign) {
	if of.Shape == nil {
		return nil
	}
	if m.misfits(of) || of.Lists == 0 && of.Words != nil && m.NoneOf(of.Words) {
		return []Foreign{{Pos: m.pos, Key: cmp.Or(of.Word, name), Matcher: m, Of: of}}
	}
	switch m.op {
	case opMap:
		return m.foreignKeys(of.Shape)
	case opContains, opList, opUnordered:
		of.Lists--
	case opLen:
		return nil // said where it was read
	}
	for i := range m.list {
		if of.Lists >= 0 && (m.op != opOneOf || !m.list[i].misfits(of)) { // a part of a text can be any, and so can one of several choices
			list = append(list, m.list[i].Foreign(name, of)...)
		}
	}
	return list
}

func (m *Matcher) foreignKeys(shape Shape) (list []Foreign) {
	for i := range m.members {
		member := &m.members[i]
		inner, known := shape[member.key]
		if !known {
			inner, known = shape["*"]
		}
		if !known {
			list = append(list, Foreign{Pos: member.pos, Key: member.key, Allowed: shape.Keys()})
			continue
		}
		list = append(list, member.matcher.Foreign(member.key, inner)...)
	}
	return list
}

// misfits reports whether nothing of a key can be as the matcher wants it, by the kind of data
// that it is. What is within lists and maps has its own matcher.
func (m *Matcher) misfits(of Key) bool {
	switch m.op {
	case opAny, opAbsent:
		return false
	case opOneOf:
		return len(m.list) > 0 && !slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return !m.misfits(of) })
	case opAll, opExact:
		return slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return m.misfits(of) })
	}
	if of.Lists > 0 {
		return m.noList()
	}
	text := of.Sort == Texts || of.Sort == Durations || of.Sort == Times
	switch m.op {
	case opList, opUnordered:
		return true
	case opMap: // its keys are foreign where there is no map
		return m.Lacks(of) != ""
	case opContains:
		part := &m.list[0]
		return !text || part.op != opScalar && part.op != opLiteral || !Texts.fits(part.data)
	case opRegex:
		return !text
	case opLen:
		return !text && of.Sort != Maps
	case opLiteral:
		if m.data.Kind == data.MapKind {
			return len(of.Shape) == 0 || m.Lacks(of) != "" || slices.ContainsFunc(m.data.Members, func(member data.Member) bool { return !of.Shape.has(member.Key) })
		}
	}
	return !of.Sort.fits(m.data) || of.Sort == Counts && m.NoCount(0) || of.Sort == Ordinals && m.NoCount(1)
}

// Lacks returns a key that each map of a shape has, and that a map without other members leaves out
// for which the matcher is, or the empty text.
func (m *Matcher) Lacks(of Key) string {
	switch {
	case m.op == opMap && m.exact:
		return of.Shape.lacks(func(key string) bool { return m.index(key) >= 0 })
	case m.op == opLiteral && m.data.Kind == data.MapKind:
		return of.Shape.lacks(func(key string) bool {
			return slices.ContainsFunc(m.data.Members, func(member data.Member) bool { return member.Key == key })
		})
	case m.op == opExact || m.op == opAll || m.op == opOneOf:
		for _, inner := range m.Inner() {
			if key := inner.Lacks(of); key != "" {
				return key
			}
		}
	}
	return ""
}

// NoneOf reports whether a matcher that gathers no others fits none of the words, which are all that
// there can be.
func (m *Matcher) NoneOf(words []string) bool {
	switch m.op {
	case opAny, opAbsent, opOneOf, opAll, opExact, opList, opUnordered, opMap:
		return false
	}
	return !slices.ContainsFunc(words, func(word string) bool { return m.Fits(data.Text(word)) })
}

// noList reports whether a matcher that gathers no others is for something other than a list.
func (m *Matcher) noList() bool {
	switch m.op {
	case opList, opUnordered, opContains, opLen:
		return false
	case opLiteral:
		return m.data.Kind != data.ListKind
	default:
		return true
	}
}

// fits reports whether a scalar, or what it is compared with, can be of the sort. One that could
// not be read can.
func (s Sort) fits(v data.Value) bool {
	_, measures := data.Measured(v.Text)
	if v.Kind == data.AbsentKind {
		return true
	}
	switch s {
	case Numbers, Counts, Ordinals:
		return v.Kind == data.NumberKind
	case Switches:
		return v.Kind == data.BoolKind
	case Durations:
		return v.Kind == data.TextKind && measures == data.ADuration
	case Times:
		return v.Kind == data.TextKind && measures == data.AnInstant
	case Maps:
		return false
	default:
		return v.Kind == data.TextKind
	}
}
