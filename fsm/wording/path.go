package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path returns a path as a call can give it, which is text: \xNN stands for a byte that is not UTF-8.
func Path(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	var b strings.Builder
	for len(path) > 0 {
		r, n := utf8.DecodeRuneInString(path)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, path[0])
		} else {
			b.WriteString(path[:n])
		}
		path = path[n:]
	}
	return b.String()
}

// PathLine returns a path on one line; one with unusual characters is quoted. What is not
// UTF-8 is shown as Path does.
func PathLine(name string) string {
	name = Path(name)
	odd := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
	if odd || strings.TrimSpace(name) != name || strings.Contains(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}
