package redact

import (
	"strconv"
	"strings"
)

// placeholder is what stands for the n-th secret, from 1, of the given length in bytes: [secret-1]
// filled up with dots, or shorter where it has no room.
func placeholder(n, bytes int) string {
	number := strconv.Itoa(n)
	for _, head := range []string{"[secret-" + number, "[s" + number} {
		if len(head)+1 <= bytes {
			return filled(head, bytes)
		}
	}
	return strings.Repeat(".", bytes)
}

// filled is a head with dots and a bracket after it, of the given length in bytes.
func filled(head string, bytes int) string {
	if bytes <= len(head) {
		return strings.Repeat(".", bytes)
	}
	return head + strings.Repeat(".", bytes-len(head)-1) + "]"
}

// isPlaceholder reports whether a text is a placeholder, or the part of one that a
// pattern takes for a value.
func isPlaceholder(text string) bool {
	rest, ok := strings.CutPrefix(text, "[s")
	if ok {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "ecret"), "-")
		rest = strings.TrimSuffix(strings.TrimLeft(rest, "0123456789"), "]")
	}
	return strings.Trim(rest, ".") == ""
}
