package expression

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
)

// Constant reports what the expression is after every step of any run, where it is known:
// it speaks of nothing in the state, or only compares a number that is never negative with 0.
func (v *Expression) Constant() (holds, known bool) {
	if len(v.names) == 0 {
		holds, err := v.Now(&State{})
		return holds, err == nil
	}
	n, ok := v.program.Node().(*ast.BinaryNode)
	switch {
	case !ok:
		return false, false
	case isZero(n.Right) && isNumberOf(n.Left):
		return n.Operator == ">=", n.Operator == ">=" || n.Operator == "<"
	case isZero(n.Left) && isNumberOf(n.Right):
		return n.Operator == "<=", n.Operator == "<=" || n.Operator == ">"
	default:
		return false, false
	}
}

func isZero(n ast.Node) bool {
	number, ok := n.(*ast.IntegerNode)
	return ok && number.Value == 0
}

// isNumberOf reports whether a part of an expression says how many of something there are.
func isNumberOf(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value != "now" && n.Type().Kind() == reflect.Int
	case *ast.MemberNode:
		of, ok := n.Node.(*ast.IdentifierNode)
		return ok && of.Value == "tools"
	case *ast.BuiltinNode:
		return n.Name == "len" || n.Name == "count"
	default:
		return false
	}
}
