package expression

import (
	"cmp"
	"reflect"

	"github.com/expr-lang/expr/ast"
)

// Constant reports what the expression is after every step of any run, where it is known: it
// speaks of nothing in the state, compares a number that is never negative with 0 or less, or a
// part with itself, or joins such parts so that the others do not matter.
func (v *Expression) Constant() (holds, known bool) {
	if len(v.names) == 0 {
		holds, err := v.Now(&State{})
		return holds, err == nil
	}
	return constant(v.program.Node())
}

func constant(n ast.Node) (holds, known bool) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value, true
	case *ast.UnaryNode:
		holds, known = constant(n.Node)
		return !holds, known && (n.Operator == "!" || n.Operator == "not")
	case *ast.BinaryNode:
		left, knowsLeft := constant(n.Left)
		right, knowsRight := constant(n.Right)
		switch n.Operator {
		case "&&", "and":
			return left && right, knowsLeft && knowsRight || knowsLeft && !left || knowsRight && !right
		case "||", "or":
			return left || right, knowsLeft && knowsRight || knowsLeft && left || knowsRight && right
		}
		return compared(n)
	default:
		return false, false
	}
}

// compared is what a comparison is, where that is known.
func compared(n *ast.BinaryNode) (holds, known bool) {
	if n.Left.String() == n.Right.String() {
		switch n.Operator {
		case "==", ">=", "<=":
			return true, true
		case "!=", ">", "<":
			return false, true
		}
	}
	op := n.Operator
	of, bound := n.Left, n.Right
	if isNumberOf(bound) {
		of, bound = bound, of
		op = cmp.Or(map[string]string{">=": "<=", "<=": ">=", ">": "<", "<": ">"}[op], n.Operator)
	}
	number, ok := integer(bound)
	switch {
	case !ok || !isNumberOf(of) || number > 0:
		return false, false
	case op == ">=" || number < 0 && (op == ">" || op == "!="):
		return true, true
	case op == "<" || number < 0 && (op == "<=" || op == "=="):
		return false, true
	default:
		return false, false
	}
}

// integer is a whole number that is written out.
func integer(n ast.Node) (int, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.UnaryNode:
		number, ok := integer(n.Node)
		return -number, ok && n.Operator == "-"
	default:
		return 0, false
	}
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
