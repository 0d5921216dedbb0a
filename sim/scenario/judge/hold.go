package judge

import (
	"strconv"

	"shelly/fsm"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// hold checks what always and never say, after every step (SCN-31).
func (j *judgement) hold() {
	for i := range j.file.Always {
		path := strict.Element("always", i)
		j.judge(path, func() { j.claim(path, &j.file.Always[i], true) }, everywhere)
	}
	for i := range j.file.Never {
		path := strict.Element("never", i)
		j.judge(path, func() { j.claim(path, &j.file.Never[i], false) }, everywhere)
	}
}

// everywhere is where a claim holds: no single step shows it.
func everywhere() []int { return nil }

// claim fails at the first step at which the claim does not hold, where always, or
// holds, where never.
func (j *judgement) claim(path string, c *format.Claim, always bool) {
	when := func(int) bool { return true }
	if c.When != nil {
		holds := j.after(path+".when", c.When)
		when = func(step int) bool { return holds[step] }
	}
	switch {
	case c.That.Expression != nil:
		j.truth(path, c.That.Expression, always, when)
	case always:
		j.always(path, c.That.Item, when)
	default:
		j.never(path, c.That.Item, when)
	}
}

// truth fails at the first step after which the expression is not as wanted.
func (j *judgement) truth(path string, e *expression.Expression, want bool, when func(step int) bool) {
	for step, v := range j.evaluation(e).Verdicts {
		switch {
		case !when(step):
			continue
		case v.Err != nil:
			j.unknown(path, e, step, v.Err)
			return
		case v.Holds == want:
			continue
		}
		wanted := e.String()
		if !want {
			wanted = "never " + wanted
		}
		j.failAt(e.Pos, path, step, match.Mismatch{
			Text: "is " + strconv.FormatBool(v.Holds) + j.afterStep(step),
			Want: wanted, Got: j.valuesAfter(step, e),
		})
		return
	}
}

// afterStep names the step of an index and its time.
func (j *judgement) afterStep(step int) string {
	if step >= len(j.result.Steps) {
		return ""
	}
	return " after step " + j.stepAt(step)
}

// stepAt is the number and time of the step of an index.
func (j *judgement) stepAt(step int) string {
	return strconv.Itoa(step+1) + " (" + j.since(j.result.Steps[step].At) + ")"
}

// since is a time as failures show it: +1500ms after the first start.
func (j *judgement) since(at fsm.Millis) string {
	return "+" + (at - fsm.Millis(j.file.Start())).String()
}

// never fails on the first event that matches the item, of those in steps that count.
func (j *judgement) never(path string, item *format.Item, counts func(step int) bool) {
	events := j.events()
	for i := range j.traced().fitting(item, 0) {
		if e := events[i]; counts(e.step) {
			j.failAt(item.Pos(), path, e.step, match.Mismatch{Want: "never " + item.String(), Got: e.String()})
			return
		}
	}
}

// always fails on the first event that has the item's keys and does not match, of
// those in steps that count.
func (j *judgement) always(path string, item *format.Item, counts func(step int) bool) {
	for _, e := range j.events() {
		if !counts(e.step) || !item.Concerns(e.Value) {
			continue
		}
		if wrong := item.Match(e.Value, path); wrong != nil {
			j.explain(wrong)
			j.failAt(wrong.Pos, wrong.Path, e.step, *wrong)
			return
		}
	}
}
