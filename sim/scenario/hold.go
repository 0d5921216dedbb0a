package scenario

import (
	"strconv"

	"shelly/fsm"
	"shelly/sim/strict"
)

// hold checks what always and never say, after every step (SCN-31).
func (j *judge) hold() {
	for i := range j.file.Always {
		j.claim(strict.Element("always", i), &j.file.Always[i], true)
	}
	for i := range j.file.Never {
		j.claim(strict.Element("never", i), &j.file.Never[i], false)
	}
}

// claim fails at the first step at which the claim does not hold, where always, or
// holds, where never.
func (j *judge) claim(path string, c *Claim, always bool) {
	when := func(int) bool { return true }
	if c.When != nil {
		holds := j.after(path+".when", c.When)
		when = func(step int) bool { return holds[step] }
	}
	switch {
	case c.That.expression != nil:
		j.truth(path, c.That.expression, always, when)
	case always:
		j.always(path, c.That.item, when)
	default:
		j.never(path, c.That.item, when)
	}
}

// truth fails at the first step after which the expression is not as wanted.
func (j *judge) truth(path string, e *Expression, want bool, when func(step int) bool) {
	for step, v := range j.evaluation(e).verdicts {
		switch {
		case !when(step):
			continue
		case v.err != nil:
			j.unknown(path, e, step, v.err)
			return
		case v.holds == want:
			continue
		}
		wanted := e.String()
		if !want {
			wanted = "never " + wanted
		}
		j.failAt(e.pos, path, step, mismatch{
			text: "is " + strconv.FormatBool(v.holds) + j.afterStep(step),
			want: wanted, got: e.values(j.stateAfter(step)),
		})
		return
	}
}

// afterStep names the step of an index and its time.
func (j *judge) afterStep(step int) string {
	if step >= len(j.result.Steps) {
		return ""
	}
	return " after step " + j.stepAt(step)
}

// stepAt is the number and time of the step of an index.
func (j *judge) stepAt(step int) string {
	return strconv.Itoa(step+1) + " (" + j.since(j.result.Steps[step].At) + ")"
}

// since is a time as failures show it: +1500ms behind the first start.
func (j *judge) since(at fsm.Millis) string { return "+" + (at - fsm.Millis(j.file.start())).String() }
