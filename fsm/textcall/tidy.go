package textcall

import "encoding/json"

// TidyJSON returns s with blanks for the commas that stand after the last member of an
// object or a list, where that alone keeps it from being JSON; else s as it is. Nothing
// else can be meant by such a comma (INF-25).
func TidyJSON(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	b := make([]byte, 0, len(s))
	quoted := false
	comma := -1   // where in b a comma stands after which only blanks have come
	var last byte // the last that is no blank
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
