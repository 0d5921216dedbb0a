package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/lint"
	"shelly/sim/strict"
)

// Lint is what was found in files that were not run (SCN-21).
type Lint struct {
	Files    int            // how many were looked at, those that do not load among them
	Broken   []error        // of files that do not load
	Findings []lint.Finding // in the others
	Notes    []lint.Finding // what is not judged there after a crash; no findings
	Verbose  bool           // the notes are shown, not only counted
}

// lintJSON is the JSON of a Lint, versioned as the report of a run is.
type lintJSON struct {
	Version  int           `json:"version"`
	Files    int           `json:"files"`
	Errors   []problemJSON `json:"errors"`   // why files do not load
	Findings []problemJSON `json:"findings"` // what is doubtful
	Notes    []problemJSON `json:"notes"`    // what is not judged after a crash
}

// PrettyLint writes each finding with its source, and a summary line. What does not
// load is not in it: that is an error, and told as one.
func PrettyLint(w io.Writer, l *Lint) error {
	var b strings.Builder
	for _, f := range l.Findings {
		b.WriteString(f.Detail())
	}
	if l.Verbose {
		for _, n := range l.Notes {
			b.WriteString("note: " + n.String() + "\n")
		}
	}
	fmt.Fprintf(&b, "%s in %s", wording.Count(len(l.Findings), "finding"), wording.Count(l.Files, "file"))
	if n := len(l.Notes); n > 0 && !l.Verbose {
		fmt.Fprintf(&b, "; %s with a crash at every point: part of the expectations is held only without a crash (-v lists them)", wording.Count(n, "case"))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, wording.Visible(b.String()))
	return err
}

// JSONLint writes one document. Equal findings give equal bytes.
func JSONLint(w io.Writer, l *Lint) error {
	out := lintJSON{Version: 1, Files: l.Files, Errors: []problemJSON{}, Findings: []problemJSON{}, Notes: []problemJSON{}}
	for _, err := range l.Broken {
		out.Errors = append(out.Errors, problemsOf(err)...)
	}
	for _, f := range l.Findings {
		out.Findings = append(out.Findings, problemIn(f.File, f.Problem))
	}
	for _, n := range l.Notes {
		out.Notes = append(out.Notes, problemIn(n.File, n.Problem))
	}
	return Document(w, out)
}

// LintAnnotations writes workflow commands that make GitHub show what was found at its
// place: errors for what does not load, then warnings, of each the first
// annotationsMax. path says how GitHub knows a file.
func LintAnnotations(w io.Writer, l *Lint, path func(file string) string) error {
	var problems, findings []problemJSON
	for _, err := range l.Broken {
		problems = append(problems, problemsOf(err)...)
	}
	for _, f := range l.Findings {
		findings = append(findings, problemIn(f.File, f.Problem))
	}
	var b strings.Builder
	annotate(&b, "error", problems, path)
	annotate(&b, "warning", findings, path)
	_, err := io.WriteString(w, b.String())
	return err
}

func annotate(b *strings.Builder, command string, list []problemJSON, path func(string) string) {
	for _, p := range list[:min(len(list), annotationsMax)] {
		b.WriteString("::" + command + " file=" + property(path(p.File)))
		if p.Line > 0 {
			fmt.Fprintf(b, ",line=%d,col=%d", p.Line, p.Col)
		}
		text := p.Text
		if p.Path != "" {
			text = p.Path + ": " + text
		}
		b.WriteString("::" + data(text) + "\n")
	}
}

// problemsOf are the problems of a file that does not load, each with its file.
func problemsOf(err error) []problemJSON {
	var load *strict.Error
	if !errors.As(err, &load) {
		return []problemJSON{{Text: err.Error()}}
	}
	var list []problemJSON
	for _, p := range load.Problems {
		list = append(list, problemIn(load.File, p))
	}
	return list
}

func problemIn(own string, p strict.Problem) problemJSON {
	return problemJSON{File: p.Pos.In(own), Line: p.Pos.Line, Col: p.Pos.Col, Path: p.Path, Text: p.Text}
}
