package redact

import (
	"regexp"
	"strconv"
	"strings"
)

const filler = "x"

// placeholder is what stands for the n-th secret, from 1, of the given length in bytes: [secret-1]
// filled up, or shorter where it has no room. What fills it ends no sentence, as dots do: the machine
// reads what follows one otherwise (HND-60).
func placeholder(n, bytes int) string {
	number := strconv.Itoa(n)
	for _, head := range []string{"[secret-" + number, "[s" + number} {
		if len(head)+1 <= bytes {
			return filled(head, bytes)
		}
	}
	return filled("[", bytes)
}

// filled is a head, filled up, and a bracket, of the given length in bytes. It never joins the words
// beside it where it has room for its brackets.
func filled(head string, bytes int) string {
	switch {
	case bytes > len(head):
		return head + strings.Repeat(filler, bytes-len(head)-1) + "]"
	case bytes >= len("[]"):
		return filled("[", bytes)
	}
	return strings.Repeat(filler, bytes)
}

// hasPlaceholder reports whether what a pattern takes for a value has a placeholder in it, or the
// beginning of one at its end.
func hasPlaceholder(text string) bool {
	for begun := strings.IndexByte(text, '['); begun >= 0; begun = strings.IndexByte(text, '[') {
		text = text[begun+1:]
		rest := text
		if after, numbered := strings.CutPrefix(rest, "s"); numbered {
			rest = strings.TrimLeft(strings.TrimPrefix(after, "ecret-"), "0123456789")
		}
		if rest = strings.TrimLeft(rest, filler); rest == "" || rest[0] == ']' && len(rest) < len(text) {
			return true
		}
	}
	return false
}

// LinesLeft returns the numbers, from 1, of the lines of a text in which a placeholder stands for a
// secret, as far as it can be told from a list such as [s1].
func LinesLeft(text string) (lines []int) {
	stands := regexp.MustCompile(`\[(secret-[0-9]+|s[0-9]+` + filler + `)` + filler + `*\]`)
	number := 0
	for line := range strings.Lines(text) {
		if number++; stands.MatchString(line) {
			lines = append(lines, number)
		}
	}
	return lines
}

// isPlaceholder reports whether a text is a placeholder, or the part of one that a
// pattern takes for a value.
func isPlaceholder(text string) bool {
	rest, ok := strings.CutPrefix(text, "[")
	if ok {
		if after, numbered := strings.CutPrefix(rest, "s"); numbered {
			rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(after, "ecret"), "-"), "0123456789")
		}
		rest = strings.TrimSuffix(rest, "]")
	}
	return strings.Trim(rest, filler) == ""
}
