package file

import (
	"regexp"
	"slices"
	"strings"
)

// oneLine refuses a text that is escaped twice.
const oneLine = "%s is one line with \\n in it; nothing was written: escape its line ends once, or if it is meant so, end it with one"

// escapedTwice reports whether a text of one line has the line ends of several, as \n outside quotes.
func escapedTwice(text string) bool {
	ends := escapedEnds(text)
	return len(ends) > 1 || len(ends) == 1 && strings.HasSuffix(text, `\n`)
}

// moreLines is what only several lines have after an escaped line end: another one, or an indentation. What begins
// with a letter may be a command of TeX or a path, and what ends with one a comment on line ends.
var moreLines = regexp.MustCompile(`^\\n(?:\\[nt]|\s\s|\t)`)

// insertsEscaped reports whether new is escaped twice in place of old, which may be a part of a line.
func insertsEscaped(old, new string) bool {
	return !strings.Contains(old, `\n`) && slices.ContainsFunc(escapedEnds(new), func(at int) bool { return moreLines.MatchString(new[at:]) })
}

// escapedEnds returns where the \n outside quotes are in a text of one line.
func escapedEnds(text string) (ends []int) {
	if strings.Contains(text, "\n") {
		return nil
	}
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if text[i+1] == 'n' && quote == 0 {
				ends = append(ends, i)
			}
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' || c == '`') && !apostrophe.MatchString(text[max(0, i-2):min(i+2, len(text))]) && strings.IndexByte(text[i+1:], c) >= 0:
			quote = c
		}
	}
	return ends
}

// apostrophe is one within a word, which is not the prefix of a string.
var apostrophe = regexp.MustCompile(`(?:[\pL]{2}|[^rRbBfFuU\W])'\pL$`)
