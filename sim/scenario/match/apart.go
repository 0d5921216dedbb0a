package match

import (
	"slices"

	"shelly/sim/scenario/data"
)

// apart returns two matchers of a list that no value matches both, or nil. Some that exclude each
// other are not found: of lists and of regular expressions it says nothing.
func apart(list []Matcher) (one, other *Matcher) {
	for i := range list {
		for k := range i {
			if list[k].excludes(&list[i]) {
				return &list[k], &list[i]
			}
		}
	}
	return nil, nil
}

func (m *Matcher) excludes(o *Matcher) bool {
	switch {
	case m.op == opAbsent || m.single() && o.ofMain():
		return !m.alsoFits(o)
	case o.op == opAbsent || o.single() && m.ofMain():
		return !o.alsoFits(m)
	case m.op == opLen && o.op == opLen:
		return m.list[0].excludes(&o.list[0])
	case m.op == opMap && o.op == opMap:
		return m.without(o) || o.without(m) || m.differs(o)
	case m.op == opExact || o.op == opExact:
		return m.bare().excludes(o.bare())
	case m.op == opOneOf || m.op == opAll:
		return m.eachExcludes(o)
	case o.op == opOneOf || o.op == opAll:
		return o.eachExcludes(m)
	case m.lower() && o.upper():
		return !m.meets(o)
	case m.upper() && o.lower():
		return !o.meets(m)
	default:
		return false
	}
}

// eachExcludes reports it of a matcher that gathers others: of all choices, or of one of those that a
// value must fit each.
func (m *Matcher) eachExcludes(o *Matcher) bool {
	if m.op == opAll {
		return slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return m.excludes(o) })
	}
	return !slices.ContainsFunc(m.Inner(), func(m *Matcher) bool { return !m.excludes(o) })
}

// bare is the matcher, or what stands within $exact, which says of itself that it is exact.
func (m *Matcher) bare() *Matcher {
	for m.op == opExact {
		m = &m.list[0]
	}
	return m
}

// without reports whether a map has no members but those that it names, and the other wants one more.
func (m *Matcher) without(o *Matcher) bool {
	return m.exact && slices.ContainsFunc(o.members, func(of memberMatcher) bool {
		return m.index(of.key) < 0 && !of.matcher.Fits(data.Value{})
	})
}

// differs reports whether two maps want of one member what nothing is both.
func (m *Matcher) differs(o *Matcher) bool {
	return slices.ContainsFunc(o.members, func(of memberMatcher) bool {
		i := m.index(of.key)
		return i >= 0 && m.members[i].matcher.excludes(&of.matcher)
	})
}

// single reports whether one scalar alone matches. Of a duration or a time there are many texts.
func (m *Matcher) single() bool {
	_, of := data.Measured(m.data.Text)
	return of == data.NoMeasure && m.scalar()
}

func (m *Matcher) scalar() bool {
	return m.op == opScalar || m.op == opLiteral && m.data.Kind != data.MapKind && m.data.Kind != data.ListKind
}

// ofMain reports whether of a map the matcher sees the main part alone, as one for a scalar does: what
// it makes of that part is what it makes of the map.
func (m *Matcher) ofMain() bool {
	switch m.op {
	case opMap, opLiteral:
		return m.scalar()
	case opOneOf, opAll, opExact:
		for i := range m.list {
			if !m.list[i].ofMain() {
				return false
			}
		}
	}
	return true
}

// alsoFits reports whether the other matcher fits what alone this one fits: a scalar, or nothing.
func (m *Matcher) alsoFits(o *Matcher) bool {
	if m.op == opAbsent {
		return o.Fits(data.Value{}) || o.Fits(data.Value{Kind: data.NullKind})
	}
	return o.Fits(m.data)
}

func (m *Matcher) lower() bool { return m.op == opGt || m.op == opGte }
func (m *Matcher) upper() bool { return m.op == opLt || m.op == opLte }

// meets reports whether something lies between a lower bound and an upper one.
func (m *Matcher) meets(upper *Matcher) bool {
	if m.op == opGte {
		return upper.Fits(m.data)
	}
	return m.Fits(upper.data)
}
