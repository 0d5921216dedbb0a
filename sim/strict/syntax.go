package strict

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"shelly/fsm/wording"
)

// syntaxProblem words the parser's error for whoever wrote the file.
func syntaxProblem(err error, source []byte, lines *parserLines) *Problem {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return &Problem{Pos: Pos{Line: 1, Col: 1}, Text: "is not YAML: " + strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	begin, end := lines.pos(e.ContextMark.Line, e.ContextMark.Column), lines.pos(e.Mark.Line, e.Mark.Column)
	if wrong := separated(source, end); wrong != nil {
		return wrong
	}
	if wrong := misquoted(source, end); wrong != nil {
		return wrong
	}
	switch {
	case indentedByTab(source, end.Line):
		return &Problem{Pos: end, Text: "a tab used for indentation; use spaces"}
	case strings.Contains(e.ContextMsg, "flow") && bytes.HasPrefix(sourceFrom(source, Pos{Line: end.Line, Col: end.Col - 1}), []byte("${")):
		return &Problem{Pos: Pos{Line: end.Line, Col: end.Col - 1}, Text: "quote a text with ${…} within { } or [ ]"}
	case strings.Contains(e.Message, "incompatible YAML document"), strings.Contains(e.Message, "unknown directive"):
		return &Problem{Pos: Pos{Line: max(end.Line, 1), Col: 1}, Text: "this directive is not supported; remove the line"}
	case strings.Contains(e.ContextMsg, "flow node") && bytes.HasPrefix(sourceFrom(source, end), []byte(",")):
		return &Problem{Pos: end, Text: "nothing stands before this comma; remove it, or quote the text"}
	case strings.Contains(e.Message, "could not find expected ':'"):
		return &Problem{Pos: begin, Text: "expected `key: value`"}
	case strings.Contains(e.Message, "max depth"):
		return &Problem{Pos: end, Text: tooDeep()}
	case strings.Contains(e.ContextMsg, "flow") && bytes.IndexAny(sourceFrom(source, end), "]}") == 0:
		return &Problem{Pos: end, Text: "this bracket does not close the one that is open"}
	case strings.Contains(e.ContextMsg, "flow node") && bytes.HasPrefix(sourceFrom(source, end), []byte("- ")):
		return &Problem{Pos: end, Text: "within [ ] an entry has no -, and a comma stands between two; write [a, b]"}
	case strings.Contains(e.ContextMsg, "flow") && !strings.Contains(e.ContextMsg, "node") && end.Line == begin.Line && begin.Line > 0 && len(bytes.TrimSpace(sourceFrom(source, end))) > 0:
		return &Problem{Pos: end, Text: "a comma is missing before this; or quote a text that goes on here"}
	case strings.Contains(e.ContextMsg, "flow node"):
		return &Problem{Pos: end, Text: "unclosed [ or {"}
	case strings.Contains(e.ContextMsg, "flow sequence"):
		return &Problem{Pos: begin, Text: "unclosed ["}
	case strings.Contains(e.ContextMsg, "flow mapping"):
		return &Problem{Pos: begin, Text: "unclosed {"}
	case strings.Contains(e.ContextMsg, "quoted scalar") && strings.Contains(e.Message, "end of stream"):
		return &Problem{Pos: begin, Text: "unclosed quote"}
	case strings.Contains(e.Message, "mapping values are not allowed"):
		return &Problem{Pos: end, Text: "a second `:` or a wrong indentation; quote the text, or line the key up with its neighbours"}
	case strings.Contains(e.Message, "expected alphabetic or numeric character"): // of an anchor's name
		return &Problem{Pos: begin, Text: "this character cannot begin a value; quote the text"}
	case strings.Contains(e.Message, "cannot start any token"):
		return &Problem{Pos: end, Text: "this character cannot begin a value; quote the text"}
	case strings.Contains(e.Message, "block sequence entries are not allowed"):
		return &Problem{Pos: end, Text: "a list of - entries begins on a line of its own"}
	case strings.Contains(e.Message, "expected '-' indicator"):
		return &Problem{Pos: end, Text: "expected `- ` as in the entries before: line it up with them, or quote a text that goes on after a quote or bracket"}
	case strings.Contains(e.Message, "did not find expected key"):
		return &Problem{Pos: end, Text: "expected `key: value`: quote a text that goes on after a quote or bracket, or line the key up with its neighbours"}
	case strings.Contains(e.Message, "did not find expected node content"):
		return &Problem{Pos: end, Text: "expected a value; quote a text that begins so"}
	case strings.Contains(e.Message, "unknown escape"), strings.Contains(e.Message, "expected hexadecimal number"):
		return &Problem{Pos: end, Text: `unknown escape; within double quotes write \\ for \, or use single quotes`}
	case strings.Contains(e.Message, "invalid Unicode character escape"):
		return &Problem{Pos: end, Text: "this escape is no character by itself; write the character, or \\U and its eight hexadecimal digits"}
	case strings.Contains(e.Message, "expected comment or line break"):
		return &Problem{Pos: end, Text: "text after | or > begins on the next line"}
	}
	if _, name, found := strings.Cut(e.Message, "unknown anchor '"); found {
		name, _, _ = strings.Cut(name, "'")
		return &Problem{Pos: end, Text: "there is no anchor &" + wording.Clip(name, wording.ShownMax) + " before it; quote the text if it begins with *"}
	}
	if end.Line == 0 {
		end = Pos{Line: 1, Col: 1}
	}
	return &Problem{Pos: end, Text: "is not YAML: " + strings.ReplaceAll(e.Message, "\n", " ")}
}

// indentedByTab reports whether a line begins with a tab after any spaces.
func indentedByTab(source []byte, line int) bool {
	lines := bytes.Split(source, []byte("\n"))
	return line >= 1 && line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[line-1], " "), []byte("\t"))
}
