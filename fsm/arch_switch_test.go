package fsm_test

import (
	"go/ast"
	"go/types"
	"os"
	"slices"
	"testing"
)

// kindSwitchesMax bounds the type switches over kinds of fact or effect. Code that must
// know all kinds uses a table of fsm.NewFactTable, NewAnswerTable, NewEffectTable or
// NewCallTable, which reports a missing kind at start; a switch ignores it silently.
const kindSwitchesMax = 15

// A closed set has one descriptor: a new kind is a row in tables, not a case in many
// switches.
func TestOnlyFewSwitchesAreOverKinds(t *testing.T) {
	sources := sourcesIn(t, os.DirFS(".."), []string{"fsm", "sim", "runtime", "cmd"}, nil)
	kinds := kindNames(sources)
	if len(kinds) < 40 {
		t.Fatalf("only %d kinds are found: %v", len(kinds), kinds)
	}
	var found []string
	for _, s := range sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sw, ok := n.(*ast.TypeSwitchStmt); ok && kindCases(sw, kinds) >= 2 {
				found = append(found, s.fset.Position(sw.Pos()).String())
			}
			return true
		})
	}
	if len(found) > kindSwitchesMax {
		t.Errorf("%d type switches have two or more kinds of fact or effect; replace some with tables, at most %d may stay:", len(found), kindSwitchesMax)
		for _, place := range found {
			t.Error(place)
		}
	}
}

// kindNames are the types with a method kind: the facts and effects.
func kindNames(sources []source) []string {
	var names []string
	for _, s := range sources {
		if s.file.Name.Name != "fsm" {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "kind" && f.Recv != nil {
				names = append(names, types.ExprString(f.Recv.List[0].Type))
			}
		}
	}
	return names
}

// kindCases returns how many kinds the cases of a switch name.
func kindCases(sw *ast.TypeSwitchStmt, kinds []string) int {
	n := 0
	for _, clause := range sw.Body.List {
		for _, expr := range clause.(*ast.CaseClause).List {
			switch e := expr.(type) {
			case *ast.Ident:
				n += count(slices.Contains(kinds, e.Name))
			case *ast.SelectorExpr:
				n += count(types.ExprString(e.X) == "fsm" && slices.Contains(kinds, e.Sel.Name))
			}
		}
	}
	return n
}

func count(one bool) int {
	if one {
		return 1
	}
	return 0
}
