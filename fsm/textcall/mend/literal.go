package mend

import "strings"

// literal returns a text as JSON writes it, as it stands between what encloses it. It returns false if it may
// mean two things: if a backslash begins no escape there, all may be themselves. So they are, if
// they are in no text that would be an escape by itself.
func literal(raw, enclosed string, keyword bool) (string, bool) {
	var b strings.Builder
	b.WriteByte('"')
	e := escapes{}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			b.WriteString(`\"`)
		case c < ' ':
			control := encoded(string(rune(c)))
			b.WriteString(control[1 : len(control)-1])
		case c != '\\':
			b.WriteByte(c)
		case i+1 == len(raw):
			return "", false
		default:
			n := e.add(&b, raw[i+1:], enclosed)
			i += n
		}
	}
	b.WriteByte('"')
	return b.String(), e.oneMeaning(raw, keyword)
}

// escapes counts what is behind the backslashes of a text.
type escapes struct {
	lines int // \n and \t
	other int // other escapes that are a letter
	none  int // what is no escape
	both  int // what is an escape to some languages only: \/ in single quotes, and the end of a line
}

// add writes what a backslash means before s, and returns how many characters of s that takes.
func (e *escapes) add(b *strings.Builder, s, enclosed string) int {
	switch c := s[0]; c {
	case '"', '\\':
		b.WriteString(`\` + s[:1])
	case '\'', '`':
		b.WriteByte(c)
	case '/':
		if enclosed[0] == '\'' {
			e.both++
		}
		b.WriteByte(c)
	case '\r', '\n':
		e.both++
	case 'n', 't':
		e.lines++
		b.WriteString(`\` + s[:1])
	case 'b', 'f', 'r':
		e.other++
		b.WriteString(`\` + s[:1])
	case 'u':
		if len(s) > 4 && isHex(s[1:5]) {
			e.other++
			b.WriteString(`\` + s[:5])
			return 5
		}
		fallthrough
	default:
		e.none++
		b.WriteString(`\\`)
		return 0
	}
	return 1
}

// oneMeaning reports whether it is clear which of the backslashes are escapes. Of a path of Windows it
// is not, unless none is. Other texts with both have at least a blank in them.
func (e *escapes) oneMeaning(raw string, keyword bool) bool {
	path := strings.Contains(raw, `:\`)
	switch {
	case e.both > 0:
		return false
	case e.none > 0:
		return e.other == 0 && (e.lines == 0 || !path && strings.Contains(raw, " "))
	default:
		return !keyword || e.other == 0 && !path // where texts were taken as they stand before
	}
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
