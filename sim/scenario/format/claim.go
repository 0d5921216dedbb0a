package format

import (
	"strconv"

	"shelly/sim/scenario/expression"
	"shelly/sim/strict"
)

// Condition is an expression on the state after a step, or an item that an event of
// the step is to match.
type Condition struct {
	Pos        strict.Pos
	Expression *expression.Expression // nil: an item
	Item       *Item
}

func (v *Condition) Read(d *strict.Decoder, n *strict.Node, path string) {
	v.Pos = n.Pos
	if n.Kind == strict.MapKind {
		v.Item = &Item{}
		v.Item.Read(d, n, path)
		return
	}
	if !n.Scalar() {
		d.Add(n, path, `wants an expression such as "active <= 1" or an item such as {tool: exec}, found `+n.String())
		return
	}
	v.Expression = &expression.Expression{}
	v.Expression.Read(d, n, path)
}

// String is the condition on one line.
func (v *Condition) String() string {
	if v.Item != nil {
		return v.Item.String()
	}
	return v.Expression.String()
}

// YAML is the condition as a file has it.
func (v *Condition) YAML() string {
	if v.Item != nil {
		return v.Item.String()
	}
	return strconv.Quote(v.Expression.String())
}

// Claim is what always or never is about: a condition, or {that, when, optional} (SCN-31).
type Claim struct {
	That     Condition  `key:"that,required"` // an expression, such as "active <= 1", or an item
	When     *Condition `key:"when"`          // only after steps in which this holds or occurs
	Optional bool       `key:"optional"`      // it is no failure if nothing in the run is judged by it
}

func (v *Claim) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Has("that", "when", "optional") {
		d.Object(n, v, path)
		return
	}
	v.That.Read(d, n, path)
}

// Promise is what must come about: a condition, or {that, when, within, optional} (SCN-32).
type Promise struct {
	That     Condition  `key:"that,required"` // an expression, such as "replies == requests", or an item
	When     *Condition `key:"when"`          // each time that this becomes true or occurs; the start unless given
	Within   *Duration  `key:"within"`        // no later than this after it; before the end unless given
	Optional bool       `key:"optional"`      // (when) it is no failure if it never does
}

func (v *Promise) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Has("that", "when", "within", "optional") {
		d.Object(n, v, path)
		return
	}
	v.That.Read(d, n, path)
}

// Expressions are all expressions of the file, in its order.
func (f *File) Expressions() []*expression.Expression {
	var list []*expression.Expression
	add := func(c *Condition) {
		if c != nil && c.Expression != nil {
			list = append(list, c.Expression)
		}
	}
	for _, claims := range [][]Claim{f.Always, f.Never} {
		for i := range claims {
			add(&claims[i].That)
			add(claims[i].When)
		}
	}
	for i := range f.Eventually {
		add(&f.Eventually[i].That)
		add(f.Eventually[i].When)
	}
	return list
}
