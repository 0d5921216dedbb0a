package mend

import (
	"slices"
	"strings"
)

// Fit says of a way to read a text how well it fits what can be meant.
type Fit struct {
	Known   int // arguments that are known
	Unknown int // others
}

// Quotes returns s with its texts as JSON writes them and without comments, up to where its first bracket
// is closed or beyond, if it is clear where each text ends. The texts may hold the quotes that enclose
// them, line ends and backslashes that begin no escape, and be enclosed in single quotes, in three of
// either kind or in backquotes. s is JSON, or a call's keyword arguments in their brackets, and what may
// follow them. fits judges an outcome, and returns false if it cannot be meant. Of several that can, one
// must have at least as many known arguments as any other and fewer flaws, or more and no more flaws.
// Flaws are arguments that are not known, texts whose quotes or brackets have no partner, comments
// with quotes, and ends that were passed over although another value begins there. An outcome
// with an argument that is not known, or a text whose backslashes may mean two things, is never taken.
func Quotes(s string, fits func(string) (Fit, bool)) (string, bool) {
	search := search{s: s, fits: fits, left: len(s)*looksEach + looksMin}
	search.from(place{}, 0)
	if search.left < 0 {
		return s, false
	}
	for i := range search.found {
		one := &search.found[i]
		if !one.doubted && !slices.ContainsFunc(search.found, func(other outcome) bool { return other.text != one.text && !one.beats(&other) }) {
			return one.text, true
		}
	}
	return s, false
}

// A search looks at no more than looksEach times the characters of its text and looksMin, goes on
// after no more than textsMax texts, and has no more than outcomesMax outcomes judged. If that is not enough,
// nothing is mended.
const (
	looksEach   = 16
	looksMin    = 1 << 16
	textsMax    = 256
	outcomesMax = 64
)

// search finds the ways in which a text can be read.
type search struct {
	s      string
	fits   func(string) (Fit, bool)
	left   int // characters that may still be looked at
	judged int // outcomes
	found  []outcome
}

// outcome is one way to read a text.
type outcome struct {
	text    string
	known   int
	flaws   int
	doubted bool
}

// beats reports whether one outcome explains more than another.
func (o *outcome) beats(other *outcome) bool {
	return !o.doubted && o.known >= other.known && o.flaws <= other.flaws && (o.known > other.known || o.flaws < other.flaws)
}

// place is how far a text has been read, and as what.
type place struct {
	at      int
	out     []byte
	open    string // the brackets that are open
	last    byte   // the last character outside texts that is not a blank; '"' for a text, 'a' for a word
	flaws   int    // texts without balance, and ends passed over
	doubted bool   // it is read in a way that is not taken, and only casts doubt on others
}

// take reads n characters as they are.
func (p *place) take(s string, n int, last byte) {
	p.out = append(p.out, s[p.at:p.at+n]...)
	p.at, p.last = p.at+n, last
}

func (p *place) inside() byte {
	if p.open == "" {
		return 0
	}
	return p.open[len(p.open)-1]
}

// from reads on to the first text, which it leaves to [search.text], or to the end.
func (r *search) from(p place, texts int) {
	for p.at < len(r.s) {
		if r.left--; r.left < 0 {
			return
		}
		c := r.s[p.at]
		switch {
		case strings.IndexByte(Blanks, c) >= 0:
			p.take(r.s, 1, p.last)
		case c == '"' || c == '\'' || c == '`':
			r.text(p, texts)
			return
		case strings.IndexByte("{[(", c) >= 0:
			p.open += string(c)
			p.take(r.s, 1, c)
		case strings.IndexByte("}])", c) >= 0:
			if !closes(p.inside(), c) {
				return
			}
			p.open = p.open[:len(p.open)-1]
			p.take(r.s, 1, c)
			if p.open == "" && !r.judge(&p) {
				return
			}
		case strings.IndexByte(":,;=", c) >= 0:
			p.take(r.s, 1, c)
		case isWord(c):
			n := wordEnd(r.s[p.at:])
			r.left -= n
			p.take(r.s, n, 'a')
		default:
			n := comment(r.s[p.at:])
			if n == 0 {
				return
			}
			if strings.ContainsAny(r.s[p.at:p.at+n], "\"'`") {
				p.flaws++ // it may be a part of a text
			}
			r.left -= n
			p.at += n
		}
	}
}

