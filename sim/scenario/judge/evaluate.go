package judge

import (
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
)

// evaluations evaluates all expressions of the file, once after each step.
func (j *judgement) evaluations() []*expression.Evaluation {
	if j.evaluated != nil {
		return j.evaluated
	}
	for _, e := range j.file.Expressions() {
		j.evaluated = append(j.evaluated, &expression.Evaluation{Of: e})
	}
	o := compile.Observer(j.file)
	for _, s := range j.result.Steps {
		o.Observe(s)
		for _, e := range j.evaluated {
			e.Step(&o.State)
		}
	}
	return j.evaluated
}

// evaluation returns that of an expression of the file.
func (j *judgement) evaluation(of *expression.Expression) *expression.Evaluation {
	for _, e := range j.evaluations() {
		if e.Of == of {
			return e
		}
	}
	return &expression.Evaluation{Of: of}
}

// valuesAfter are the values in an expression after the step of an index.
func (j *judgement) valuesAfter(step int, e *expression.Expression) string {
	if j.full() {
		return ""
	}
	o := compile.Observer(j.file)
	for _, s := range j.result.Steps[:min(step+1, len(j.result.Steps))] {
		o.Observe(s)
	}
	return e.Values(&o.State)
}

// after reports for each step whether a condition holds after it, or an event of it
// matches. One that cannot be evaluated fails at its first such step.
func (j *judgement) after(path string, c *format.Condition) []bool {
	if c.Expression != nil {
		for step, v := range j.evaluation(c.Expression).Verdicts {
			if v.Err != nil {
				j.unknown(path, c.Expression, step, v.Err)
				break
			}
		}
	}
	return j.holds(c)
}

// holds reports the same, and where it cannot be evaluated that it does not.
func (j *judgement) holds(c *format.Condition) []bool {
	holds := make([]bool, len(j.result.Steps))
	if c.Item != nil {
		for _, e := range j.events() {
			holds[e.step] = holds[e.step] || c.Item.Fits(e.Value)
		}
		return holds
	}
	for step, v := range j.evaluation(c.Expression).Verdicts {
		holds[step] = v.Holds
	}
	return holds
}

// unknown fails an expression that cannot be evaluated after a step.
func (j *judgement) unknown(path string, e *expression.Expression, step int, err error) {
	j.failAt(e.Pos, path, step, match.Mismatch{Text: "cannot be evaluated" + j.afterStep(step) + ": " + err.Error()})
}
