package markdown

import "strings"

// Split cuts a text into parts that can be rendered one by one: all parts but the last stay the
// same, whatever is appended to the text. Parts end at blank lines that are neither in a fenced
// block nor before an indented line, which may belong to a list.
func Split(source string) []string {
	var parts []string
	var part strings.Builder
	fence, blank := "", false
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if closes(text, fence) {
				fence = ""
			}
		case text == "":
			blank = true
		default:
			if blank && part.Len() > 0 && line[0] != ' ' && line[0] != '\t' {
				parts = append(parts, part.String())
				part.Reset()
			}
			blank = false
			fence = opens(text)
		}
		part.WriteString(line)
	}
	if strings.TrimSpace(part.String()) != "" {
		parts = append(parts, part.String())
	}
	return parts
}

// opens returns the fence that a line opens, or "".
func opens(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 && (mark == "~" || !strings.Contains(line[n:], mark)) {
			return line[:n]
		}
	}
	return ""
}

func closes(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}
