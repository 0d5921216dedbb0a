package scenario

import (
	"fmt"
	"io/fs"
	"strings"

	"shelly/sim"
	"shelly/sim/scenario/check"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/judge"
	"shelly/sim/scenario/lint"
	"shelly/sim/script"
	"shelly/sim/strict"
)

// Cases are those of one file, or of several.
type Cases []*File

// File is one case of a scenario file, or a property, and what is read besides the
// file itself.
type File struct {
	*format.File
	golden      golden.Kept      // the case's, where it asks for one
	crashed     bool             // to be run with a crash at each point, too
	property    *format.Property // nil for a case
	regressions []*File          // of the property
	unmatched   string           // what is doubtful about their pattern; empty: nothing
}

// GoldenPath returns the path of the case's golden, or "" where it asks for none. Each
// case of a matrix has its own: NAME.SLUG.golden.yaml, after its values.
func (f *File) GoldenPath() string { return f.golden.Path }

// Player plays the case's script. With repeat it begins again with each turn, for as long
// as anybody asks: the demo brain of the daemon, and what the mock server serves so.
func (f *File) Player(repeat bool) *script.Player { return compile.Player(f.File, repeat) }

// Blame is a failure at the place of a key that the file has, for what only the
// runner of cases can see.
func (f *File) Blame(key, text string) judge.Failure { return judge.Blame(f.File, key, text) }

// Plan is the scenario as the simulator plays it.
func (f *File) Plan() sim.Plan { return compile.Plan(f.File) }

// Lint returns what is doubtful in the cases of one run, by file and place (SCN-21), and
// of those with a crash at every point what only the run without one is held to (SCN-54).
// rules are the ids of the rules that there are; where nil, covers is not looked at. It
// plays the cases with exceptions from their crash claims, to see which they need.
func Lint(cases []*File, rules []string) (found, notes []lint.Finding) {
	files := make([]*format.File, len(cases))
	beside := map[*format.File]lint.Beside{}
	for i, f := range cases {
		files[i] = f.File
		of := lint.Beside{Property: f.property, Unmatched: f.unmatched}
		if len(f.MayChange()) > 0 {
			of.Needless = f.Run(sim.Options{}).Needless
		}
		beside[f.File] = of
	}
	found = lint.Cases(files, rules, beside)
	return found, lint.StraightOnly(files)
}

// Load reads the cases of a scenario file, strictly (SCN-2): one, or those of its
// matrix in their order (SCN-18); of a property file it reads the property, in place
// of a case. What is wrong with the file itself or with a file
// that it includes is a [strict.Error] that carries all problems.
//
// Where fsys tells symbolic links, as [fs.ReadLinkFS] does, a fragment may not be
// one. Its Stat must not open what it looks at.
func Load(fsys fs.FS, path string) (Cases, error) { return LoadGiven(fsys, path, nil) }

// LoadFound is [LoadGiven] for a file that was found in a folder, or named.
func LoadFound(fsys fs.FS, of choose.Target, vars document.Given) (Cases, error) {
	if of.Meant != "" {
		return nil, misnamed(of.Path, of.Meant)
	}
	return LoadGiven(fsys, of.Path, vars)
}

func misnamed(path, suffix string) error {
	return strict.Failed(path, nil, []strict.Problem{{Text: "is tested only by another name; rename it to end in " + suffix}})
}

// LoadGiven is [Load] with other values for some of the file's variables (SCN-61).
func LoadGiven(fsys fs.FS, path string, vars document.Given) (Cases, error) {
	source, err := strict.ReadFile(fsys, path, strict.FileBytesMax)
	if err != nil {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: err.Error()}})
	}
	if suffix := document.Misnamed(path); suffix != "" {
		return nil, misnamed(path, suffix)
	}
	if strings.HasSuffix(path, document.PropertySuffix) {
		f, err := loadProperty(fsys, path, source)
		if err != nil {
			return nil, err
		}
		return Cases{f}, nil
	}
	return load(fsys, path, source, vars)
}

// LoadOne is Load for a file of one case.
func LoadOne(fsys fs.FS, path string) (*File, error) {
	cases, err := Load(fsys, path)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

// Parse is LoadOne for a file that is in memory and includes nothing; path is only
// for errors.
func Parse(path string, source []byte) (*File, error) {
	cases, err := load(nil, path, source, nil)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

func only(path string, cases []*File) (*File, error) {
	if len(cases) != 1 {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: fmt.Sprintf("has %d cases; name a file of one", len(cases))}})
	}
	if cases[0].IsProperty() {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: "is a property file, not a scenario"}})
	}
	return cases[0], nil
}

// load reads cases; of a file in memory, without fsys, what is beside it is not read.
func load(fsys fs.FS, path string, source []byte, vars document.Given) ([]*File, error) {
	files, err := document.LoadGiven(vars, fsys, path, source, format.Read, check.File)
	if err != nil {
		return nil, err
	}
	goldens := golden.Name(files)
	if fsys != nil {
		if err := strict.Failed(path, files[0].Sources(), golden.Read(fsys, files, goldens)); err != nil {
			return nil, err
		}
	}
	cases := make([]*File, len(files))
	for i, f := range files {
		f.Settle()
		f.Name += f.Label()
		cases[i] = &File{File: f, golden: goldens[i]}
	}
	return cases, nil
}
