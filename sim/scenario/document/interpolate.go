package document

import (
	"bytes"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Vars are values by name. They are read before everything else.
type Vars struct{}

func (*Vars) Read(*strict.Decoder, *strict.Node, string) {}

const literalHint = " ($${ stands for ${ itself)"

// isVariableName reports whether a variable or a name of a matrix may be called so.
func isVariableName(name string) bool {
	for i, c := range []byte(name) {
		if letter := c >= 'a' && c <= 'z'; !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= 40
}

// variables reads vars and matrix, and returns the rows of the matrix; without one
// it is a row of nothing.
func (doc *document) variables() []row {
	doc.index = map[string]int{}
	d := constants{document: doc, Decoder: strict.Decoder{Where: doc.places}}
	if n := doc.key("vars"); n != nil {
		d.readVars(n.Follow())
	}
	rows := []row{{}}
	if n := doc.key("matrix"); n != nil {
		rows = d.readMatrix(n.Follow())
	}
	doc.problems = append(doc.problems, d.Problems...)
	return rows
}

// key returns the value of a key of the root, the first where there are two.
func (doc *document) key(name string) *strict.Node {
	i := doc.root.Index(name)
	if i < 0 {
		return nil
	}
	doc.places[name] = doc.root.Content[i].Pos
	return doc.root.Content[i+1]
}

// constants reads the values of vars and of matrix, in which no variables are put.
type constants struct {
	*document
	strict.Decoder
}

func (d *constants) readVars(n *strict.Node) {
	if n.Kind != strict.MapKind || len(n.Content) == 0 {
		d.Add(n, "vars", "wants a map of values by name, found "+n.OrEmpty())
		return
	}
	d.Members(n, "vars", func(key, item *strict.Node, at string) {
		d.checkVariable(key, at)
		value, _ := d.constant(item, at)
		if other := d.given.of(key.Value, item.Pos); other != nil {
			value, _ = d.constant(other, at)
		}
		d.name(key.Value)
		d.vars = append(d.vars, value.node)
	})
}

// name adds a name of a variable or of the matrix.
func (doc *document) name(name string) {
	doc.index[name] = len(doc.names)
	doc.names = append(doc.names, name)
}

// checkVariable checks a name.
func (d *constants) checkVariable(key *strict.Node, path string) {
	if !isVariableName(key.Value) {
		d.Add(key, path, "the name of a variable is a lower-case letter and up to 39 of a-z, 0-9 and _")
	}
}

// fill returns what a text stands for with its variables put in, or nil after a
// problem. Nodes are shared between cases, so that n stays as it is.
func (c *Case) fill(d *strict.Decoder, n *strict.Node, path string) *strict.Node {
	if name, ok := wholeVariable(n); ok {
		if v := c.variable(name); v != nil {
			whole := *v // what it holds names no further variables
			whole.Filled = true
			return &whole
		}
	}
	text, ok := c.filled(d, n, path)
	if !ok {
		return nil
	}
	return &strict.Node{Pos: n.Pos, Kind: strict.TextKind, Style: strict.DoubleQuoted, Value: text, Filled: true}
}

// wholeVariable returns the name where a plain or quoted text is nothing but one
// variable.
func wholeVariable(n *strict.Node) (name string, ok bool) {
	if n.Style == strict.Literal || n.Style == strict.Folded {
		return "", false
	}
	name, ok = strings.CutPrefix(n.Value, "${")
	name, closed := strings.CutSuffix(name, "}")
	return name, ok && closed && isVariableName(name)
}

// variable returns the value of a variable or of a name of the matrix, or nil.
func (c *Case) variable(name string) *strict.Node {
	i, ok := c.doc.index[name]
	if !ok {
		return nil
	}
	if c.used == nil {
		c.used = make([]bool, len(c.doc.names))
	}
	c.used[i] = true
	if vars := len(c.doc.vars); i >= vars {
		return c.row.values[i-vars]
	}
	return c.doc.vars[i]
}

// filled puts the variables into a text.
func (c *Case) filled(d *strict.Decoder, n *strict.Node, path string) (text string, ok bool) {
	var b strings.Builder
	ok = true
	rest := n.Value
	for nth := 1; ; nth++ {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			b.WriteString(rest)
			return b.String(), ok
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(literal + "${")
			rest = after
			continue
		}
		b.WriteString(before)
		name, tail, closed := strings.Cut(after, "}")
		value, wrong := c.part(name, closed)
		if wrong != "" {
			d.Problems = append(d.Problems, strict.Problem{Pos: occurrence(d, n, nth), Path: path, Text: wrong + literalHint})
			ok = false
		}
		if b.WriteString(value); !d.Fits(n, b.Len(), path) {
			return "", false
		}
		if rest = tail; !closed {
			rest = after
		}
	}
}

// part is a variable's value as a part of a text, or what is wrong.
func (c *Case) part(name string, closed bool) (text, wrong string) {
	if !closed {
		return "", "${ has no closing }"
	}
	v := c.variable(name)
	switch {
	case v == nil && len(c.doc.names) == 0:
		return "", "unknown variable " + wording.Word(name) + "; the file has no vars"
	case v == nil:
		return "", wording.Unknown("variable", name, c.doc.names)
	case !v.Scalar():
		return "", "the variable " + name + " is " + v.String() + "; it can stand for a whole value, not within a text"
	default:
		return v.Value, ""
	}
}

// occurrence is the place of the nth ${ of a text, or of the text where it is
// written in another way, such as with an escape.
func occurrence(d *strict.Decoder, n *strict.Node, nth int) strict.Pos {
	at := n.Pos
	if len(d.Problems) >= strict.ProblemsMax {
		return at // it is only counted
	}
	rest := d.Sources.From(at)
	for ; ; nth-- {
		i := bytes.Index(rest, []byte("${"))
		if i < 0 {
			return n.Pos
		}
		at = at.After(rest[:i])
		if nth == 1 {
			return at
		}
		at, rest = at.After(rest[i:i+2]), rest[i+2:]
	}
}
