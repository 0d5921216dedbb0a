package mend

import "strings"

// Where a text may end, and what says that it has ended before, is told by what comes after a quote.

// odd reports whether a text holds an odd number of the quotes that enclose it.
func odd(s, enclosed string) bool {
	return (strings.Count(s, enclosed[:1])-strings.Count(s, `\`+enclosed[:1]))%2 == 1
}

// balanced reports whether the brackets of a text have partners.
func balanced(s string) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(s, pair[:1]) != strings.Count(s, pair[1:]) {
			return false
		}
	}
	return true
}

// lost returns the name of an argument that may begin at i, in a text; empty: none.
func (r *search) lost(p *place, i int) string {
	switch c := r.s[i]; {
	case p.last != '=':
		return r.nameAt(p, r.s[i:])
	case strings.IndexByte(",;\"'`", c) >= 0:
		return r.nameAt(p, r.skip(r.s[i+1:]))
	default:
		return ""
	}
}

// nameAt returns the name of an argument at the front of s; empty: there is none.
func (r *search) nameAt(p *place, s string) string {
	if p.last == '=' {
		n := wordEnd(s)
		if after := r.skip(s[n:]); !strings.HasPrefix(after, "=") || strings.HasPrefix(after, "==") {
			return ""
		}
		return s[:n]
	}
	name, n := keyAt(s)
	if n == 0 || !strings.HasPrefix(r.skip(s[n:]), ":") {
		return ""
	}
	return name
}

// ended reports whether a text in which each quote has its partner seems to have ended before what is at i: the
// end of all that is open, a comment, an operator, another text on a line of its own, or an argument or what
// looks like a part of one after a bracket or a comma.
func (r *search) ended(p *place, i int) bool {
	rest := strings.TrimLeft(r.s[i:], Blanks)
	r.left -= len(r.s) - i - len(rest)
	if len(rest) < len(r.s)-i && (comment(rest) > 0 || p.last == '=' && strings.HasPrefix(rest, "#")) {
		return true
	}
	rest = r.skip(rest)
	if rest == "" {
		return false
	}
	switch c := rest[0]; {
	case c == '+':
		return true
	case c == '%':
		return len(rest) > 1 && (isQuote(rest[1]) || strings.IndexByte(Blanks+"(", rest[1]) >= 0)
	case isQuote(c) && strings.Contains(r.s[i:len(r.s)-len(rest)], "\n"):
		return true
	case strings.IndexByte("}]),;", c) < 0:
		return r.nameAt(p, rest) != ""
	}
	open := p.open
	for open != "" && rest != "" && closes(open[len(open)-1], rest[0]) {
		open, rest = open[:len(open)-1], r.skip(rest[1:])
	}
	if open == "" {
		return rest != "" && !isQuote(rest[0]) // which would end a text that is only brackets
	}
	rest = strings.TrimLeft(rest, "}]),;"+Blanks)
	return rest != "" && (Letter(rest[0]) || isQuote(rest[0]) && len(rest) > 1 && Letter(rest[1]))
}

// ends reports whether a text that is a value may end before what is at i: the end of what it is in, or
// a comma and what may follow one there, but no unknown argument among known ones. before: what follows is another
// value.
func (r *search) ends(p *place, i int) (ends, before bool) {
	rest := r.skip(r.s[i:])
	switch {
	case rest == "":
		return false, false
	case closes(p.inside(), rest[0]):
		return true, false
	case rest[0] != ',':
		return false, false
	}
	rest = r.skip(rest[1:])
	switch {
	case rest == "":
		return false, false
	case closes(p.inside(), rest[0]):
		return true, false
	case p.inside() == '[':
		return true, true
	}
	name := r.nameAt(p, rest)
	if word := rest[:wordEnd(rest)]; p.inside() == '{' && Letter(rest[0]) && strings.HasPrefix(r.skip(rest[len(word):]), ":") {
		name = word
	}
	return name != "" && (p.args != len(p.open) || r.known(name)), name != ""
}
