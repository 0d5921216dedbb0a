package memory

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Need is what is looked for by keyword in texts that are in no index, such as MEMORY.md.
type Need struct {
	terms []string // each once
	whole string   // all of it, in small letters
	words *splitter
}

// NewNeed returns a need for many texts, one after another.
func NewNeed(text string) *Need {
	list := terms(text, asked)
	slices.Sort(list)
	return &Need{terms: slices.Compact(list), whole: small(text), words: newSplitter()}
}

// Meets returns how many of the need's keywords (MEM-5) a text has, and all and one more
// where the need stands in it as it is, regardless of case; 0: nothing meets it.
func (n *Need) Meets(text string) int {
	if n.whole != "" && strings.Contains(small(text), n.whole) {
		return len(n.terms) + 1
	}
	if len(n.terms) == 0 {
		return 0
	}
	has := n.words.terms(text, indexed)
	slices.Sort(has)
	met := 0
	for _, t := range n.terms {
		if _, ok := slices.BinarySearch(has, t); ok {
			met++
		}
	}
	return met
}

func small(text string) string { return strings.ToLower(norm.NFKC.String(strings.TrimSpace(text))) }
