package strict

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// parserLines says where a place of the parser's is as people count lines. To the parser U+2028 and
// U+2029 end a line, as in YAML 1.1, and so does a carriage return by itself. nil is a text in
// which none of these is. Places are asked for in their order, so that a text is walked once.
type parserLines struct {
	source         []byte
	at             int // bytes before the place where it is
	parser, people Pos // that place
}

func linesOf(source []byte) *parserLines {
	if !bytes.ContainsAny(source, "\u2028\u2029") && bytes.Count(source, []byte("\r")) == bytes.Count(source, []byte("\r\n")) {
		return nil
	}
	l := &parserLines{source: source}
	l.begin()
	return l
}

func (l *parserLines) begin() {
	l.at, l.parser, l.people = 0, Pos{Line: 1, Col: 1}, Pos{Line: 1, Col: 1}
}

// pos is the place of a line and a column of the parser's.
func (l *parserLines) pos(line, col int) Pos {
	if l == nil || line < 1 {
		return Pos{Line: line, Col: col}
	}
	if l.parser.Line > line || l.parser.Line == line && l.parser.Col > col {
		l.begin()
	}
	for l.at < len(l.source) && (l.parser.Line < line || l.parser.Line == line && l.parser.Col < col) {
		l.step()
	}
	return l.people
}

// step goes on by one character.
func (l *parserLines) step() {
	r, size := utf8.DecodeRune(l.source[l.at:])
	l.at += size
	l.parser.Col++
	l.people.Col++
	switch {
	case r == '\n':
		l.people = Pos{Line: l.people.Line + 1, Col: 1}
		fallthrough
	case r == '\u2028', r == '\u2029', r == '\r' && !bytes.HasPrefix(l.source[l.at:], []byte("\n")):
		l.parser = Pos{Line: l.parser.Line + 1, Col: 1}
	}
}

// separated returns the problem of a text with a separator on the line where the parser gave up, or
// the one before, if there is one: most likely it ended a line, such as a comment, that goes on for
// people.
func separated(source []byte, gaveUp Pos) *Problem {
	before := source[:len(source)-len(sourceFrom(source, gaveUp))]
	at := bytes.LastIndexAny(before, "\u2028\u2029")
	if at < 0 || bytes.Count(before[at:], []byte("\n")) > 1 {
		return nil
	}
	r, _ := utf8.DecodeRune(before[at:])
	return &Problem{Pos: Pos{Line: 1, Col: 1}.After(before[:at]), Text: fmt.Sprintf("%U ends a line of YAML; remove it, or write it as \\u%04x in double quotes", r, r)}
}
