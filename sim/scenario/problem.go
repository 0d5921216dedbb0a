package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file: line and column from 1, the column in characters.
// The zero value is no place.
type Pos struct {
	Line, Col int
	File      string // of a fragment, as [Load] opened it; empty: the scenario itself
}

// In returns the file that the place is in, where own is the scenario's.
func (p Pos) In(own string) string {
	if p.File != "" {
		return p.File
	}
	return own
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	Pos  Pos
	Path string // the key, such as brain[0].says; empty where none is to blame
	Text string // what is wrong and what is allowed, on one line
}

// LoadError is all that is wrong with a file.
type LoadError struct {
	File     string
	Problems []Problem // at least one, in the order of the file; those of fragments follow by path
	sources  sources
}

// sources are the texts of a scenario and its fragments by [Pos.File].
type sources map[string][]byte

// frame shows a place with the lines before it.
func (s sources) frame(at Pos) string { return frame(s[at.File], at) }

// Error is one line for each problem: FILE:LINE:COL: KEY: what is wrong.
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.line(p)
	}
	return strings.Join(lines, "\n")
}

// Detail is Error with the source of each problem and a caret under it (SCN-2).
func (e *LoadError) Detail() string {
	var b strings.Builder
	for _, p := range e.Problems {
		b.WriteString(e.line(p) + "\n")
		b.WriteString(e.sources.frame(p.Pos))
	}
	return b.String()
}

func (e *LoadError) line(p Problem) string {
	text := place(e.File, p.Pos) + ": "
	if p.Path != "" {
		text += p.Path + ": "
	}
	return text + p.Text
}

// place is FILE:LINE:COL, or FILE where there is no place.
func place(file string, at Pos) string {
	if at.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", at.In(file), at.Line, at.Col)
}

// failed gathers problems into an error, or nil where there are none. Beyond
// problemsMax the rest is only counted.
func failed(file string, texts sources, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	for i := range problems {
		problems[i].Text = strings.Map(printable, problems[i].Text)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	if rest := len(problems) - problemsMax; rest > 0 {
		last := problems[problemsMax].Pos
		problems = append(problems[:problemsMax:problemsMax], Problem{Pos: last, Text: fmt.Sprintf("and %d more problems", rest)})
	}
	return &LoadError{File: file, Problems: problems, sources: texts}
}
