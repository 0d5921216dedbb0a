package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// change is one small change of the code.
type change struct {
	name  string
	file  *goFile
	node  ast.Node
	edits func(n int) []edit // with the mutant's number
}

// finder looks for changes in one function.
type finder struct {
	*goFile
	in      string // name of the function
	negated map[ast.Expr]bool
	found   []change
}

// changesIn returns the changes of a file, in the order of the code.
func changesIn(f *goFile) []change {
	var all []change
	for _, d := range f.tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			c := &finder{goFile: f, in: fn.Name.Name, negated: map[ast.Expr]bool{}}
			ast.Inspect(fn.Body, c.look)
			all = append(all, c.found...)
		}
	}
	return all
}

func (f *finder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if f.sleeps(n.Cond) && strings.Contains(f.text(n.Cond), "==") {
			return false
		}
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					f.negate(e)
				}
			}
		}
	case *ast.CallExpr:
		f.hashed(n)
	case *ast.BinaryExpr:
		f.shift(n)
	case *ast.BlockStmt:
		f.remove(n.List)
	case *ast.CaseClause:
		f.remove(n.Body)
	}
	return true
}

// negate turns a condition into its opposite.
func (f *finder) negate(e ast.Expr) {
	if e == nil || f.negated[e] || !f.typed(e, types.IsBoolean) {
		return
	}
	f.negated[e] = true
	f.add("negate", e, func(n int) []edit { return f.around(e, call("Not", n), ")", n) })
}

// hashed leaves out the negation of a flag that is hashed: its opposite tells two states apart
// just as well.
func (f *finder) hashed(c *ast.CallExpr) {
	if strings.HasPrefix(f.text(c), "x.Bool(") {
		f.negated[c.Args[0]] = true
	}
}

// shift replaces an operator with a related one, such as < with <=.
func (f *finder) shift(e *ast.BinaryExpr) {
	if e.Op == token.EQL || e.Op == token.NEQ {
		f.negate(e)
		return
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		f.negate(e.X)
		f.negate(e.Y)
	}
	o, ok := map[token.Token]struct {
		fn, between, after, to string
		of                     types.BasicInfo
	}{
		token.LSS:  {"Less", ",", ")", "<=", types.IsOrdered},
		token.LEQ:  {"AtMost", ",", ")", "<", types.IsOrdered},
		token.GTR:  {"More", ",", ")", ">=", types.IsOrdered},
		token.GEQ:  {"AtLeast", ",", ")", ">", types.IsOrdered},
		token.ADD:  {"Add", ",", ")", "-", types.IsInteger},
		token.SUB:  {"Sub", ",", ")", "+", types.IsInteger},
		token.LAND: {"And", ", func() bool { return", "})", "||", types.IsBoolean},
		token.LOR:  {"Or", ", func() bool { return", "})", "&&", types.IsBoolean},
	}[e.Op]
	if !ok || f.constant(e) || !f.typed(e.X, o.of) && !f.typed(e.Y, o.of) {
		return
	}
	f.add("make it "+o.to+" in", e, func(n int) []edit {
		at := f.offset(e.OpPos)
		return append(f.around(e, call(o.fn, n), o.after, n+innermost), edit{at: at, end: at + len(e.Op.String()), text: o.between})
	})
}

// remove removes single statements, but none that only stops what cannot be, or only makes room
// for what is appended. A return is removed only at the end of an if without else
// that other statements follow.
func (f *finder) remove(list []ast.Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if text := f.text(s); !strings.HasPrefix(text, "panic(") && !strings.Contains(text, ".Grow(") {
				f.without(s)
			}
		case *ast.IncDecStmt:
			f.without(s)
			f.instead(s, s.X, map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok], nil)
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			f.without(s)
			if op := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[s.Tok]; op != "" && f.typed(s.Lhs[0], types.IsInteger) {
				f.instead(s, s.Lhs[0], op, s.Rhs[0])
			}
		case *ast.BranchStmt:
			if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
				f.without(s)
			}
		case *ast.IfStmt:
			if last := len(s.Body.List) - 1; i < len(list)-1 && s.Else == nil && last >= 0 {
				if r, ok := s.Body.List[last].(*ast.ReturnStmt); ok {
					f.without(r)
				}
			}
		}
	}
}

func (f *finder) without(s ast.Stmt) {
	f.add("remove", s, func(n int) []edit { return f.around(s, "if !"+call("Is", n)+") { ", " }", n) })
}

// instead replaces a statement with one that has another operator.
func (f *finder) instead(s ast.Stmt, left ast.Expr, op string, right ast.Expr) {
	other := f.text(left) + op
	if right != nil {
		other += f.text(right)
	}
	f.add("make it "+op+" in", s, func(n int) []edit {
		return f.around(s, "if "+call("Is", n)+") { "+other+" } else { ", " }", n)
	})
}

// sleeps reports whether a node belongs to a canary, which has no effect in a build without
// canaries.
func (f *finder) sleeps(n ast.Node) bool {
	text := f.text(n)
	return strings.Contains(text, "fsm.Awake") || strings.Contains(text, "fsm.Elsewhere")
}

// add gives a change a name that does not depend on lines.
func (f *finder) add(what string, n ast.Node, edits func(int) []edit) {
	if f.sleeps(n) {
		return
	}
	text := strings.Join(strings.Fields(f.text(n)), " ")
	if len(text) > 100 {
		text = text[:100] + "…"
	}
	name := fmt.Sprintf("%s %s: %s `%s`", f.path, f.in, what, text)
	for _, c := range f.found {
		if c.name == name {
			f.add(what+" once more", n, edits)
			return
		}
	}
	f.found = append(f.found, change{name: name, file: f.goFile, node: n, edits: edits})
}

func (f *finder) constant(e ast.Expr) bool { return f.info.Types[e].Value != nil }

// typed reports whether an expression is of a basic type with the given property, and is not a
// constant.
func (f *finder) typed(e ast.Expr, of types.BasicInfo) bool {
	if f.constant(e) || f.info.Types[e].Type == nil {
		return false
	}
	b, ok := f.info.Types[e].Type.Underlying().(*types.Basic)
	return ok && b.Info()&of != 0
}

// edit replaces a part of a file, or inserts a text. If edits insert at the same place, the one
// around the larger node is outside.
type edit struct {
	at, end  int // offsets
	text     string
	from, to int // the node that the edit surrounds
	n        int // for edits around the same node: the one with the lower number is outside
}

// innermost is more than any number: an edit of a part of an expression is inside one of the
// whole expression.
const innermost = 1 << 30

// around puts texts before and after a node.
func (f *goFile) around(node ast.Node, before, after string, n int) []edit {
	from, to := f.offset(node.Pos()), f.offset(node.End())
	return []edit{{from, from, before, from, to, n}, {to, to, after, from, to, n}}
}

func (f *goFile) applied(edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		closes := a.at == a.to
		switch {
		case a.at != b.at:
			return a.at - b.at
		case closes && a.from != b.from:
			return b.from - a.from
		case closes:
			return b.n - a.n
		case a.to != b.to:
			return b.to - a.to
		default:
			return a.n - b.n
		}
	})
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, f.source[at:e.at]...), e.text...)
		at = e.end
	}
	return append(out, f.source[at:]...)
}

// call returns the beginning of a call of a function of package on.
func call(fn string, n int) string { return fmt.Sprintf("%s.%s(%d, ", switches, fn, n) }
