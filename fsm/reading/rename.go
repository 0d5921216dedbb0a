package reading

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm/alike"
)

// Small models give the parameters of a tool the names that they have in the tools of other agents.

// rename gives members the names of the parameters that they are meant for, and reports whether it did.
// A misplaced member is meant for a parameter that is not given, takes its kind and has a name that means
// the same, if that is the only one and no other member is meant for it.
func (c correction) rename(s shape, given map[string]json.RawMessage) bool {
	meant := map[string][]member{} // misplaced members by the parameter that they may be meant for
	places := map[string]int{}     // of a misplaced member
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !s.misplaced(name, given[name]) {
			continue
		}
		for parameter, of := range s.Properties { // order-free: each is looked at by itself
			if value, ok := given[parameter]; ok && kindOf(value) != kindNull || s.open() && !slices.Contains(s.Required, parameter) || !s.near(name, parameter) {
				continue
			}
			p := shapeOf(of)
			if value, _ := c.of(p, given[name]); p.takes(value) {
				meant[parameter] = append(meant[parameter], member{name, value})
				places[name]++
			}
		}
	}
	renamed := false
	for parameter, members := range meant { // order-free: each changes members of its own
		if len(members) != 1 || places[members[0].name] != 1 {
			continue
		}
		delete(given, members[0].name)
		given[parameter], renamed = members[0].value, true
	}
	return renamed
}

// member is a misplaced member with the value that it would have as a parameter. That is worked out only once:
// what is done twice at each level takes hours where a schema is as deep as it may be.
type member struct {
	name  string
	value json.RawMessage
}

// near reports whether a name means the same as that of a parameter, or, if it means the same as none,
// contains that of a required one, as page_number does page.
func (s shape) near(name, parameter string) bool {
	if alike.Parameters(name, parameter) {
		return true
	}
	if len(parameter) < nameMin || !strings.Contains(name, parameter) || !slices.Contains(s.Required, parameter) {
		return false
	}
	for other := range s.Properties { // order-free: any of them
		if alike.Parameters(name, other) {
			return false
		}
	}
	return true
}

// misplaced reports whether the schema has no parameter of a member's name, or one that is no list, while
// the member is, or is a list, while the member is none.
func (s shape) misplaced(name string, value json.RawMessage) bool {
	of, known := s.Properties[name]
	if kindOf(value) == kindNull { // which says nothing
		return false
	}
	p := shapeOf(of)
	return !known || !p.takes(value) && (p.kind() == kindArray || kindOf(value) == kindArray)
}
