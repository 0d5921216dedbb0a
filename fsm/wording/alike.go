package wording

import "strings"

// Numberless returns a text with 0 for each number in it, to tell whether two say the same but for a
// port, a process or how much of something is left.
func Numberless(text string) string {
	var b strings.Builder
	in := false
	for i := range len(text) {
		digit := text[i] >= '0' && text[i] <= '9'
		switch {
		case !digit:
			b.WriteByte(text[i])
		case !in:
			b.WriteByte('0')
		}
		in = digit
	}
	return b.String()
}
