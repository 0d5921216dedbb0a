package scenario

import "shelly/sim/strict"

// Condition is an expression on the state after a step, or an item that an event of
// the step is to match.
type Condition struct {
	pos        strict.Pos
	expression *Expression // nil: an item
	item       *Item
}

func (v *Condition) Read(d *strict.Decoder, n *strict.Node, path string) {
	v.pos = n.Pos
	if n.Kind == strict.MapKind {
		v.item = &Item{}
		v.item.Read(d, n, path)
		return
	}
	if !n.Scalar() {
		d.Add(n, path, `wants an expression such as "active <= 1" or an item such as {tool: exec}, found `+n.String())
		return
	}
	v.expression = &Expression{}
	v.expression.Read(d, n, path)
}

// String is the condition on one line.
func (v *Condition) String() string {
	if v.item != nil {
		return v.item.String()
	}
	return v.expression.String()
}

// Claim is what always or never is about: a condition, or {that, when} (SCN-31).
type Claim struct {
	That Condition  `key:"that,required"` // an expression, such as "active <= 1", or an item
	When *Condition `key:"when"`          // only after steps in which this holds or occurs
}

func (v *Claim) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Has("that", "when") {
		d.Object(n, v, path)
		return
	}
	v.That.Read(d, n, path)
}

// Promise is what must come about: a condition, or {that, when, within} (SCN-32).
type Promise struct {
	That   Condition  `key:"that,required"` // an expression, such as "replies == requests", or an item
	When   *Condition `key:"when"`          // each time that this becomes true or occurs; the start unless given
	Within *Duration  `key:"within"`        // no later than this after it; before the end unless given
}

func (v *Promise) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Has("that", "when", "within") {
		d.Object(n, v, path)
		return
	}
	v.That.Read(d, n, path)
}

// expressions are all expressions of the file, in its order.
func (f *File) expressions() []*Expression {
	var list []*Expression
	add := func(c *Condition) {
		if c != nil && c.expression != nil {
			list = append(list, c.expression)
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

// evaluations evaluates all expressions of the file, once after each step.
func (j *judge) evaluations() []*evaluation {
	if j.evaluated != nil {
		return j.evaluated
	}
	for _, e := range j.file.expressions() {
		j.evaluated = append(j.evaluated, &evaluation{of: e})
	}
	o := j.file.observer()
	for _, s := range j.result.Steps {
		o.observe(s)
		for _, e := range j.evaluated {
			e.step(&o.state)
		}
	}
	return j.evaluated
}

// evaluation returns that of an expression of the file.
func (j *judge) evaluation(of *Expression) *evaluation {
	for _, e := range j.evaluations() {
		if e.of == of {
			return e
		}
	}
	return &evaluation{of: of}
}

// stateAfter is the state after the step of an index.
func (j *judge) stateAfter(step int) *state {
	o := j.file.observer()
	for _, s := range j.result.Steps[:min(step+1, len(j.result.Steps))] {
		o.observe(s)
	}
	return &o.state
}

// after reports for each step whether a condition holds after it, or an event of it
// matches. One that cannot be evaluated fails at its first such step.
func (j *judge) after(path string, c *Condition) []bool {
	holds := make([]bool, len(j.result.Steps))
	if c.item != nil {
		for _, e := range j.events() {
			holds[e.step] = holds[e.step] || c.item.match(e.value, "") == nil
		}
		return holds
	}
	told := false
	for step, v := range j.evaluation(c.expression).verdicts {
		if holds[step] = v.holds; v.err != nil && !told {
			told = true
			j.unknown(path, c.expression, step, v.err)
		}
	}
	return holds
}

// unknown fails an expression that cannot be evaluated after a step.
func (j *judge) unknown(path string, e *Expression, step int, err error) {
	j.failAt(e.pos, path, step, mismatch{text: "cannot be evaluated" + j.afterStep(step) + ": " + err.Error()})
}
