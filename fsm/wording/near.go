package wording

import (
	"slices"
	"strings"
)

// Unknown returns a message that a word is not one of those allowed, each named once, and which
// was likely meant.
func Unknown(what, word string, allowed []string) string {
	others := "there is none"
	if len(allowed) > 0 {
		others = "allowed: " + strings.Join(once(allowed), ", ")
	}
	return "unknown " + what + " " + Word(word) + "; " + Meant(word, allowed, others)
}

// once returns the words in their order, each at its first place.
func once(words []string) (list []string) {
	for _, w := range words {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// Meant asks whether the nearest candidate was meant; if none is near, it says something else.
func Meant(word string, candidates []string, otherwise string) string {
	if near := Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// Nearest returns the candidate that word was most likely meant to be, or "". Of equally
// near ones the first wins.
func Nearest(word string, candidates []string) string {
	if len(word) > ShownMax {
		return ""
	}
	best, bound := "", max(1, len(word)/3)
	for _, c := range candidates {
		a, b := strings.ToLower(word), strings.ToLower(c)
		if d := min(Distance(a, b), Distance(singular(a), singular(b))); d <= bound {
			best, bound = c, d-1
		}
	}
	return best
}

// singular is a word with y for ies at its end, so that reply is near to replies.
func singular(word string) string {
	if stem, plural := strings.CutSuffix(word, "ies"); plural {
		return stem + "y"
	}
	return word
}

// Distance returns how many bytes must be inserted, deleted, replaced or swapped with their
// neighbour to turn a into b (optimal string alignment).
func Distance(a, b string) int {
	var older, old []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, old, row = old, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
