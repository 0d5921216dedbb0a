package system_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"shelly/runtime/exhaustive"
)

// The code must type-check for other systems, although only Linux runs it. Types are checked
// from source, because a build for each system would compile every library. Of a library only
// what it declares is looked at: the bodies of its functions are its own affair, and most of the
// time of this test.
func TestAllOfShellyIsForOtherSystemsToo(t *testing.T) {
	exhaustive.Test(t)
	const wanted = packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypesSizes | packages.NeedModule
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			found, err := packages.Load(&packages.Config{Mode: wanted, Dir: "../..", Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system)}, "./cmd/...", "./runtime/...")
			if err != nil || len(found) < 50 {
				t.Fatalf("%d packages are found: %v", len(found), err)
			}
			c := checked{"unsafe": types.Unsafe}
			packages.Visit(found, nil, func(p *packages.Package) {
				for _, problem := range p.Errors {
					t.Errorf("%s: %v", p.ID, problem)
				}
				c.check(t, p)
			})
		})
	}
}

// checked is the packages whose types are known, by their IDs.
type checked map[string]*types.Package

// check finds the types of a package whose imports are known.
func (c checked) check(t *testing.T, p *packages.Package) {
	t.Helper()
	if c[p.ID] != nil {
		return
	}
	set, files := token.NewFileSet(), []*ast.File{}
	for _, name := range p.CompiledGoFiles {
		f, err := parser.ParseFile(set, name, nil, parser.AllErrors|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		files = append(files, f)
	}
	conf := types.Config{
		IgnoreFuncBodies: p.PkgPath != "shelly" && !strings.HasPrefix(p.PkgPath, "shelly/"),
		Importer: importer(func(path string) (*types.Package, error) {
			if from := p.Imports[path]; from != nil && c[from.ID] != nil {
				return c[from.ID], nil
			}
			return nil, errors.New(path + " is not there")
		}),
		Sizes: p.TypesSizes,
		Error: func(err error) { t.Errorf("%s: %v", p.ID, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	c[p.ID], _ = conf.Check(p.PkgPath, set, files, nil) // Error has said what is wrong
}

// importer finds a package by its path in an import.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