// judge has what has been read judged, with the rest as it is. If that cannot be meant, it goes to where the
// rest may hold another call; else, or if it holds none, it returns false.
func (r *search) judge(p *place) bool {
	if r.judged++; r.judged > outcomesMax {
		r.left = -1
		return false
	}
	rest := r.s[p.at:]
	r.left -= len(p.out) + len(rest)
	text := string(p.out) + rest
	if fit, ok := r.fits(text); ok {
		r.found = append(r.found, outcome{text: text, known: fit.Known, flaws: p.flaws + fit.Unknown, doubted: p.doubted || fit.Unknown > 0})
		return false
	}
	next := strings.IndexAny(rest, "{(")
	if next < 0 {
		return false
	}
	p.take(r.s, next, 0)
	return true
}

// text reads a key, or a text that is a value.
func (r *search) text(p place, texts int) {
	switch {
	case texts == textsMax:
		r.left = -1
		return
	case p.inside() == '{' && (p.last == '{' || p.last == ','):
		key, n := keyAt(r.s[p.at:])
		if n > 0 {
			p.out = append(p.out, encoded(key)...)
			p.at, p.last = p.at+n, '"'
			r.from(p, texts+1)
		}
		return
	case p.last != ':' && p.last != '=' && (p.inside() != '[' || p.last != '[' && p.last != ','):
		return // no value can be here
	}
	one := r.s[p.at : p.at+1]
	if three := strings.Repeat(one, 3); strings.HasPrefix(r.s[p.at:], three) {
		r.enclosed(p, three, texts)
		p.doubted, p.flaws = true, p.flaws+1 // that the text itself begins with two quotes may be meant, and is not taken
	}
	r.enclosed(p, one, texts)
}

// enclosed reads a text that is enclosed in certain quotes, and goes on from each end that it may have.
func (r *search) enclosed(p place, in string, texts int) {
	from, passed := p.at+len(in), 0
	for i := from; i < len(r.s) && r.left >= 0; i++ {
		r.left--
		if r.s[i] == '\\' {
			i++
			continue
		}
		if !strings.HasPrefix(r.s[i:], in) {
			continue
		}
		ends, before := r.ends(p, i+len(in))
		if !ends {
			continue
		}
		text, sure := literal(r.s[from:i], in, p.last == '=')
		r.left -= len(p.out) + 2*len(text)
		next := place{at: i + len(in), out: slices.Concat(p.out, []byte(text)), open: p.open, last: '"', flaws: p.flaws + passed, doubted: p.doubted || !sure}
		if !balanced(r.s[from:i], in) {
			next.flaws++
		}
		r.from(next, texts+1)
		if before {
			passed++
		}
	}
}

// balanced reports whether the quotes and brackets of a text have partners.
func balanced(s, enclosed string) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(s, pair[:1]) != strings.Count(s, pair[1:]) {
			return false
		}
	}
	quotes := strings.Count(s, enclosed) - strings.Count(s, `\`+enclosed)
	return quotes%2 == 0
}

// ends reports whether a text that is a value may end before what is at i: the end of what it is in, or
// a comma and what may follow one there. before: what follows is another value.
func (r *search) ends(p place, i int) (ends, before bool) {
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
	case p.inside() == '{':
		_, n := keyAt(rest)
		if word := wordEnd(rest); word > 0 && Letter(rest[0]) {
			n = word
		}
		before = n > 0 && strings.HasPrefix(r.skip(rest[n:]), ":")
	default:
		n := wordEnd(rest)
		after := r.skip(rest[n:])
		before = n > 0 && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==")
	}
	return before, before
}

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
