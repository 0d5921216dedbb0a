package spec

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// kind says what a citation proves.
type kind int

const (
	inCode kind = iota
	inTest
	inScenario
)

// citation is one place that names a rule, or tries to.
type citation struct {
	id   string
	kind kind
	Place
}

// Place is a line of a file.
type Place struct {
	File string // from the project's root, with slashes
	Line int    // from 1
	Text string // the line; for a scenario, its name
}

// own is the folder of this package, whose ids are examples.
const own = "fsm/spec"

// scan returns every citation of the project, in the order of its files.
func scan(fsys fs.FS) ([]citation, error) {
	var all []citation
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("look for citations: %w", err)
		}
		if d.IsDir() {
			if name != "." && leftOut(name) {
				return fs.SkipDir
			}
			return nil
		}
		read := reader(name)
		if read == nil || !d.Type().IsRegular() {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("look for citations: %w", err)
		}
		all = append(all, read(name, src)...)
		return nil
	})
	return all, err
}

func leftOut(dir string) bool {
	base := path.Base(dir)
	return dir == own || dir == "bin" || base == "vendor" || base[0] == '.' || base[0] == '_'
}

// reader returns the function that reads a file's citations, or nil if it has none.
func reader(name string) func(name string, src []byte) []citation {
	inTestdata := strings.Contains("/"+name, "/testdata/")
	switch {
	case path.Ext(name) == ".go" && !inTestdata:
		return scanGo
	case path.Ext(name) == ".txtar" && inTestdata:
		return scanScript
	case path.Ext(name) == ".yaml" && strings.HasPrefix(name, "scenarios/"):
		return scanScenario
	default:
		return nil
	}
}

// scanGo reads the comments, string literals and test names of a Go file. A file
// that does not parse is read as far as its tokens go.
func scanGo(name string, src []byte) []citation {
	ids := regexp.MustCompile(`\b` + idPattern + `\b`)
	testName := regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)([A-Z]{3})([0-9]+)`)
	where := inCode
	if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test") {
		where = inTest
	}
	var all []citation
	cite := func(id string, line int) {
		all = append(all, citation{id: id, kind: where, Place: placeAt(name, src, line)})
	}
	file := token.NewFileSet().AddFile(name, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for before := token.ILLEGAL; ; {
		pos, tok, text := s.Scan()
		line := file.PositionFor(pos, false).Line
		switch tok {
		case token.EOF:
			return all
		case token.COMMENT, token.STRING:
			for _, at := range ids.FindAllStringIndex(text, -1) {
				cite(text[at[0]:at[1]], line+strings.Count(text[:at[0]], "\n"))
			}
		case token.IDENT:
			if found := testName.FindStringSubmatch(text); before == token.FUNC && found != nil && where == inTest {
				cite(found[1]+"-"+found[2], line)
			}
		}
		before = tok
	}
}

// scanScript reads the comments of a command-line test.
func scanScript(name string, src []byte) []citation {
	ids := regexp.MustCompile(`\b` + idPattern + `\b`)
	var all []citation
	for i, line := range strings.Split(string(src), "\n") {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		for _, id := range ids.FindAllString(line, -1) {
			all = append(all, citation{id: id, kind: inTest, Place: placeAt(name, src, i+1)})
		}
	}
	return all
}

// placeAt returns the place of a line of a file.
func placeAt(name string, src []byte, line int) Place {
	rest := src
	for range line - 1 {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	return Place{File: name, Line: line, Text: strings.TrimSpace(string(text))}
}
