package mend

import "strings"

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// skip returns what comes after blanks and comments.
func (r *search) skip(s string) string {
	for {
		rest := strings.TrimLeft(s, Blanks)
		rest = rest[comment(rest):]
		r.left -= len(s) - len(rest)
		if len(rest) == len(s) {
			return s
		}
		s = rest
	}
}

// closes reports whether a bracket is the end of what another begins.
func closes(open, c byte) bool {
	return open == '{' && c == '}' || open == '[' && c == ']' || open == '(' && c == ')'
}

// comment returns the length of the comment at the front of s, without the line end after it, or 0.
func comment(s string) int {
	if strings.HasPrefix(s, "//") {
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	}
	if strings.HasPrefix(s, "/*") {
		if n := strings.Index(s[2:], "*/"); n >= 0 {
			return n + len("/**/")
		}
	}
	return 0
}

// isWord reports whether c may be in a number, a name, or a value by its name.
func isWord(c byte) bool {
	return Letter(c) || c >= '0' && c <= '9' || strings.IndexByte("+-.", c) >= 0
}

func wordEnd(s string) (n int) {
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

// keyMax is longer than the name of any argument.
const keyMax = 64

// keyAt returns the key in quotes at the front of s, and its length with them, or 0.
func keyAt(s string) (key string, n int) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", 0
	}
	head := s[1:min(len(s), keyMax+2)]
	key, _, whole := strings.Cut(head, s[:1])
	if !whole || strings.ContainsAny(key, "\\\"'`\r\n") {
		return "", 0
	}
	return key, len(key) + 2
}
