package strict

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pos is a place in a file: line and column from 1, the column in characters.
// The zero value is no place.
type Pos struct {
	Line, Col int
	File      string // of a fragment, as it was opened; empty: the file itself
}

// In returns the file that the place is in, where own is the file itself.
func (p Pos) In(own string) string { return cmp.Or(p.File, own) }

// Of is FILE:LINE:COL, or FILE where there is no place; own is the file itself.
func (p Pos) Of(own string) string {
	if p.Line == 0 {
		return own
	}
	return fmt.Sprintf("%s:%d:%d", p.In(own), p.Line, p.Col)
}

// After is the place after a text that begins at p.
func (p Pos) After(text []byte) Pos {
	if lines := bytes.Count(text, []byte("\n")); lines > 0 {
		p.Line, p.Col = p.Line+lines, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.Col += utf8.RuneCount(text)
	return p
}

// Sources are the texts of a file and its fragments by [Pos.File].
type Sources map[string][]byte

// From is the source from a place on; nil where there is none.
func (s Sources) From(at Pos) []byte { return sourceFrom(s[at.File], at) }

func sourceFrom(source []byte, at Pos) []byte {
	for range at.Line - 1 {
		_, source, _ = bytes.Cut(source, []byte("\n"))
	}
	for range at.Col - 1 {
		_, size := utf8.DecodeRune(source)
		source = source[size:]
	}
	return source
}

// Within is the place of a character of a node's text: line from 1, col in characters
// from 0. Where the file does not have the text as it is (escapes, folded lines), it is
// the place of the node.
func (s Sources) Within(n *Node, line, col int) Pos {
	at := n.Pos
	source := strings.Split(string(s[at.File]), "\n")
	values := strings.Split(n.Value, "\n")
	switch {
	case n.Style == Literal:
		at.Line, at.Col = at.Line+line, 0
	case len(values) > 1:
		return at
	case n.Quoted():
		at.Col++
	}
	if at.Line > len(source) || line > len(values) {
		return n.Pos
	}
	chars := []rune(source[at.Line-1])
	if at.Col == 0 { // after the indentation
		at.Col = 1 + len(chars) - len([]rune(strings.TrimLeft(string(chars), " ")))
		at.Col -= len([]rune(values[line-1])) - len([]rune(strings.TrimLeft(values[line-1], " ")))
	}
	if at.Col < 1 || at.Col > len(chars) || !strings.HasPrefix(string(chars[at.Col-1:]), values[line-1]) {
		return n.Pos
	}
	at.Col += col
	return at
}
