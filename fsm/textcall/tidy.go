package textcall

import (
	"encoding/json"

	"shelly/fsm/textcall/mend"
)

// tidy returns s with what the forms take for small mistakes corrected.
func (f Forms) tidy(s string) string {
	if f < Mended {
		return TidyJSON(s)
	}
	return mend.JSON(s, f.backslashes())
}

// backslashes says what backslashes are in texts with line ends that are not escaped.
func (f Forms) backslashes() mend.Backslashes { return mend.Backslashes(f >= Verbatim) }

// TidyJSON returns s with blanks in place of commas after the last member of an object or a
// list, if only they keep it from being JSON; else s as it is. Such a comma cannot mean
// anything else (INF-25).
func TidyJSON(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	b := make([]byte, 0, len(s))
	quoted := false
	comma := -1   // the index in b of a comma followed only by blanks so far
	var last byte // the last byte that is not a blank
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			b = append(b, c)
			i++
			c = s[i]
		case c == '"':
			quoted, comma = !quoted, -1
		case quoted || c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == ',' && last != '{' && last != '[' && last != ',':
			comma = len(b)
		case (c == '}' || c == ']') && comma >= 0:
			b[comma] = ' '
		default:
			comma = -1
		}
		b = append(b, c)
		if c > ' ' {
			last = c
		}
	}
	if json.Valid(b) {
		return string(b)
	}
	return s
}
