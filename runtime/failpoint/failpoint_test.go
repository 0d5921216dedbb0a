package failpoint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"shelly/runtime/failpoint"
)

// Every point is in the list, has a unique name and is hit by code that is not a
// test: a kill at a point that nothing hits would prove nothing.
func TestEveryPointIsHitSomewhere(t *testing.T) {
	names := constants(t)
	hits := map[string]int{}
	for _, dir := range []string{"runtime", "cmd"} {
		countHits(t, os.DirFS("../.."), dir, hits)
	}
	listed := map[failpoint.Point]bool{}
	for _, p := range failpoint.Points() {
		if listed[p] {
			t.Errorf("%s is in the list twice", p)
		}
		listed[p] = true
	}
	if len(names) != len(listed) {
		t.Errorf("%d points are declared and %d are in the list", len(names), len(listed))
	}
	for name, p := range names {
		if !listed[p] {
			t.Errorf("%s is not in the list", name)
		}
		if hits[name] == 0 {
			t.Errorf("nothing hits %s", name)
		}
	}
}

// What is not linked for it has no point at which the environment could kill it.
func TestABuildIsNotArmedByItself(t *testing.T) {
	if failpoint.On() {
		t.Error("this build can be killed at its points")
	}
}

// constants returns the declared points by their names in Go.
func constants(t *testing.T) map[string]failpoint.Point {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "failpoint.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]failpoint.Point{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				found[spec.Names[0].Name] = failpoint.Point(strings.Trim(literal.Value, `"`))
			}
		}
		return true
	})
	return found
}

// countHits counts the calls of Hit and HitKind below a folder by the names of their
// points.
func countHits(t *testing.T, project fs.FS, dir string, hits map[string]int) {
	t.Helper()
	err := fs.WalkDir(project, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(project, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && strings.HasPrefix(selected(call.Fun), "Hit") && len(call.Args) > 0 {
				hits[selected(call.Args[0])]++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// selected is NAME of failpoint.NAME, or nothing.
func selected(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if from, ok := s.X.(*ast.Ident); !ok || from.Name != "failpoint" {
		return ""
	}
	return s.Sel.Name
}
