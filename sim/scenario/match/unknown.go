package match

import (
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Unknown says that a name is none of a matcher, and which was likely meant: the nearest, or the one
// for which other tools have this name.
func Unknown(name string) string {
	word := strings.ToLower(strings.TrimPrefix(name, "$"))
	for _, meant := range alias() {
		if slices.Contains(meant.names, word) {
			return "unknown matcher " + wording.Word(name) + "; did you mean " + string(meant.op) + "?"
		}
	}
	return wording.Unknown("matcher", name, MatcherNames())
}

// aliased are names that other tools have for an operator: expectations of tests, JSON Schema, query
// languages.
type aliased struct {
	op    op
	names []string
}

func alias() []aliased {
	return []aliased{
		{opAny, []string{"exists", "present", "something", "anything"}},
		{opAbsent, []string{"missing", "none", "nothing", "not_exists", "null"}},
		{opExact, []string{"eq", "equal", "equals", "is", "const"}},
		{opContains, []string{"includes", "include", "has", "substring", "like"}},
		{opRegex, []string{"match", "matches", "pattern", "re", "glob"}},
		{opOneOf, []string{"in", "any_of", "anyof", "or", "enum"}},
		{opGt, []string{"more", "more_than", "greater", "above"}},
		{opGte, []string{"min", "minimum", "at_least", "ge"}},
		{opLt, []string{"less", "less_than", "below"}},
		{opLte, []string{"max", "maximum", "at_most", "le"}},
		{opLen, []string{"length", "size", "count"}},
		{opAll, []string{"and", "all_of", "allof", "every"}},
		{opUnordered, []string{"any_order", "set", "bag"}},
		{opLiteral, []string{"raw", "verbatim"}},
	}
}
