package fsm_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What a reader has to take in at once is bounded: the files of a folder, not counting
// tests, and those of a knot.
const (
	folderFilesMax = 30
	knotFilesMax   = 12
)

// knots returns the sets of files of a package that refer to each other, directly or through
// others: the strongly connected components of their references, including those to methods and
// fields. The largest comes first; a file with no such references is in none.
func knots(fset *token.FileSet, uses map[*ast.Ident]types.Object, of *types.Package) [][]string {
	names := map[string]map[string]bool{}
	for id, object := range uses { // order-free: a set
		if v, isVar := object.(*types.Var); object.Pkg() != of || isVar && !v.IsField() && v.Parent() != of.Scope() {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if names[from] == nil {
			names[from] = map[string]bool{}
		}
		names[from][to] = from != to
	}
	reach := map[string]map[string]bool{}
	for from := range names { // order-free: a set
		reach[from] = reached(names, from)
	}
	var found [][]string
	taken := map[string]bool{}
	for from := range names { // order-free: sorted below
		var knot []string
		for to := range reach[from] { // order-free: sorted below
			if !taken[to] && reach[to][from] {
				taken[to] = true
				knot = append(knot, path.Base(to))
			}
		}
		if len(knot) > 1 {
			slices.Sort(knot)
			found = append(found, knot)
		}
	}
	slices.SortFunc(found, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.Compare(a, b)
	})
	return found
}

// reached returns the files that one refers to, directly or through others.
func reached(names map[string]map[string]bool, from string) map[string]bool {
	seen := map[string]bool{}
	for todo := []string{from}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for to, other := range names[at] { // order-free: a set
			if other && !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

func TestNoKnotIsLarge(t *testing.T) {
	load := &packages.Config{Dir: "..", Mode: packages.LoadSyntax}
	pkgs, err := packages.Load(load, "./...")
	if err != nil || packages.PrintErrors(pkgs) > 0 || len(pkgs) == 0 {
		t.Fatal("cannot load: ", err)
	}
	for _, p := range pkgs {
		for _, knot := range knots(p.Fset, p.TypesInfo.Uses, p.Types) {
			if len(knot) > knotFilesMax {
				t.Errorf("%s: %d files refer to each other, at most %d may: %s", p.PkgPath, len(knot), knotFilesMax, strings.Join(knot, " "))
			}
		}
	}
}

func TestTheCheckOfKnotsCanFail(t *testing.T) {
	tests := []struct {
		name  string
		files []string // named a.go, b.go and so on
		want  string
	}{
		{"one way", []string{"func a() { b() }", "func b() {}"}, "[]"},
		{"there and back", []string{"func a() { b() }", "func b() { a() }"}, "[[a.go b.go]]"},
		{"by way of a third", []string{"func a() { b() }", "func b() { c() }", "var n int; func c() { a() }"}, "[[a.go b.go c.go]]"},
		{"by a method", []string{"type a struct{}; func f(x a) { x.m() }", "func (a) m() {}"}, "[[a.go b.go]]"},
		{"by a field", []string{"type a struct{ n int }; var _ = b", "func b(x interface{ get() a }) int { return x.get().n }"}, "[[a.go b.go]]"},
		{"by a local of the same name", []string{"func a() { b := 1; _ = b }", "func b() { a() }"}, "[]"},
		{"two knots", []string{"func a() { b() }", "func b() { a(); c() }", "func c() { d() }", "func d() { e() }", "func e() { c() }"}, "[[c.go d.go e.go] [a.go b.go]]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fset := token.NewFileSet()
			var files []*ast.File
			for i, code := range tt.files {
				file, err := parser.ParseFile(fset, string(rune('a'+i))+".go", "package x\n"+code, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
			pkg, err := (&types.Config{}).Check("x", fset, files, info)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(knots(fset, info.Uses, pkg)); got != tt.want {
				t.Errorf("the knots are %s, want %s", got, tt.want)
			}
		})
	}
}

// crowded returns the folders with too many files.
func crowded(files []string) (found []string) {
	count := map[string]int{}
	for _, f := range files {
		count[path.Dir(f)]++
	}
	for dir, n := range count { // order-free: sorted below
		if n > folderFilesMax {
			found = append(found, fmt.Sprintf("%s has %d files, but may have at most %d", dir, n, folderFilesMax))
		}
	}
	slices.Sort(found)
	return found
}

func TestNoFolderIsCrowded(t *testing.T) {
	var files []string
	for _, s := range sourcesIn(t, os.DirFS(".."), []string{"fsm", "sim", "runtime", "cmd"}, nil) {
		files = append(files, s.name)
	}
	for _, problem := range crowded(files) {
		t.Error(problem)
	}
}

func TestTheCheckOfFoldersCanFail(t *testing.T) {
	var files []string
	for n := range folderFilesMax {
		files = append(files, fmt.Sprintf("fsm/%d.go", n), fmt.Sprintf("fsm/below/%d.go", n))
	}
	if got := crowded(files); len(got) > 0 {
		t.Errorf("with %d files each: %q", folderFilesMax, got)
	}
	if got := crowded(append(files, "fsm/more.go")); len(got) != 1 || !strings.HasPrefix(got[0], "fsm has") {
		t.Errorf("with one more: %q", got)
	}
}
