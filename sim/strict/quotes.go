package strict

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// misquoted returns the problem of a quoted text that ends where the parser gave up, if it has one. Where
// the text spans lines, its closing quote is most likely the opening one of another text: what is missing
// is a quote far above. Where more follows at once, the quote was most likely meant as part of the text.
func misquoted(source []byte, gaveUp Pos) *Problem {
	end := len(source) - len(sourceFrom(source, gaveUp))
	at := Pos{Line: 1, Col: 1}
	for i := 0; i < end; {
		n := 1
		switch c := source[i]; {
		case (c == '|' || c == '>') && i > 0 && bytes.IndexByte([]byte(" \t"), source[i-1]) >= 0:
			n = block(source, i)
		case c == '#' && (i == 0 || bytes.IndexByte([]byte(" \t\n"), source[i-1]) >= 0):
			n = max(bytes.IndexByte(source[i:], '\n'), 1)
		case (c == '"' || c == '\'') && (i == 0 || bytes.IndexByte([]byte(" \t\n[{,:"), source[i-1]) >= 0):
			var closed bool
			if n, closed = quoted(source[i:]); !closed {
				return nil
			}
			rest := bytes.TrimLeft(source[i+n:], " \t")
			switch lines := bytes.Count(source[i:i+n], []byte("\n")); {
			case lines > 0 && i+n <= end && !bytes.ContainsRune(source[i+n:end], '\n') && len(rest) > 0 && bytes.IndexByte([]byte(",:]}#\r\n"), rest[0]) < 0:
				return &Problem{Pos: at, Text: fmt.Sprintf("the quote that opens here closes only on line %d; close it where the text ends", at.Line+lines)}
			case i+n == end && len(rest) > 0 && (rest[0] == ']' || rest[0] == '}'):
				return nil // it ends where it should, and the bracket is another than the one that is open
			case i+n == end && c == '\'':
				return &Problem{Pos: gaveUp, Text: "the quoted text ends before this; write '' for a ' in it"}
			case i+n == end:
				return &Problem{Pos: gaveUp, Text: `the quoted text ends before this; write \" for a " in it`}
			}
		case c >= utf8.RuneSelf: // a column is a character
			_, n = utf8.DecodeRune(source[i:])
		}
		at = at.After(source[i : i+n])
		i += n
	}
	return nil
}

// block is the length of a text after | or >, in which a quote is a character like any other; 1 where
// none begins at i.
func block(source []byte, i int) (n int) {
	rest := bytes.TrimLeft(source[i+1:], "+-0123456789 \t\r")
	if len(rest) > 0 && rest[0] != '\n' && rest[0] != '#' {
		return 1
	}
	n = lineOf(source[i:])
	depth := depthOf(source[bytes.LastIndexByte(source[:i], '\n')+1 : i])
	for i+n < len(source) {
		line := source[i+n : i+n+lineOf(source[i+n:])]
		text := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(text)) > 0 && len(line)-len(text) <= depth {
			break
		}
		n += len(line)
	}
	return n
}

// lineOf is the length of the first line, with its end.
func lineOf(source []byte) int {
	if end := bytes.IndexByte(source, '\n'); end >= 0 {
		return end + 1
	}
	return len(source)
}

// depthOf is how far the key or the entry of a list is indented whose value comes after a line's
// beginning; -1: it has none.
func depthOf(beginning []byte) (depth int) {
	depth = -1
	for at := 0; ; {
		rest := bytes.TrimLeft(beginning[at:], " ")
		if at = len(beginning) - len(rest); len(rest) == 0 {
			return depth
		}
		if depth = at; !bytes.HasPrefix(rest, []byte("- ")) {
			return depth
		}
		at++
	}
}

// quoted is the length of a quoted text, and whether it is closed before the source ends.
func quoted(source []byte) (n int, closed bool) {
	quote := source[0]
	for i := 1; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && quote == '"':
			i++
		case c != quote:
		case quote == '\'' && i+1 < len(source) && source[i+1] == '\'':
			i++
		default:
			return i + 1, true
		}
	}
	return len(source), false
}
