package redact

import (
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
	return strings.Repeat(filler, bytes)
}

// filled is a head, filled up, and a bracket, of the given length in bytes.
func filled(head string, bytes int) string {
	if bytes <= len(head) {
		return strings.Repeat(filler, bytes)
	}
	return head + strings.Repeat(filler, bytes-len(head)-1) + "]"
}

// isPlaceholder reports whether a text is a placeholder, or the part of one that a
// pattern takes for a value.
func isPlaceholder(text string) bool {
	rest, ok := strings.CutPrefix(text, "[s")
	if ok {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "ecret"), "-")
		rest = strings.TrimSuffix(strings.TrimLeft(rest, "0123456789"), "]")
	}
	return strings.Trim(rest, filler) == ""
}
