package scenario

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"shelly/sim"
	"shelly/sim/scenario/check"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// loadProperty reads a property file, as strictly as a scenario (PRP-2), and the scenarios
// that are played first.
func loadProperty(fsys fs.FS, path string, source []byte) (*File, error) {
	file, p, problems, err := format.ReadProperty(path, source)
	if err != nil {
		return nil, err
	}
	if len(problems) == 0 {
		problems = check.Property(file, p)
	}
	f := &File{File: file, property: p}
	if len(problems) == 0 {
		problems = f.readRegressions(fsys)
	}
	if err := strict.Failed(path, f.Sources(), problems); err != nil {
		return nil, err
	}
	return f, nil
}

// readRegressions loads the scenarios that are played first.
func (f *File) readRegressions(fsys fs.FS) []strict.Problem {
	if f.property.Regressions == "" {
		return nil
	}
	var problems []strict.Problem
	wrong := func(text string) {
		problems = append(problems, strict.Problem{Pos: f.Where("regressions"), Path: "regressions", Text: text})
	}
	pattern := path.Clean(f.property.Regressions)
	if !fs.ValidPath(pattern) || !strings.HasSuffix(pattern, document.Suffix) {
		wrong("wants a pattern for scenarios in the property's folder or below, such as ./regressions/*" + document.Suffix)
		return problems
	}
	if fsys == nil { // in memory
		return nil
	}
	folder := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path.Dir(f.Path())) // which is no pattern
	paths, err := fs.Glob(fsys, path.Join(folder, pattern))
	if err != nil {
		wrong("the pattern is malformed: " + err.Error())
	}
	slices.Sort(paths)
	for _, name := range paths {
		cases, err := Load(fsys, name)
		if err != nil {
			wrong(name + " does not load: " + err.Error())
		}
		f.regressions = append(f.regressions, cases...)
	}
	return problems
}

// Regressions are the cases that are played before any is made.
func (f *File) Regressions() []*File { return f.regressions }

// Meets reports for each of a property's cover expressions whether it was true after
// some step of a run of one of its cases (PRP-6).
func (f *File) Meets(r *sim.Result) []bool {
	cover := f.property.Cover
	met, left := make([]bool, len(cover)), len(cover)
	if left == 0 {
		return met
	}
	o := compile.Observer(f.File)
	list := make([]expression.Evaluation, len(cover))
	for _, s := range r.Steps {
		o.Observe(s)
		for i := range cover {
			list[i].Of = &cover[i].When
			if !met[i] {
				list[i].Step(&o.State)
				met[i] = list[i].Verdicts[len(list[i].Verdicts)-1].Holds
			}
		}
	}
	return met
}

// Property is what the file says where it is a property; nil for a case. The rest of
// such a file is the setting of its cases, and their tools.
func (f *File) Property() *format.Property { return f.property }
