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
