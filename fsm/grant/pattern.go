package grant

import (
	"slices"
	"strings"
	"unicode"

	"shelly/fsm"
)

// special has the characters with which a shell begins or nests another command, expands a
// word, or redirects output. The star of a pattern that spares a question matches none of
// them.
const special = ";&|<>$`(){}\\"

// asksFor reports whether a pattern that asks fits a text. Blanks in a row count as one.
func asksFor(like, text string) bool {
	anything := func(rune) bool { return true }
	return glob(runesOf(squeezed(like)), []rune(squeezed(text)), anything) || glob(runesOf(like), []rune(text), anything)
}

// spares reports whether a pattern that spares a question fits a text. With a star, the
// text must not lead out of a folder (..) unless the pattern does.
func spares(like, text string) bool {
	p := runesOf(like)
	if !literal(p) && strings.Contains(text, "..") && !strings.Contains(like, "..") {
		return false
	}
	return glob(p, []rune(text), func(r rune) bool { return !unicode.IsControl(r) && !strings.ContainsRune(special, r) })
}

// squeezed returns a text without blanks at its ends, and with one blank for several in a
// row.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// element is a character of a pattern, or a star.
type element struct {
	r    rune
	star bool
}

// runesOf reads a pattern.
func runesOf(like string) []element {
	var p []element
	escaped := false
	for _, r := range like {
		switch {
		case escaped:
			p, escaped = append(p, element{r: r}), false
		case r == '\\':
			escaped = true
		default:
			p = append(p, element{r: r, star: r == '*'})
		}
	}
	if escaped {
		p = append(p, element{r: '\\'})
	}
	return p
}

// literal reports whether a pattern fits only one text.
func literal(p []element) bool {
	return !slices.ContainsFunc(p, func(e element) bool { return e.star })
}

// glob reports whether a pattern fits a text, each star matching only characters for which
// may is true. It backtracks to the last star only, so its time is at most the product of
// both lengths.
func glob(p []element, text []rune, may func(rune) bool) bool {
	i, back, from := 0, -1, 0
	for n := 0; n < len(text); {
		switch {
		case i < len(p) && p[i].star:
			back, from = i, n
			i++
		case i < len(p) && p[i].r == text[n]:
			i++
			n++
		case back >= 0 && may(text[from]):
			from++
			i, n = back+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i].star {
		i++
	}
	return i == len(p)
}

// quoted returns the pattern that fits only the given text.
func quoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(text)
}

// Literal reports whether a grant covers exactly one text of each of its arguments, as a
// grant made from a question does.
func Literal(g *fsm.Grant) bool {
	for _, m := range g.Match {
		if !literal(runesOf(m.Like)) {
			return false
		}
	}
	return !g.Any
}

// FitsName reports whether a pattern for tool names, in which a star matches any text, fits
// a name.
func FitsName(like, name string) bool {
	return glob(runesOf(like), []rune(name), func(rune) bool { return true })
}
