package scenario

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Vars are values by name. They are read before everything else.
type Vars struct{}

func (*Vars) read(*decoder, *yaml.Node, string) {}

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
	d := &decoder{doc: doc, where: doc.places, depth: 1, verbatim: 1}
	if n := doc.key("vars"); n != nil {
		d.readVars(follow(n))
	}
	rows := []row{{}}
	if n := doc.key("matrix"); n != nil {
		rows = d.readMatrix(follow(n))
	}
	doc.problems = append(doc.problems, d.problems...)
	return rows
}

// key returns the value of a key of the root, the first where there are two.
func (doc *document) key(name string) *yaml.Node {
	for i := 0; i+1 < len(doc.root.Content); i += 2 {
		if key := doc.root.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name {
			doc.places[name] = Pos{Line: key.Line, Col: key.Column, File: doc.files[key]}
			return doc.root.Content[i+1]
		}
	}
	return nil
}

func (d *decoder) readVars(n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.add(n, "vars", "wants a map of values by name, found "+emptyOr(n))
		return
	}
	d.members(n, "vars", func(key, item *yaml.Node, at string) {
		d.checkVariable(key, at)
		value, _ := d.constant(item, at)
		d.doc.name(key.Value)
		d.doc.vars = append(d.doc.vars, value.node)
	})
}

// name adds a name of a variable or of the matrix.
func (doc *document) name(name string) {
	doc.index[name] = len(doc.names)
	doc.names = append(doc.names, name)
}

// checkVariable checks a name.
func (d *decoder) checkVariable(key *yaml.Node, path string) {
	if !isVariableName(key.Value) {
		d.add(key, path, "the name of a variable is a lower-case letter and up to 39 of a-z, 0-9 and _")
	}
}

func emptyOr(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return "an empty map"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	default:
		return kindOf(n)
	}
}

// wantsVariables reports whether a node is a text in which variables are put in.
func (d *decoder) wantsVariables(n *yaml.Node) bool {
	return d.verbatim == 0 && n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "${") && n.ShortTag() == "!!str" && !d.put[n]
}

// putIn returns what a text stands for with its variables put in, or nil after a
// problem. Nodes are shared between cases, so that n stays as it is.
func (d *decoder) putIn(n *yaml.Node, path string) *yaml.Node {
	if name, ok := wholeVariable(n); ok {
		if v := d.variable(name); v != nil {
			return d.whole(v)
		}
	}
	text, ok := d.fill(n, path)
	if !ok {
		return nil
	}
	filled := &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Tag: "!!str", Value: text, Line: n.Line, Column: n.Column}
	return d.finished(filled, n)
}

// wholeVariable returns the name where a plain or quoted text is nothing but one
// variable.
func wholeVariable(n *yaml.Node) (name string, ok bool) {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return "", false
	}
	name, ok = strings.CutPrefix(n.Value, "${")
	name, closed := strings.CutSuffix(name, "}")
	return name, ok && closed && isVariableName(name)
}

// variable returns the value of a variable or of a name of the matrix, or nil.
func (d *decoder) variable(name string) *yaml.Node {
	i, ok := d.doc.index[name]
	if !ok {
		return nil
	}
	if d.used == nil {
		d.used = make([]bool, len(d.doc.names))
	}
	d.used[i] = true
	if vars := len(d.doc.vars); i >= vars {
		return d.row.values[i-vars]
	}
	return d.doc.vars[i]
}

// whole returns the value of a variable in place of a text. It is taken as it
// stands: what it holds names no further variables.
func (d *decoder) whole(v *yaml.Node) *yaml.Node {
	if v.Kind != yaml.ScalarNode {
		d.verbatim = d.depth
		return v
	}
	if !strings.Contains(v.Value, "${") {
		return v
	}
	copied := *v
	return d.finished(&copied, v)
}

// finished marks a text that is made from a node as one whose variables are put in.
func (d *decoder) finished(n, from *yaml.Node) *yaml.Node {
	if file := d.doc.files[from]; file != "" {
		d.doc.files[n] = file
	}
	if strings.Contains(n.Value, "${") {
		if d.put == nil {
			d.put = map[*yaml.Node]bool{}
		}
		d.put[n] = true
	}
	return n
}

// fill puts the variables into a text.
func (d *decoder) fill(n *yaml.Node, path string) (text string, ok bool) {
	var b strings.Builder
	ok = true
	rest := n.Value
	for nth := 1; ; nth++ {
		before, behind, found := strings.Cut(rest, "${")
		if !found {
			b.WriteString(rest)
			return b.String(), ok
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(literal + "${")
			rest = behind
			continue
		}
		b.WriteString(before)
		name, after, closed := strings.Cut(behind, "}")
		value, wrong := d.part(name, closed)
		if wrong != "" {
			d.problems = append(d.problems, Problem{Pos: d.occurrence(n, nth), Path: path, Text: wrong + literalHint})
			ok = false
		}
		if b.WriteString(value); !d.fits(n, b.Len(), path) {
			return "", false
		}
		if rest = after; !closed {
			rest = behind
		}
	}
}

// part is a variable's value as a part of a text, or what is wrong.
func (d *decoder) part(name string, closed bool) (text, wrong string) {
	if !closed {
		return "", "${ has no } behind it"
	}
	v := d.variable(name)
	switch {
	case v == nil:
		return "", unknown("variable", name, d.doc.names)
	case v.Kind != yaml.ScalarNode:
		return "", "the variable " + name + " is " + kindOf(v) + "; it can stand for a whole value, not within a text"
	default:
		return v.Value, ""
	}
}

// occurrence is the place of the nth ${ of a text, or of the text where it is
// written in another way, such as with an escape.
func (d *decoder) occurrence(n *yaml.Node, nth int) Pos {
	at := d.pos(n)
	if len(d.problems) >= problemsMax {
		return at // it is only counted
	}
	rest := sourceAt(d.doc.sources[at.File], at)
	for ; ; nth-- {
		i := bytes.Index(rest, []byte("${"))
		if i < 0 {
			return d.pos(n)
		}
		at = at.behind(rest[:i])
		if nth == 1 {
			return at
		}
		at, rest = at.behind(rest[i:i+2]), rest[i+2:]
	}
}

// behind is the place behind a text that begins at p.
func (p Pos) behind(text []byte) Pos {
	if lines := bytes.Count(text, []byte("\n")); lines > 0 {
		p.Line, p.Col = p.Line+lines, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.Col += utf8.RuneCount(text)
	return p
}

// UnusedVars lists the variables and the names of the matrix that no text names, by
// their paths, such as vars.wait. Those of fragments are not among them: others may
// use them.
func (f *File) UnusedVars() []string {
	var list []string
	for i, name := range f.doc.names {
		path := "vars." + name
		if i >= len(f.doc.vars) {
			path = "matrix." + name
		}
		if (f.used == nil || !f.used[i]) && f.doc.places[path].File == "" {
			list = append(list, path)
		}
	}
	return list
}

// Where returns the place of a key or list entry by its path, such as brain[0].says;
// the zero place where the case has none.
func (f *File) Where(path string) Pos {
	if at, ok := f.where[path]; ok {
		return at
	}
	return f.doc.places[path]
}
