package mend

import "strings"

// literal returns a text as JSON writes it, as it stands between what encloses it. It returns false if its
// backslashes may mean two things.
func literal(raw, enclosed string, keyword bool) (string, bool) {
	e := escapesOf(raw, enclosed, keyword)
	as := e.meaning(raw, keyword)
	return written(raw, as), as != unclear
}

// written returns a text as JSON writes it, with backslashes of a meaning.
func written(raw string, as meaning) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			b.WriteString(`\"`)
		case c < ' ':
			control := encoded(string(rune(c)))
			b.WriteString(control[1 : len(control)-1])
		case c != '\\':
			b.WriteByte(c)
		case as == themselves || !isEscape(raw[i+1:]) || as == quotesOnly && !isQuote(raw[i+1]):
			b.WriteString(`\\`)
		default:
			i++
			if c = raw[i]; c != '\'' && c != '`' { // JSON has no escape for them, and needs none
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isEscape reports whether a backslash before s begins an escape.
func isEscape(s string) bool {
	return s != "" && strings.IndexByte("\"\\'`/ntbfr", s[0]) >= 0 || len(s) > 4 && s[0] == 'u' && isHex(s[1:5])
}

// escapes counts what is behind the backslashes of a text.
type escapes struct {
	lines   int  // \n and \t
	other   int  // other escapes that are a letter
	quotes  int  // those of quotes
	slashes int  // those of backslashes
	inner   int  // of lines, other and quotes, those in quotes that the text holds, where they may be escapes of its own
	within  int  // of lines and other, those in quotes that are escaped
	none    int  // what is no escape
	both    int  // what is an escape to some languages only: \/ in single quotes, and the end of a line in Python
	split   bool // the text has line ends that are not escaped
}

// escapesOf counts. The quotes that a text holds are paired line by line.
func escapesOf(raw, enclosed string, keyword bool) (e escapes) {
	in := byte(0)     // the quote that is open
	inside := byte(0) // the escaped quote that is
	escaped := 0      // where the last escape ends
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\n':
			e.split, in, inside = true, 0, 0
		case (c == '"' || c == '\'') && strings.HasPrefix(raw[i:], strings.Repeat(raw[i:i+1], 3)):
			i += 2 // what they enclose has lines
		case c == in:
			in = 0
		case in == 0 && (c == '"' || c == '\'' && !inWord(raw[escaped:i])):
			in = c
		case c == '\\' && i+1 < len(raw):
			i++
			escaped = i + 1
			e.add(raw[i:], enclosed, keyword, in)
			switch c = raw[i]; {
			case c == '\n':
				e.split, in, inside = true, 0, 0
			case c == inside:
				inside = 0
			case inside == 0 && isQuote(c):
				inside = c
			case inside != 0 && Letter(c) && isEscape(raw[i:]):
				e.within++
			}
		}
	}
	return e
}

// inWord reports whether a single quote after s is an apostrophe. A letter alone before one may belong to a text
// of Python, as in r'x'.
func inWord(s string) bool {
	n := len(s)
	return n > 0 && Letter(s[n-1]) && (strings.IndexByte("rbfuRBFU", s[n-1]) < 0 || n > 1 && Letter(s[n-2]))
}

// add counts a backslash before s, where a quote is open.
func (e *escapes) add(s, enclosed string, keyword bool, open byte) {
	c := s[0]
	switch {
	case c == '\\':
		e.slashes++
	case c == '/' && enclosed[0] == '\'', keyword && (c == '\r' || c == '\n'):
		e.both++
	case c == '/':
	case !isEscape(s):
		e.none++
	case isQuote(c):
		e.quotes++
		if open == c {
			e.inner++
		}
		return
	case c == 'n' || c == 't':
		e.lines++
	default:
		e.other++
	}
	if open != 0 && Letter(c) && isEscape(s) {
		e.inner++
	}
}

// meaning is what the backslashes of a text mean.
type meaning int

const (
	unclear    meaning = iota
	asEscapes          // what can be an escape is one
	themselves         // each is a character of the text
	quotesOnly         // each is, but for those before quotes
)

// meaning says what the backslashes mean. Who does not escape line ends escapes nothing, so that there what is
// no escape, and what quotes in the text enclose, show that all are themselves. On a single line they show
// nothing. Of a path of Windows it is not clear which are escapes, unless none is. Other texts with both
// have at least a blank in them.
func (e *escapes) meaning(raw string, keyword bool) meaning {
	clear := false
	switch {
	case e.both > 0:
	case e.split && (e.none > 0 || e.inner > 0):
		if e.lines+e.other+e.quotes == e.inner {
			return themselves
		}
	case e.split:
		clear = e.lines+e.other == 0
	case e.inner > 0:
	case e.none > 0:
		clear = e.other+e.quotes+e.slashes == 0 && (e.lines == 0 || !isPath(raw) && strings.Contains(raw, " "))
	default:
		clear = !keyword || e.other == 0 && !isPath(raw) // where texts were taken as they stand before
	}
	if clear {
		return asEscapes
	}
	return unclear
}

// fully is meaning since the eighteenth edition, of a text that JSON encloses: who escapes quotes but no line ends
// may escape nothing else, which what is no escape shows, and escapes in the quotes.
func (e *escapes) fully(raw string) meaning {
	letters := e.lines + e.other
	if e.split && e.quotes > 0 && e.slashes+e.both+e.inner == 0 && letters == e.within && e.none+e.within > 0 {
		return quotesOnly
	}
	return e.meaning(raw, false)
}

// isPath reports whether a text may have a path of Windows in it: a drive, and a name after a single backslash.
func isPath(s string) bool {
	for {
		drive, after, found := strings.Cut(s, `:\`)
		if !found {
			return false
		}
		n := len(drive)
		if n > 0 && Letter(drive[n-1]) && (n == 1 || !Letter(drive[n-2])) && len(after) > 1 && isWord(after[0]) && isWord(after[1]) {
			return true
		}
		s = after
	}
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
