package spec

import (
	"fmt"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// checkMarkdown finds rules, files and headings that the project's Markdown files name but
// that do not exist.
func checkMarkdown(fsys fs.FS, b book) ([]Problem, error) {
	ids := regexp.MustCompile(`\b` + idPattern + `\b`)
	var problems []Problem
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("look for Markdown files: %w", err)
		}
		if d.IsDir() && name != "." && (leftOut(name) || path.Base(name) == "testdata") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || path.Ext(name) != ".md" {
			return nil
		}
		md, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("look for Markdown files: %w", err)
		}
		for i, line := range strings.Split(string(md), "\n") {
			for _, id := range ids.FindAllString(line, -1) {
				if b.unknown(id) {
					problems = append(problems, Problem{name, i + 1, noRule(id)})
				}
			}
		}
		for _, l := range links(name, md) {
			if why := l.broken(fsys); why != "" {
				problems = append(problems, Problem{name, l.line, why})
			}
		}
		return nil
	})
	return problems, err
}

// link is a link of a Markdown file to a file of the project.
type link struct {
	line   int
	file   string // from the project's root
	anchor string // of a heading of the file; empty for the whole file
}

// links returns the links of a Markdown file that do not lead out of the project.
func links(file string, md []byte) []link {
	target := regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	outside := regexp.MustCompile(`^[a-z]+:`)
	var found []link
	for n, line := range prose(md) {
		for _, m := range target.FindAllStringSubmatch(line, -1) {
			l := link{line: n, file: file, anchor: m[2]}
			if outside.MatchString(m[1]) {
				continue
			}
			if m[1] != "" {
				l.file = path.Join(path.Dir(file), m[1])
			}
			found = append(found, l)
		}
	}
	return found
}

// broken returns why a link leads nowhere, or "" if it is sound.
func (l link) broken(fsys fs.FS) string {
	if _, err := fs.Stat(fsys, l.file); err != nil {
		return fmt.Sprintf("a link leads to %s, which is not there", l.file)
	}
	if l.anchor == "" {
		return ""
	}
	md, err := fs.ReadFile(fsys, l.file)
	if err != nil {
		return fmt.Sprintf("a link leads to a heading of %s, which cannot be read", l.file)
	}
	for _, line := range prose(md) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' && anchorOf(heading) == l.anchor {
			return ""
		}
	}
	return fmt.Sprintf("a link leads to the heading #%s of %s, which is not there", l.anchor, l.file)
}

// anchorOf returns the name that GitHub gives a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
}

// prose yields the lines of a Markdown file outside fenced blocks, with their numbers
// from 1.
func prose(md []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		fenced := false
		for i, line := range strings.Split(string(md), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				continue
			}
			if !fenced && !yield(i+1, line) {
				return
			}
		}
	}
}
