package match

import "shelly/sim/scenario/data"

// apart returns two matchers of a list that no value matches both, or nil. Some that exclude each
// other are not found: of maps and of regular expressions it says nothing.
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
	case m.lower() && o.upper():
		return !m.meets(o)
	case m.upper() && o.lower():
		return !o.meets(m)
	default:
		return false
	}
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
