package scenario

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"shelly/fsm/wording"
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
	folder, name := path.Split(pattern)
	if strings.ContainsAny(folder, `*?[\`) {
		wrong("the folder is that to which what is found is written, so it has no pattern; write one as it is, such as ./regressions/*" + document.Suffix)
		return problems
	}
	found := strings.TrimSuffix(path.Base(f.Path()), document.PropertySuffix) + ".1" + document.Suffix
	if matches, err := path.Match(name, found); err == nil && !matches {
		f.unmatched = "a case that the property finds is written as " + path.Join(folder, found) + ", which this does not match, so it would not be played again; write ./" + path.Join(folder, "*"+document.Suffix)
	}
	if fsys == nil { // in memory
		return nil
	}
	own := path.Dir(f.Path())
	paths, err := fs.Glob(fsys, path.Join(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(own), pattern)) // the folder is no pattern
	if err != nil {
		wrong("the pattern is malformed: " + err.Error())
	}
	if meant := near(fsys, own, path.Clean(folder)); len(paths) == 0 && meant != "" {
		f.unmatched = "no file matches, and there is no such folder; did you mean ./" + path.Join(meant, name) + "?"
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

// near is the folder below another that has nearly the name of one that there is not, or the empty text.
func near(fsys fs.FS, own, folder string) string {
	above, name := path.Split(folder)
	list, err := fs.ReadDir(fsys, path.Join(own, above))
	var names []string
	for _, e := range list {
		switch {
		case e.Name() == name:
			return ""
		case e.IsDir():
			names = append(names, e.Name())
		}
	}
	if meant := wording.Nearest(name, names); err == nil && meant != "" {
		return path.Join(above, meant)
	}
	return ""
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
