package strict

import (
	"cmp"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Pos  Pos
	Path string // the key, such as brain[0].says; empty where none is to blame
	Text string // what is wrong and what is allowed, on one line
	Size bool   // the file is too large, deep or long to be read further (SCN-19)
}

// ProblemsMax is how many problems of a file are reported.
const ProblemsMax = 50

// Error is all that is wrong with a file.
type Error struct {
	File     string
	Problems []Problem // at least one, in the order of the file; those of fragments follow by path
	Sources  Sources
}

// Failed gathers problems, equal ones once, into an [*Error], or nil where there are none.
// Beyond ProblemsMax the rest is only counted.
func Failed(file string, sources Sources, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	told := map[Problem]bool{}
	problems = slices.DeleteFunc(problems, func(p Problem) bool {
		again := told[p]
		told[p] = true
		return again
	})
	for i := range problems {
		problems[i].Text = wording.Line(problems[i].Text)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	if rest := len(problems) - ProblemsMax; rest > 0 {
		last := problems[ProblemsMax].Pos
		problems = append(problems[:ProblemsMax:ProblemsMax], Problem{Pos: last, Text: "and " + wording.Count(rest, "more problem")})
	}
	return &Error{File: file, Problems: problems, Sources: sources}
}

// Error is one line for each problem: FILE:LINE:COL: KEY: what is wrong.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.line(p)
	}
	return strings.Join(lines, "\n")
}

// Size reports whether the file is too large to be read.
func (e *Error) Size() bool {
	return slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Size })
}

// Detail is Error with the source of each problem and a caret under it (SCN-2).
func (e *Error) Detail() string {
	var b strings.Builder
	for _, p := range e.Problems {
		b.WriteString(e.line(p) + "\n")
		b.WriteString(e.Sources.Frame(p.Pos))
	}
	return b.String()
}

func (e *Error) line(p Problem) string {
	text := p.Pos.Of(e.File) + ": "
	if p.Path != "" {
		text += p.Path + ": "
	}
	return text + p.Text
}
