package match

import (
	"slices"

	"shelly/sim/strict"
)

// Shape is what a matcher can be for: a map of the keys, each with its own shape. One
// without keys is a scalar or a list of them, nil is data of any kind. The key * stands for
// names that the file chooses.
type Shape map[string]Shape

// Keys are the keys of the shape, in order.
func (s Shape) Keys() []string {
	var keys []string
	for key := range s { // order-free: they are sorted
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Foreign is a key of a matcher that its shape does not have.
type Foreign struct {
	Pos     strict.Pos
	Key     string
	Allowed []string
}

// Foreign returns the keys that nothing of a shape has: what they ask for is never
// there, so that {$absent: true} always holds and anything else never does.
func (m *Matcher) Foreign(s Shape) []Foreign {
	if s == nil {
		return nil
	}
	var list []Foreign
	for i := range m.list {
		list = append(list, m.list[i].Foreign(s)...)
	}
	for i := range m.members {
		of := &m.members[i]
		inner, known := s[of.key]
		if !known {
			inner, known = s["*"]
		}
		if !known {
			list = append(list, Foreign{of.matcher.pos, of.key, s.Keys()})
			continue
		}
		list = append(list, of.matcher.Foreign(inner)...)
	}
	return list
}
