// Package alike knows which names of tools and of their parameters mean the same (INF-58).
//
//	alike.Tools("LS", "list_dir")               // true
//	alike.Parameters("file_path", "path")       // true
//
// Two names mean the same if they differ only in how their words are joined, or if both are in use for
// one thing in the tools of agents, editors and servers that models have learned from. The lists are a
// part of the machine's edition: a name that is added changes what it decides. They have names of tools
// without effects, because of no other is it guessed what is meant.
package alike

import (
	"slices"
	"strings"
)

// same reports whether two names have the same words, or are both in one of the lists.
func same(a, b string, lists [][]string) bool {
	a, b = joined(a), joined(b)
	if a == b {
		return a != ""
	}
	return slices.ContainsFunc(lists, func(names []string) bool { return slices.Contains(names, a) && slices.Contains(names, b) })
}

// joined returns the letters and digits of a name, as one word in lower case.
func joined(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		default:
			return -1
		}
	}, name)
}
