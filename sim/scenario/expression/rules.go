package expression

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"shelly/fsm/wording"
)

// functionNames are the functions of expressions: each is a function of its
// operands alone, takes time in proportion to them, and makes nothing longer than
// they are. So no expression reads a clock, depends on the order of a map, or
// doubles a text or a list time and again.
func functionNames() []string {
	return []string{
		"all", "any", "none", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex",
		"count", "sum", "len", "min", "max", "abs", "first", "last", "sort", "uniq", "reverse",
		"lower", "upper", "trim", "hasPrefix", "hasSuffix", "indexOf", "duration",
	}
}

// rules refuses the parts of the language that functionNames does not allow for,
// checks words, and notes what a failure shows.
type rules struct {
	first  *expressionError
	at     int // the character of first
	parts  []ast.Node
	shown  []string            // parts as the file has them, each once
	names  []string            // of the state that occur
	fields []string            // properties that occur
	tools  []string            // of the tools whose starts occur
	said   map[string][]string // the sessions and requests that occur
	entry  vocabulary          // of #, within a condition on each entry of a list
}

// refuse notes what is wrong at a place; the first in the text is reported.
func (r *rules) refuse(at file.Location, text string) {
	if r.first == nil || at.From < r.at {
		r.first, r.at = &expressionError{text: text}, at.From
	}
}

// wrong is the first thing that was refused, with its line and column in the text.
func (r *rules) wrong(text string) *expressionError {
	if r.first == nil {
		return nil
	}
	before := string([]rune(text)[:min(r.at, len([]rune(text)))])
	r.first.line = 1 + strings.Count(before, "\n")
	r.first.col = len([]rune(before[strings.LastIndex(before, "\n")+1:]))
	return r.first
}

// Visit implements ast.Visitor; what a node consists of is visited before it.
func (r *rules) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			r.refuse(n.Location(), "$env is not available; use the names themselves")
		}
		r.names = append(r.names, n.Value)
		r.show(n)
	case *ast.MemberNode:
		r.member(n)
	case *ast.BuiltinNode:
		if !slices.Contains(functionNames(), n.Name) {
			r.refuse(n.Location(), wording.Unknown("function", n.Name, functionNames()))
		}
		if n.Name == "map" && !isPlain(n.Arguments[1]) {
			r.refuse(n.Arguments[1].Location(), "map wants a number, a text or a condition of each entry")
		}
		r.called(n)
	case *ast.BinaryNode:
		r.binary(n)
	case *ast.ArrayNode:
		for _, entry := range n.Nodes {
			if !isPlain(entry) {
				r.refuse(entry.Location(), "a list is of numbers, texts or conditions")
			}
		}
	case *ast.MapNode, *ast.SequenceNode:
		r.refuse((*node).Location(), "{ and ; are not available")
	case *ast.CallNode:
		name := n.Callee.String()
		if slices.Contains(exprNames(reflect.TypeFor[State]()), name) {
			r.refuse(n.Location(), name+" is no function; leave the brackets out")
		}
		r.refuse(n.Location(), wording.Unknown("function", name, functionNames()))
	}
}

// isPlain reports whether a part is a number, a text or a condition.
func isPlain(n ast.Node) bool {
	if p, ok := n.(*ast.PredicateNode); ok {
		n = p.Node
	}
	switch n.Type().Kind() {
	case reflect.Int, reflect.Float64, reflect.String, reflect.Bool:
		return true
	default:
		return false
	}
}

func (r *rules) binary(n *ast.BinaryNode) {
	switch n.Operator {
	case "..", "**", "^":
		r.refuse(n.Location(), "the operator "+n.Operator+" is not available")
	case "+":
		if n.Left.Type().Kind() == reflect.String {
			r.refuse(n.Location(), "+ is for numbers")
		}
	case "==", "!=", "in":
		for _, side := range []ast.Node{n.Left, n.Right} {
			if side.Type() == reflect.TypeFor[[]handleState]() {
				r.refuse(n.Location(), "handles are not compared as a whole; use len, all, any or count")
			}
		}
		r.nothing(n)
	}
	r.compared(n)
}

// nothing refuses to compare with nil what is always there. Only what is looked for may be nothing.
func (r *rules) nothing(n *ast.BinaryNode) {
	for _, side := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		if _, empty := side[1].(*ast.NilNode); !empty {
			continue
		}
		_, there := side[0].(*ast.MemberNode)
		if name, is := side[0].(*ast.IdentifierNode); is { // else a let has named what may have been looked for
			there = slices.Contains(exprNames(reflect.TypeFor[State]()), name.Value)
		}
		if there {
			r.refuse(n.Location(), side[0].String()+" is always there; compare it with what it may be")
		}
	}
}

// member notes a property, and shows the whole of a path such as limits.max_active
// in place of what it begins with.
func (r *rules) member(n *ast.MemberNode) {
	property, ok := n.Property.(*ast.StringNode)
	if !ok {
		return
	}
	if of, ok := n.Node.(*ast.IdentifierNode); ok && of.Value == "tools" {
		r.tools = append(r.tools, property.Value)
	}
	if !slices.Contains(r.fields, property.Value) {
		r.fields = append(r.fields, property.Value)
	}
	if i := slices.Index(r.parts, n.Node); i >= 0 {
		r.parts = slices.Delete(r.parts, i, i+1)
		r.shown = slices.Delete(r.shown, i, i+1)
		r.add(n)
	}
}

func (r *rules) show(n *ast.IdentifierNode) {
	if slices.Contains(exprNames(reflect.TypeFor[State]()), n.Value) {
		r.add(n)
	}
}

// add notes a part once. One that occurs again stays for what is built on it.
func (r *rules) add(n ast.Node) {
	r.parts, r.shown = append(r.parts, n), append(r.shown, n.String())
}

// durations writes duration("5s") as the milliseconds that it is.
type durations struct{ *rules }

// Visit implements ast.Visitor.
func (d durations) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.BuiltinNode)
	if !ok || n.Name != "duration" {
		return
	}
	var text *ast.StringNode
	if len(n.Arguments) == 1 {
		text, _ = n.Arguments[0].(*ast.StringNode)
	}
	if text == nil {
		d.refuse(n.Location(), `duration wants a text, as in duration("5s")`)
		return
	}
	length, err := time.ParseDuration(text.Value)
	if err != nil || length < 0 || length%time.Millisecond != 0 {
		d.refuse(text.Location(), "wants a duration such as 5s or 300ms, not "+wording.Word(text.Value)+wording.Days(text.Value))
		return
	}
	ast.Patch(node, &ast.IntegerNode{Value: int(length.Milliseconds())})
}

// meter makes each pass of a loop count (see expressionPassesMax).
type meter struct{}

// Visit implements ast.Visitor.
func (meter) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.PredicateNode); ok {
		tick := &ast.CallNode{Callee: &ast.IdentifierNode{Value: "a pass"}}
		n.Node = &ast.SequenceNode{Nodes: []ast.Node{tick, n.Node}}
	}
}
