package mend

import (
	"slices"
	"strings"
)

// Fit says of a way to read a text how well it fits what can be meant.
type Fit struct {
	Known   int  // arguments that are known
	Unknown int  // others
	Doubted bool // it is not taken, and only casts doubt on others
}

// Outcome is a way to read a text.
type Outcome struct {
	Text string
	// Held are the names of arguments that seem to begin in its texts.
	Held []string
	// Torn are those in texts with an odd number of the quotes that enclose them.
	Torn []string
}

// Quotes returns s with its texts as JSON writes them and without comments, up to where its first bracket
// is closed or beyond, if it is clear where each text ends. The texts may hold the quotes that enclose
// them, line ends and backslashes that begin no escape, and be enclosed in single quotes, in three of
// either kind or in backquotes. s is JSON, or a call's keyword arguments in their brackets, and what may
// follow them. known reports whether a key may be that of an argument: among such keys, no text ends before
// one that is not. fits judges an outcome, and returns false if it cannot be meant. Of several that can, one
// must have at least as many known arguments as any other and fewer flaws, or more and no more flaws.
// Flaws are arguments that are not known, texts whose quotes or brackets have no partner, comments
// with quotes, and ends that were passed over although another value begins there. An outcome
// with an argument that is not known, a text whose backslashes may mean two things, or one that goes on where
// it seems to have ended, is never taken.
func Quotes(s string, known func(name string) bool, fits func(Outcome) (Fit, bool)) (string, bool) {
	search := search{s: s, known: known, fits: fits, left: len(s)*looksEach + looksMin}
	search.from(place{}, 0)
	if search.left < 0 {
		return s, false
	}
	for i := range search.found {
		one := &search.found[i]
		if !one.doubted && !slices.ContainsFunc(search.found, func(other judged) bool { return other.text != one.text && !one.beats(&other) }) {
			return one.text, true
		}
	}
	return s, false
}

// A search looks at no more than looksEach times the characters of its text and looksMin, goes on
// after no more than textsMax texts and in no more than depthMax brackets, and has no more than outcomesMax
// outcomes judged. If that is not enough, nothing is mended.
const (
	looksEach   = 64
	looksMin    = 1 << 18
	textsMax    = 256
	depthMax    = 64
	outcomesMax = 256
)

// search finds the ways in which a text can be read.
type search struct {
	s      string
	known  func(name string) bool
	fits   func(Outcome) (Fit, bool)
	left   int // characters that may still be looked at
	judges int // outcomes
	found  []judged
}

// judged is an outcome that can be meant.
type judged struct {
	text    string
	known   int
	flaws   int
	doubted bool
}

// beats reports whether one outcome explains more than another.
func (o *judged) beats(other *judged) bool {
	return !o.doubted && o.known >= other.known && o.flaws <= other.flaws && (o.known > other.known || o.flaws < other.flaws)
}

// place is how far a text has been read, and as what.
type place struct {
	at      int
	out     []byte
	open    string // the brackets that are open
	args    int    // how many brackets are open where there are known arguments
	last    byte   // the last character outside texts that is not a blank; '"' for a text, 'a' for a word
	flaws   int    // texts without balance, and ends passed over
	held    []string
	torn    []string
	doubted bool // it is read in a way that is not taken, and only casts doubt on others
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
		case isQuote(c):
			r.text(p, texts)
			return
		case strings.IndexByte("{[(", c) >= 0:
			if len(p.open) == depthMax {
				r.left = -1
				return
			}
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
	if r.judges++; r.judges > outcomesMax {
		r.left = -1
		return false
	}
	rest := r.s[p.at:]
	r.left -= len(p.out) + len(rest)
	text := string(p.out) + rest
	if fit, ok := r.fits(Outcome{Text: text, Held: p.held, Torn: p.torn}); ok {
		r.found = append(r.found, judged{text: text, known: fit.Known, flaws: p.flaws + fit.Unknown, doubted: p.doubted || fit.Doubted || fit.Unknown > 0})
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
			if r.known(key) {
				p.args = len(p.open)
			}
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
	var held []string
	own := 0 // the quotes that the text holds
	for i := from; i < len(r.s) && r.left >= 0; i++ {
		r.left--
		if name := r.lost(&p, i); name != "" {
			held = append(held, name)
		}
		if r.s[i] == '\\' {
			i++
			continue
		}
		if !strings.HasPrefix(r.s[i:], in) {
			continue
		}
		ends, before := r.ends(&p, i+len(in))
		if ends {
			text, sure := literal(r.s[from:i], in, p.last == '=')
			r.left -= len(p.out) + 2*len(text)
			next := place{at: i + len(in), out: slices.Concat(p.out, []byte(text)), open: p.open, args: p.args, last: '"', flaws: p.flaws + passed, held: p.held, torn: p.torn, doubted: p.doubted || !sure}
			switch raw := r.s[from:i]; {
			case odd(raw, in):
				next.torn = slices.Concat(p.torn, held)
				next.flaws++
				next.doubted = next.doubted || raw[0] == in[0] || raw[len(raw)-1] == in[0] // it may be one too many
			case !balanced(raw):
				next.flaws++
				fallthrough
			default:
				next.held = slices.Concat(p.held, held)
			}
			r.from(next, texts+1)
		}
		if before {
			passed++
		}
		if own%2 == 0 && r.ended(&p, i+len(in)) {
			p.doubted = true
		}
		own++
	}
}

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
