package redact

import (
	"bytes"
	"html"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// depthMax is how many times over a text may be escaped: a program's output in the arguments
// of a call is escaped twice, and what it quotes is escaped before that.
const depthMax = 4

// view is a text as it reads with something taken out of it, such as its escapes.
type view struct {
	text  []byte
	spans []span // where each byte comes from; none where nobody asks
	lines bool   // its lines are joined
}

// span is a part of the text that a view is of.
type span struct{ begin, end int }

// escapes are the bytes that an escape begins with.
const escapes = `\&%`

// levels are the ways in which a text with escapes reads: with them read once, and several
// times over.
func levels(text string, mapped bool) iter.Seq[view] {
	return func(yield func(view) bool) {
		if !strings.ContainsAny(text, escapes) {
			return
		}
		v := whole(text, mapped)
		for range depthMax {
			next := v.unescaped()
			if len(next.text) == len(v.text) || !yield(next) { // an escape is longer than what it means
				return
			}
			v = next
		}
	}
}

// readings are a text and its levels.
func readings(text string) iter.Seq[view] {
	return func(yield func(view) bool) {
		if !yield(whole(text, true)) {
			return
		}
		for v := range levels(text, true) {
			if !yield(v) {
				return
			}
		}
	}
}

// views are all the other ways in which a text reads: its levels, and it and each of them with
// its lines joined, into which Base64 and dumps are broken.
func views(text string, mapped bool) iter.Seq[view] {
	return func(yield func(view) bool) {
		if strings.Contains(text, "\n") && !yield(whole(text, mapped).joined()) {
			return
		}
		for v := range levels(text, mapped) {
			if !yield(v) || bytes.Contains(v.text, []byte("\n")) && !yield(v.joined()) {
				return
			}
		}
	}
}

// whole is the view from which nothing is taken out.
func whole(text string, mapped bool) view {
	v := view{text: []byte(text)}
	if mapped {
		v.spans = make([]span, len(text))
		for i := range v.spans {
			v.spans[i] = span{i, i + 1}
		}
	}
	return v
}

// joined is the view without line breaks.
func (v view) joined() view {
	out := v.empty()
	out.lines = true
	for at, rest := 0, v.text; len(rest) > 0; {
		n := bytes.IndexAny(rest, "\r\n")
		if n < 0 {
			n = len(rest)
		}
		out.take(v, at, at+n)
		n = min(n+1, len(rest))
		at, rest = at+n, rest[n:]
	}
	return out
}

// unescaped is the view with one layer of escapes read, such as \n, \u00fc, %C3 and &amp;.
func (v view) unescaped() view {
	out := v.empty()
	for at, rest := 0, v.text; len(rest) > 0; {
		n := bytes.IndexAny(rest, escapes)
		if n < 0 {
			n = len(rest)
		}
		out.take(v, at, at+n)
		if at, rest = at+n, rest[n:]; len(rest) == 0 {
			break
		}
		means, n := escape(rest)
		if n == 0 {
			out.take(v, at, at+1)
			n = 1
		}
		out.text = append(out.text, means...)
		if v.spans != nil {
			for range len(means) {
				out.spans = append(out.spans, span{v.spans[at].begin, v.spans[at+n-1].end})
			}
		}
		at, rest = at+n, rest[n:]
	}
	return out
}

// empty is a view with nothing of v in it yet.
func (v view) empty() view {
	out := view{text: make([]byte, 0, len(v.text))}
	if v.spans != nil {
		out.spans = make([]span, 0, len(v.text))
	}
	return out
}

// take appends a part of another view.
func (v *view) take(of view, from, to int) {
	v.text = append(v.text, of.text[from:to]...)
	if of.spans != nil {
		v.spans = append(v.spans, of.spans[from:to]...)
	}
}

// escape is what the escape at the beginning of a text means, and its bytes: none if there
// is no escape. One that the end of the text cuts off means nothing.
func escape(text []byte) (means string, n int) {
	switch text[0] {
	case '%':
		return number(text, 1)
	case '&':
		return entity(text)
	case '\\':
		return backslash(text)
	}
	return "", 0
}

// entity is escape for what HTML and XML write.
func entity(text []byte) (means string, n int) {
	end := bytes.IndexByte(text[:min(len(text), entityBytesMax)], ';')
	if end < 0 {
		return "", 0
	}
	written := string(text[:end+1])
	if means = html.UnescapeString(written); means == written {
		return "", 0
	}
	return means, len(written)
}

// backslash is escape for what JSON and most languages write after a backslash.
func backslash(text []byte) (means string, n int) {
	if len(text) == 1 {
		return "", 1
	}
	switch c := text[1]; c {
	case 'x':
		return number(text, 2)
	case 'u':
		return character(text, 4)
	case 'U':
		return character(text, 8)
	case '"', '\'', '/', '\\':
		return string(text[1:2]), 2
	default:
		if i := strings.IndexByte("abfnrtve0", c); i >= 0 {
			return "\a\b\f\n\r\t\v\x1b\x00"[i : i+1], 2
		}
	}
	return "", 0
}

// character is a character that is written in hexadecimal digits after \u or \U; JSON writes
// one beyond the first 65,536 in two halves.
func character(text []byte, digits int) (means string, n int) {
	c, n := digitsAt(text, 2, digits)
	if c < 0 {
		return "", n
	}
	if utf16.IsSurrogate(c) && bytes.HasPrefix(text[n:], []byte(`\u`)) {
		if low, more := digitsAt(text[n:], 2, 4); utf16.DecodeRune(c, low) != utf8.RuneError {
			return string(utf16.DecodeRune(c, low)), n + more
		}
	}
	return string(c), n
}

// number is one byte that is written in hexadecimal digits.
func number(text []byte, from int) (means string, n int) {
	c, n := digitsAt(text, from, 2)
	if c < 0 {
		return "", n
	}
	return string([]byte{byte(c)}), n
}

// digitsAt reads an escape's hexadecimal digits and returns where they end; less than 0 where
// there is no number, at 0 or, where the text ends before it does, at its end.
func digitsAt(text []byte, from, digits int) (c rune, n int) {
	end := min(from+digits, len(text))
	var value uint32 // of up to 8 digits
	for _, digit := range text[from:end] {
		i := strings.IndexByte(lowerHex, digit|' ') // in lower case
		if i < 0 || digit < '0' {
			return -1, 0
		}
		value = value<<4 | uint32(i)
	}
	if end < from+digits {
		return -1, end
	}
	return rune(min(value, utf8.MaxRune+1)), end
}
