package fsm_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// checker looks for what a room forbids in one file.
type checker struct {
	room
	source
	maps    mapNames
	globals map[string]string
	used    map[string]string // allowed globals that no file has declared yet
	names   map[string]string // import path of each local package name
	sorted  []ast.Expr        // calls of package maps whose result is sorted at once
	found   []string
}

// check returns the problems of the file, each with its place.
func (c *checker) check() []string {
	c.checkImports()
	c.checkDecls()
	known := c.maps
	for _, decl := range c.file.Decls {
		c.maps = known
		if fn, ok := decl.(*ast.FuncDecl); ok {
			c.maps = known.inside(fn)
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			c.checkNode(n)
			return true
		})
	}
	return c.found
}

func (c *checker) problem(at token.Pos, format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf("%s: %s", c.fset.Position(at), fmt.Sprintf(format, args...)))
}

func importPath(imp *ast.ImportSpec) string {
	p, _ := strconv.Unquote(imp.Path.Value)
	return p
}

// packageName returns the last part of an import path that is not a version.
func packageName(p string) string {
	name := path.Base(p)
	if regexp.MustCompile(`^v\d+$`).MatchString(name) {
		name = path.Base(path.Dir(p))
	}
	return name
}

// within reports whether a path is root or below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// impure returns the parts of the standard library that reach outside, wait, or let other
// code run concurrently.
func impure() []string {
	return []string{
		"C", "os", "net", "syscall", "runtime", "plugin", "log", "sync", "unsafe", "testing",
		"crypto/rand", "math/rand", "time", "reflect", "io/ioutil", "path/filepath",
	}
}

// banned returns, for each package, the members that no room may use.
func banned() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"time":         regexp.MustCompile(`^(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker|Timer|Ticker|Local|LoadLocation)$`),
		"context":      regexp.MustCompile(`^With(Timeout|Deadline)`),
		"fmt":          regexp.MustCompile(`^(Print|Scan)`),
		"math/rand/v2": regexp.MustCompile(`^(Int|Uint|Float|N$|Perm|Shuffle|NormFloat|ExpFloat)`),
	}
}

func (c *checker) checkImports() {
	c.names = map[string]string{}
	for _, imp := range c.file.Imports {
		p := importPath(imp)
		name := packageName(p)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		c.names[name] = p
		if name == "." {
			c.problem(imp.Pos(), "dot import of %q", p)
		}
		if !c.mayImport(p) {
			c.problem(imp.Pos(), "import of %q", p)
		}
	}
}

func (c *checker) mayImport(p string) bool {
	switch {
	case p == "time":
		return c.time
	case p == "math/rand/v2":
		return c.rand
	case p == "reflect":
		return c.reflect
	case slices.ContainsFunc(impure(), func(root string) bool { return within(p, root) }):
		return false
	case slices.Contains(c.imports, p):
		return true
	case within(p, "shelly"):
		return within(p, "shelly/"+c.dirs[0]) && !slices.ContainsFunc(c.except, func(dir string) bool { return within(p, "shelly/"+dir) })
	default:
		return !strings.Contains(strings.Split(p, "/")[0], ".") // the standard library
	}
}

// checkDecls looks for state and effects at package level.
func (c *checker) checkDecls() {
	for _, decl := range c.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				c.problem(d.Pos(), "an init function")
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				c.checkGlobals(spec.(*ast.ValueSpec))
			}
		}
	}
}

func (c *checker) checkGlobals(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		full := c.file.Name.Name + "." + name.Name
		if name.Name == "_" || i < len(spec.Values) && (c.makesError(spec.Values[i]) || c.makesTable(spec.Values[i])) {
			continue
		}
		delete(c.used, full)
		if c.globals[full] == "" {
			c.problem(name.Pos(), "package-level variable %s", full)
		}
	}
}

func (c *checker) makesError(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	p, name := c.qualified(call.Fun)
	return p == "errors" && name == "New" || p == "fmt" && name == "Errorf"
}

// makesTable reports whether a value is a table over all kinds of fact or effect, which is
// only read.
func (c *checker) makesTable(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	made := regexp.MustCompile(`^New(Fact|Answer|Effect|Call)Table$`)
	if name, ok := call.Fun.(*ast.Ident); ok && c.file.Name.Name == "fsm" {
		return made.MatchString(name.Name)
	}
	p, name := c.qualified(call.Fun)
	return p == "shelly/fsm" && made.MatchString(name)
}

// qualified returns the import path and name of a package's member, or empty strings.
func (c *checker) qualified(e ast.Expr) (importPath, name string) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if pkg, ok := sel.X.(*ast.Ident); ok && c.names[pkg.Name] != "" {
		return c.names[pkg.Name], sel.Sel.Name
	}
	return "", ""
}

func (c *checker) checkNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.problem(n.Pos(), "a goroutine")
	case *ast.ChanType, *ast.SendStmt:
		c.problem(n.Pos(), "a channel")
	case *ast.SelectStmt:
		c.problem(n.Pos(), "a select")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.problem(n.Pos(), "a channel")
		}
	case *ast.SelectorExpr:
		if p, name := c.qualified(n); p != "" && banned()[p] != nil && banned()[p].MatchString(name) {
			c.problem(n.Pos(), "use of %s.%s", packageName(p), name)
		}
	case *ast.BasicLit:
		if n.Kind == token.FLOAT && !c.floats {
			c.problem(n.Pos(), "a float")
		}
	case *ast.Ident:
		if (n.Name == "float32" || n.Name == "float64") && !c.floats {
			c.problem(n.Pos(), "a float")
		}
	case *ast.CallExpr:
		c.checkCall(n)
	case *ast.RangeStmt:
		if c.maps.isMap(n.X) && !c.orderFree(n.Pos()) {
			c.problem(n.Pos(), "range over a map without a comment \"order-free: <reason>\"")
		}
	}
}

// checkCall looks for output, and for keys and values of a map that are used in
// the map's order. An outer call is seen before its arguments.
func (c *checker) checkCall(call *ast.CallExpr) {
	if name, ok := call.Fun.(*ast.Ident); ok && (name.Name == "print" || name.Name == "println") {
		c.problem(call.Pos(), "%s", name.Name)
	}
	switch p, name := c.qualified(call.Fun); {
	case p == "slices" && strings.HasPrefix(name, "Sorted"):
		c.sorted = append(c.sorted, call.Args[0])
	case p == "maps" && (name == "Keys" || name == "Values" || name == "All"):
		if !slices.Contains(c.sorted, ast.Expr(call)) && !c.orderFree(call.Pos()) {
			c.problem(call.Pos(), "maps.%s that is not sorted at once", name)
		}
	}
}

// orderFree reports whether a line, or the one above it, says why the order of a
// map does not matter.
func (c *checker) orderFree(at token.Pos) bool {
	reason := regexp.MustCompile(`^// order-free: \S`)
	line := c.fset.Position(at).Line
	for _, group := range c.file.Comments {
		for _, comment := range group.List {
			if n := c.fset.Position(comment.Pos()).Line; (n == line || n == line-1) && reason.MatchString(comment.Text) {
				return true
			}
		}
	}
	return false
}
