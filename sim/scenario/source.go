package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// The limits on one file.
const (
	FileBytesMax = 1 << 20 // its size
	DepthMax     = 40      // maps and lists within each other
	NodesMax     = 20_000  // keys and values, aliases written out
	problemsMax  = 50      // problems that are told
)

// Load reads the cases of a scenario file, strictly (SCN-2). What is wrong with the
// file itself is a [LoadError] that carries all problems.
func Load(fsys fs.FS, path string) ([]*File, error) {
	source, err := readFile(fsys, path)
	if err != nil {
		return nil, failed(path, nil, []Problem{{Text: err.Error()}})
	}
	f, err := Parse(path, source)
	if err != nil {
		return nil, err
	}
	cases := []*File{f}
	if err := failed(path, f.sources, readGoldens(fsys, cases)); err != nil {
		return nil, err
	}
	return cases, nil
}

// LoadOne is Load for a file of one case.
func LoadOne(fsys fs.FS, path string) (*File, error) {
	cases, err := Load(fsys, path)
	switch {
	case err != nil:
		return nil, err
	case len(cases) != 1:
		return nil, failed(path, nil, []Problem{{Text: fmt.Sprintf("has %d cases; name a file of one", len(cases))}})
	}
	return cases[0], nil
}

// Parse is LoadOne for a file that is in memory; path is only for errors.
func Parse(path string, source []byte) (*File, error) {
	texts := sources{"": source}
	root, problem := parse(source)
	if problem != nil {
		return nil, failed(path, texts, []Problem{*problem})
	}
	f := &File{path: path, sources: texts}
	d := decoder{sources: texts, where: map[string]Pos{}}
	d.read(root, f)
	f.where = d.where
	if len(d.problems) == 0 {
		d.check(f)
	}
	if err := failed(path, texts, d.problems); err != nil {
		return nil, err
	}
	return f, nil
}

// readFile reads a whole file. Its errors do not name the path.
func readFile(fsys fs.FS, path string) ([]byte, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case info.IsDir():
		return nil, errors.New("is a directory, not a scenario file")
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	}
	source, err := io.ReadAll(io.LimitReader(file, FileBytesMax+1))
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case len(source) > FileBytesMax:
		return nil, fmt.Errorf("is too large; the limit is %d KiB", FileBytesMax>>10)
	}
	return source, nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// withoutPath is an error without the path, which its place names already.
func withoutPath(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	if absent(err) {
		return errors.New("no such file")
	}
	return p.Err
}

// parse returns the root node of the one document in source.
func parse(source []byte) (*yaml.Node, *Problem) {
	if problem := checkText(source); problem != nil {
		return nil, problem
	}
	loader, err := yaml.NewLoader(bytes.NewReader(source))
	if err != nil {
		return nil, syntaxProblem(err, source)
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		return nil, &Problem{Pos: Pos{Line: 1, Col: 1}, Text: "is empty; a scenario is a map that begins with scenario: 1"}
	case err != nil:
		return nil, syntaxProblem(err, source)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &Problem{Pos: Pos{Line: second.Line, Col: second.Column}, Text: "a second document begins; a scenario is one document"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxProblem(err, source)
	}
	return doc.Content[0], nil
}

// checkText refuses, with their place, bytes that are no text.
func checkText(source []byte) *Problem {
	switch {
	case len(bytes.TrimSpace(source)) == 0:
		return &Problem{Pos: Pos{Line: 1, Col: 1}, Text: "is empty; a scenario is a map that begins with scenario: 1"}
	case len(source) > FileBytesMax:
		return &Problem{Text: fmt.Sprintf("is too large; the limit is %d KiB", FileBytesMax>>10)}
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

// syntaxProblem words the parser's error for whoever wrote the file.
func syntaxProblem(err error, source []byte) *Problem {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return &Problem{Pos: Pos{Line: 1, Col: 1}, Text: "is not YAML: " + strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	begin, end := Pos{Line: e.ContextMark.Line, Col: e.ContextMark.Column}, Pos{Line: e.Mark.Line, Col: e.Mark.Column}
	switch {
	case indentedByTab(source, end.Line):
		return &Problem{Pos: end, Text: "a tab used for indentation; use spaces"}
	case strings.Contains(e.Message, "could not find expected ':'"):
		return &Problem{Pos: begin, Text: "expected `key: value`"}
	case strings.Contains(e.Message, "max depth"), strings.Contains(e.ContextMsg, "flow node"):
		return &Problem{Pos: end, Text: fmt.Sprintf("unclosed [ or {, or nested too deep; the limit is %d", DepthMax)}
	case strings.Contains(e.ContextMsg, "flow sequence"):
		return &Problem{Pos: begin, Text: "unclosed ["}
	case strings.Contains(e.ContextMsg, "flow mapping"):
		return &Problem{Pos: begin, Text: "unclosed {"}
	case strings.Contains(e.ContextMsg, "quoted scalar") && strings.Contains(e.Message, "end of stream"):
		return &Problem{Pos: begin, Text: "unclosed quote"}
	case strings.Contains(e.Message, "mapping values are not allowed"):
		return &Problem{Pos: end, Text: "a second `:` or a wrong indentation; quote the text, or line the key up with its neighbours"}
	case strings.Contains(e.Message, "cannot start any token"):
		return &Problem{Pos: end, Text: "this character cannot begin a value; quote the text"}
	}
	if end.Line == 0 {
		end = Pos{Line: 1, Col: 1}
	}
	return &Problem{Pos: end, Text: "is not YAML: " + strings.ReplaceAll(e.Message, "\n", " ")}
}

// indentedByTab reports whether a line begins with a tab behind any spaces.
func indentedByTab(source []byte, line int) bool {
	lines := bytes.Split(source, []byte("\n"))
	return line >= 1 && line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[line-1], " "), []byte("\t"))
}
