package fsm_test

import (
	"go/ast"
	"maps"
)

// mapNames are the names that stand for a map. Types, fields and functions are known for a
// whole room, by name alone; variables for one function. The value is true if the map holds
// maps. If a slice shares its name with a map and is taken for one, rename one of them.
type mapNames struct {
	types, fields, funcs, vars map[string]bool
}

// learnMaps reads the declarations of a room, until nothing new is learned: a
// name may be used above its declaration.
func learnMaps(files []*ast.File) mapNames {
	m := mapNames{types: map[string]bool{}, fields: map[string]bool{}, funcs: map[string]bool{}, vars: map[string]bool{}}
	for before := -1; before != m.known(); {
		before = m.known()
		for _, file := range files {
			for _, decl := range file.Decls {
				m.learnDecl(decl)
			}
		}
	}
	return m
}

func (m mapNames) known() int { return len(m.types) + len(m.fields) + len(m.funcs) + len(m.vars) }

func (m mapNames) learnDecl(decl ast.Decl) {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		if results := fn.Type.Results; results != nil {
			m.learn(m.funcs, results.List[0].Type, fn.Name)
		}
		return
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			m.learn(m.types, n.Type, n.Name)
		case *ast.Field:
			m.learn(m.fields, n.Type, n.Names...)
		default:
			m.learnVars(n)
		}
		return true
	})
}

// inside returns the names that are known within a function.
func (m mapNames) inside(fn *ast.FuncDecl) mapNames {
	m.vars = maps.Clone(m.vars)
	ast.Inspect(fn, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			m.learn(m.vars, field.Type, field.Names...)
		}
		m.learnVars(n)
		return true
	})
	return m
}

func (m mapNames) learnVars(n ast.Node) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		m.learn(m.vars, n.Type, n.Names...)
		for i, v := range n.Values {
			if m.isMap(v) && i < len(n.Names) {
				m.vars[n.Names[i].Name] = m.isNested(v)
			}
		}
	case *ast.AssignStmt:
		for i, v := range n.Rhs {
			if name, ok := n.Lhs[i].(*ast.Ident); ok && m.isMap(v) {
				m.vars[name.Name] = m.isNested(v)
			}
		}
	}
}

// learn records the names if their type is a map.
func (m mapNames) learn(names map[string]bool, typ ast.Expr, idents ...*ast.Ident) {
	if typ == nil {
		return
	}
	isMap, nested := m.typeOf(typ)
	if !isMap {
		return
	}
	for _, id := range idents {
		names[id.Name] = nested
	}
}

// typeOf reports whether a type is a map, and whether it is a map of maps.
func (m mapNames) typeOf(e ast.Expr) (isMap, nested bool) {
	switch e := e.(type) {
	case *ast.MapType:
		nested, _ = m.typeOf(e.Value)
		return true, nested
	case *ast.Ident:
		nested, isMap = m.types[e.Name]
	case *ast.SelectorExpr:
		nested, isMap = m.types[e.Sel.Name]
	case *ast.ParenExpr:
		return m.typeOf(e.X)
	}
	return isMap, nested
}

// valueOf reports whether an expression is a map, and whether it is a map of maps,
// as far as names tell.
func (m mapNames) valueOf(e ast.Expr) (isMap, nested bool) {
	switch e := e.(type) {
	case *ast.Ident:
		nested, isMap = m.vars[e.Name]
	case *ast.SelectorExpr:
		nested, isMap = m.fields[e.Sel.Name]
	case *ast.CompositeLit:
		return m.typeOf(e.Type)
	case *ast.CallExpr:
		return m.resultOf(e)
	case *ast.IndexExpr:
		return m.isNested(e.X), false
	case *ast.ParenExpr:
		return m.valueOf(e.X)
	}
	return isMap, nested
}

// resultOf is valueOf for a call: of a function, of make, or a conversion.
func (m mapNames) resultOf(call *ast.CallExpr) (isMap, nested bool) {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if fun.Name == "make" {
			return m.typeOf(call.Args[0])
		}
		nested, isMap = m.funcs[fun.Name]
	case *ast.SelectorExpr:
		nested, isMap = m.funcs[fun.Sel.Name]
	}
	if !isMap {
		return m.typeOf(call.Fun)
	}
	return isMap, nested
}

func (m mapNames) isMap(e ast.Expr) bool {
	isMap, _ := m.valueOf(e)
	return isMap
}

func (m mapNames) isNested(e ast.Expr) bool {
	_, nested := m.valueOf(e)
	return nested
}
