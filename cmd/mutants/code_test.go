package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

const original = `package p

func f(a, b int, ok bool) int {
	if a < b && ok {
		return a
	}
	a += b
	a++
	return a + b
}
`

// parsed returns a file without imports.
func parsed(t *testing.T, text string) *goFile {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{tree}, info); err != nil {
		t.Fatal(err)
	}
	return &goFile{path: "p.go", source: []byte(text), tree: tree, fset: fset, info: info}
}

func TestTheChangesOfAFunction(t *testing.T) {
	var got []string
	for _, c := range changesIn(parsed(t, original)) {
		got = append(got, c.name)
	}
	want := []string{
		"p.go f: remove `return a`",
		"p.go f: remove `a += b`",
		"p.go f: make it -= in `a += b`",
		"p.go f: remove `a++`",
		"p.go f: make it -- in `a++`",
		"p.go f: negate `a < b && ok`",
		"p.go f: negate `a < b`",
		"p.go f: negate `ok`",
		"p.go f: make it || in `a < b && ok`",
		"p.go f: make it <= in `a < b`",
		"p.go f: make it - in `a + b`",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// All changes together leave valid code, however they are nested, and no change moves a line.
func TestAllChangesFitIntoOneFile(t *testing.T) {
	f := parsed(t, original)
	text := string(f.rewritten(changesIn(f)))
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(tree.Imports) != 1 || strings.Count(text, "\n") != strings.Count(original, "\n") {
		t.Errorf("got\n%s; want %d lines and 1 import", text, strings.Count(original, "\n"))
	}
	want := "\tif mutants_on.Not(6, mutants_on.And(9, mutants_on.Not(7, mutants_on.Less(10, a , b)) , func() bool { return mutants_on.Not(8, ok)})) {\n"
	if !strings.Contains(text, want) {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// What only stops the impossible or makes room for more is not removed, and a flag that is hashed
// is not negated.
func TestNoMutantIsMadeThatNothingCouldNotice(t *testing.T) {
	for _, c := range changesIn(parsed(t, `package p

type hash struct{}

func (hash) Bool(bool)     {}
func (hash) Grow(int)      {}
func f(x hash, a int) int {
	if a < 0 {
		panic("negative")
	}
	x.Grow(a)
	x.Bool(a != 0)
	return a
}
`)) {
		if c.name != "p.go f: negate `a < 0`" && c.name != "p.go f: make it <= in `a < 0`" && c.name != "p.go f: remove `x.Bool(a != 0)`" {
			t.Errorf("got the change %s; want only those of `a < 0` and of `x.Bool(a != 0)`", c.name)
		}
	}
}
