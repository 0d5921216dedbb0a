package judge

import (
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// hold checks what always and never say, after every step (SCN-31).
func (j *judgement) hold() {
	claims := func(key string, list []format.Claim, always bool) {
		for i := range list {
			path := strict.Element(key, i)
			j.judge(path, func() {
				if j.claim(path, &list[i], always); !list[i].Optional {
					j.vacuous(path, &list[i], always)
				}
			}, everywhere)
		}
	}
	claims("always", j.file.Always, true)
	claims("never", j.file.Never, false)
}

// vacuous fails a claim that holds only because nothing in the run is judged by it. A
// replay may end anywhere, so its claims may be.
func (j *judgement) vacuous(path string, c *format.Claim, always bool) {
	if j.file.Replay != nil {
		return
	}
	counts := func(int) bool { return true }
	if c.When != nil {
		holds := j.holds(c.When)
		if !slices.Contains(holds, true) {
			j.neverComes(path+".when", c.When)
			return
		}
		counts = func(step int) bool { return holds[step] }
	}
	if !always || c.That.Item == nil {
		return
	}
	if slices.ContainsFunc(j.events(), func(e event) bool { return counts(e.step) && c.That.Item.Concerns(e.Value) }) {
		return
	}
	text := "has keys that no event has"
	if c.When != nil {
		text += " in the steps of when"
	}
	j.fail(c.That.Pos, path, match.Mismatch{Text: text + nothingJudged})
}

const nothingJudged = ", so nothing is judged; correct it, or add optional: true if that is fine"

// neverComes fails a condition that selects what is judged, and that nothing in the run
// meets. One that cannot be evaluated has failed already.
func (j *judgement) neverComes(path string, when *format.Condition) {
	if when.Item != nil {
		hint := j.nearestEvent(when.Item, 0, len(j.events()))
		j.fail(when.Pos, path, match.Mismatch{Text: "matches no event" + nothingJudged, Hint: hint})
		return
	}
	if !slices.ContainsFunc(j.evaluation(when.Expression).Verdicts, func(v expression.Verdict) bool { return v.Err != nil }) {
		j.fail(when.Pos, path, match.Mismatch{Text: "is true after no step" + nothingJudged})
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
