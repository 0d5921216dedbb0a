package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// switches is the name under which changed files import package on; they have no other use of the
// name.
const switches = "mutants_on"

const switchPackage = "shelly/cmd/mutants/on"

// machinePackages returns the packages whose code is changed.
func machinePackages() []string {
	return []string{
		"shelly/fsm", "shelly/fsm/cron", "shelly/fsm/textcall", "shelly/fsm/textcall/mend", "shelly/fsm/reading", "shelly/fsm/state",
		"shelly/fsm/prompt", "shelly/fsm/turn", "shelly/fsm/fit", "shelly/fsm/queue", "shelly/fsm/wording",
		"shelly/fsm/offer", "shelly/fsm/grant", "shelly/fsm/profile", "shelly/fsm/machine",
	}
}

// goFile is a file of the machine.
type goFile struct {
	path   string // relative to the project
	full   string
	source []byte
	tree   *ast.File
	fset   *token.FileSet
	info   *types.Info
}

func (f *goFile) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *goFile) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// sources are the machine's packages, parsed and type-checked.
type sources struct {
	fset     *token.FileSet
	packages []listed
	exports  map[string]string // the compiled form of each import
	files    []*goFile
}

func readSources() (*sources, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", switchPackage}, machinePackages()...)
	out, err := command("go", args...)
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	s := &sources{fset: token.NewFileSet(), exports: map[string]string{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		s.exports[p.ImportPath] = p.Export
		if slices.Contains(machinePackages(), p.ImportPath) {
			s.packages = append(s.packages, p)
		}
	}
	for _, p := range s.packages {
		if err := s.read(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// read parses the files of a package.
func (s *sources) read(p listed) error {
	var files []*goFile
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	for _, name := range p.GoFiles {
		full := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		path := filepath.Join(strings.TrimPrefix(p.ImportPath, "shelly/"), name)
		tree, err := parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, &goFile{path, full, text, tree, s.fset, info})
	}
	s.files = append(s.files, files...)
	var trees []*ast.File
	for _, f := range files {
		trees = append(trees, f.tree)
	}
	return errors.Join(s.check(p.ImportPath, s.fset, trees, info)...)
}

// check returns the type errors of a package.
func (s *sources) check(path string, fset *token.FileSet, trees []*ast.File, info *types.Info) []error {
	var wrong []error
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(s.exports[path]) }
	c := types.Config{
		Importer: importer.ForCompiler(fset, "gc", lookup),
		Error:    func(err error) { wrong = append(wrong, err) },
	}
	c.Check(path, fset, trees, info) // its error is the first of these
	return wrong
}

// fitting returns those of the drawn changes with which the code still compiles. All are built
// into one program; two changes at one place do not interfere.
func (s *sources) fitting(drawn []change) ([]change, error) {
	for {
		fit, err := s.tried(drawn)
		if err != nil || len(fit) == len(drawn) {
			return fit, err
		}
		drawn = fit
	}
}

// tried returns the changes on lines without errors. A change moves no lines.
func (s *sources) tried(drawn []change) ([]change, error) {
	type line struct {
		path string
		line int
	}
	bad := map[line]bool{}
	for _, p := range s.packages {
		fset, trees := token.NewFileSet(), []*ast.File(nil)
		for _, f := range s.files {
			if filepath.Dir(f.full) != p.Dir {
				continue
			}
			tree, err := parser.ParseFile(fset, f.path, f.rewritten(drawn), parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("the changed code cannot be parsed: %w", err)
			}
			trees = append(trees, tree)
		}
		for _, err := range s.check(p.ImportPath, fset, trees, nil) {
			at := fset.Position(err.(types.Error).Pos)
			bad[line{at.Filename, at.Line}] = true
		}
	}
	fit := slices.DeleteFunc(slices.Clone(drawn), func(c change) bool {
		from, to := s.fset.Position(c.node.Pos()).Line, s.fset.Position(c.node.End()).Line
		for n := from; n <= to; n++ {
			if bad[line{c.file.path, n}] {
				return true
			}
		}
		return false
	})
	if len(bad) > 0 && len(fit) == len(drawn) {
		return nil, fmt.Errorf("the changed code does not compile: %v", bad)
	}
	return fit, nil
}

// rewritten returns the file with the drawn changes that are in it, or unchanged if there are
// none.
func (f *goFile) rewritten(drawn []change) []byte {
	var edits []edit
	for i, c := range drawn {
		if c.file == f {
			edits = append(edits, c.edits(i+1)...)
		}
	}
	if edits == nil {
		return f.source
	}
	at := f.offset(f.tree.Name.End())
	return f.applied(append(edits, edit{at: at, end: at, text: "; import " + switches + ` "` + switchPackage + `"`}))
}

// overlay writes the changed files into a folder, with the file for go build's -overlay, whose
// path it returns.
func (s *sources) overlay(dir string, drawn []change) (string, error) {
	var o struct{ Replace map[string]string }
	o.Replace = map[string]string{}
	for i, f := range s.files {
		text := f.rewritten(drawn)
		if bytes.Equal(text, f.source) {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return "", err
		}
		o.Replace[f.full] = path
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
