package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// DepthMax is how deep maps and lists may nest in each other (SCN-19).
const DepthMax = 40

// Parse returns the root, a map, of the one document in source, or nil where there is
// none: the text is empty, or all of it is comments. what names the document, such as "a
// scenario"; file is what [Pos.File] of its places is to be.
func Parse(source []byte, what, file string) (*Node, *Problem) {
	root, lines, problem := parse(source, what)
	if problem != nil {
		problem.Pos.File = file
		return nil, problem
	}
	if root == nil {
		return nil, nil
	}
	r := reading{file: file, lines: lines}
	return r.read(root), nil
}

func parse(source []byte, what string) (*yaml.Node, *parserLines, *Problem) {
	if problem := checkText(source); problem != nil {
		return nil, nil, problem
	}
	lines := linesOf(source)
	root, problem := rootOf(source, what, lines)
	return root, lines, problem
}

// rootOf returns the root of a text whose characters have been checked.
func rootOf(source []byte, what string, lines *parserLines) (*yaml.Node, *Problem) {
	placeOf := func(n *yaml.Node) Pos { return lines.pos(n.Line, n.Column) }
	loader, err := yaml.NewLoader(bytes.NewReader(source))
	if err != nil {
		return nil, syntaxProblem(err, source, lines)
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		return nil, nil
	case err != nil:
		return nil, syntaxProblem(err, source, lines)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &Problem{Pos: placeOf(&second), Text: "a second document begins; " + what + " is one document"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxProblem(err, source, lines)
	}
	root := doc.Content[0]
	if deep := beyond(root, DepthMax); deep != nil {
		return nil, &Problem{Pos: placeOf(deep), Text: tooDeep()}
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Problem{Pos: placeOf(root), Text: what + " is a map, found " + new(reading).read(root).String()}
	}
	return root, nil
}

func tooDeep() string { return fmt.Sprintf("nested too deep; the limit is %d", DepthMax) }

// beyond returns the first node that is nested deeper than a limit, aliases not
// followed; nil where none is.
func beyond(n *yaml.Node, limit int) *yaml.Node {
	if limit == 0 {
		return n
	}
	for _, inner := range n.Content {
		if deep := beyond(inner, limit-1); deep != nil {
			return deep
		}
	}
	return nil
}

// checkText refuses, with their place, bytes that are no text.
func checkText(source []byte) *Problem {
	if len(source) > FileBytesMax {
		return &Problem{Text: errTooLarge(FileBytesMax).Error(), Size: true}
	}
	at := Pos{Line: 1, Col: 1}
	for i := 0; i < len(source); {
		r, size := utf8.DecodeRune(source[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Problem{Pos: at, Text: fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", source[i])}
		case unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r):
			return &Problem{Pos: at, Text: fmt.Sprintf("control character U+%04X; remove it, or write it as \\x%02x in double quotes", r, r)}
		}
		at.Col++
		if r == '\n' {
			at = Pos{Line: at.Line + 1, Col: 1}
		}
		i += size
	}
	return nil
}
