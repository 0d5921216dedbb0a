package openapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each word of a type that a client branches on is described.
func TestCOM97EachWordIsDescribed(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	for of, schema := range words {
		name := of.Name()
		constants := 0
		files, err := filepath.Glob(filepath.Join(root, strings.TrimPrefix(of.PkgPath(), "shelly/"), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, is := n.(*ast.ValueSpec)
				if !is || len(spec.Values) != 1 {
					return true
				}
				typed, is := spec.Type.(*ast.Ident)
				value, written := spec.Values[0].(*ast.BasicLit)
				if !is || !written || typed.Name != name {
					return true
				}
				constants++
				word, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(strings.NewReplacer(":", ",", ".", ",").Replace(schema.Description), " "+word+",") {
					t.Errorf("%s %s is not in %q", name, word, schema.Description)
				}
				return true
			})
		}
		if listed := strings.Count(schema.Description, ", ") + 1; constants != listed {
			t.Errorf("%s has %d words, and %d are described", name, constants, listed)
		}
	}
}
