package access

import (
	"fmt"
	"slices"
	"strings"
)

// Right is what a route requires and a token gives.
type Right string

// The rights.
const (
	Ask    Right = "ask"    // requests of its own with their events and records, its sessions and the messages to its chats
	Decide Right = "decide" // answers to questions about those requests; includes ask
	Events Right = "events" // system events (COM-10)
	All    Right = "all"    // everything, like the daemon's own token
	// Anyone is the right of routes that need no token. No token gives it.
	Anyone Right = "anyone"
)

// Given lists the rights that a token can give.
var Given = []Right{Ask, Decide, Events, All}

// Known reports whether a route can require the right.
func (r Right) Known() bool { return r == Anyone || slices.Contains(Given, r) }

// Rights is the rights of a token.
type Rights []Right

// ParseRights reads the words of rights, each once.
func ParseRights(words []string) (Rights, error) {
	var all Rights
	for _, word := range words {
		r := Right(strings.TrimSpace(word))
		if !slices.Contains(Given, r) {
			return nil, fmt.Errorf("%q is not a right; the rights are %s", word, Rights(Given))
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no right is given; the rights are %s", Rights(Given))
	}
	return all, nil
}

// Has reports whether the rights include or imply a right.
func (r Rights) Has(want Right) bool {
	switch {
	case want == Anyone, slices.Contains(r, All):
		return true
	case want == Ask:
		return slices.Contains(r, Ask) || slices.Contains(r, Decide)
	default:
		return slices.Contains(r, want)
	}
}

// String returns the rights in the form that the command line accepts.
func (r Rights) String() string {
	words := make([]string, len(r))
	for i, one := range r {
		words[i] = string(one)
	}
	return strings.Join(words, ",")
}
