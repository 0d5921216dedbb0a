package markdown

import "strings"

// Bounds of what is rendered. The parser takes the square of the depth of a line, and of the
// brackets in a paragraph.
const (
	depthMax    = 50   // quotes and lists that one line begins
	bracketsMax = 2000 // opening brackets of a paragraph
)

// heavy reports whether rendering a text would take long for its length, as an answer of a model that repeats a
// mark would. What is in a fence at the beginning of a line is not looked at, unless HTML may
// make text of the fence.
func heavy(source string) bool {
	fence, html, brackets := "", false, 0
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if closes(text, fence) {
				fence = ""
			}
			continue
		case text == "":
			brackets = 0
		case text[0] == '<':
			html = true
		case !html && line[0] == text[0]:
			fence = opens(text)
		}
		if brackets += strings.Count(text, "["); brackets > bracketsMax || deep(text) {
			return true
		}
	}
	return false
}

// deep reports whether a line begins with too many marks of quotes and lists.
func deep(line string) bool {
	marks := 0
	for i := 0; i < len(line) && marks <= depthMax; i++ {
		switch c := line[i]; {
		case c == ' ', c == '\t', c >= '0' && c <= '9':
		case c == '>', strings.IndexByte("-+*.)", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			marks++
		default:
			return false
		}
	}
	return marks > depthMax
}
