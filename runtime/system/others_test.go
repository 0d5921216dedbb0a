package system_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"testing"

	"golang.org/x/tools/go/packages"

	"shelly/runtime/exhaustive"
)

// The code must type-check for other systems, although only Linux runs it. Types
// are checked from source, because a build for each system would compile every library.
func TestAllOfShellyIsForOtherSystemsToo(t *testing.T) {
	exhaustive.Test(t)
	const wanted = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			found, err := packages.Load(&packages.Config{
				Mode: wanted, Dir: "../..",
				Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system),
				ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) { // what types need
					return parser.ParseFile(files, name, text, parser.AllErrors|parser.SkipObjectResolution)
				},
			}, "./cmd/...", "./runtime/...")
			if err != nil || len(found) < 50 {
				t.Fatalf("%d packages are found: %v", len(found), err)
			}
			packages.Visit(found, nil, func(p *packages.Package) {
				for _, problem := range p.Errors {
					t.Errorf("%s: %v", p.ID, problem)
				}
			})
		})
	}
}
