package judge

import (
	"slices"

	"shelly/fsm"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// comeAbout checks what eventually says (SCN-32).
func (j *judgement) comeAbout() {
	for i := range j.file.Eventually {
		p := &j.file.Eventually[i]
		path := strict.Element("eventually", i)
		j.judge(path, func() {
			from := j.begins(path, p.When)
			if from == nil && !p.Optional && j.file.Replay == nil {
				j.neverComes(path+".when", p.When)
			}
			j.promise(path, &p.That, p.Within, from)
		}, everywhere)
	}
}

// eventually checks that an event comes after each of those that after matches, of
// which there is at least one, or after the start.
func (j *judgement) eventually(path string, o *format.Ordering) {
	that := format.Condition{Pos: o.Eventually.Pos(), Item: o.Eventually}
	var when *format.Condition
	if o.After != nil {
		if !j.occurs(path+".after", o.After, j.traced().first(o.After, 0)) {
			return
		}
		when = &format.Condition{Item: o.After}
	}
	j.promise(path+".eventually", &that, o.Within, j.begins("", when))
}

// instant is where something happens in a run: the index of a step, and of the event
// or -1. Before the first step it is the start.
type instant struct{ step, event int }

// begins are the instants from which a promise is waited for: the start, each event
// that an item matches, each step after which an expression has become true.
func (j *judgement) begins(path string, when *format.Condition) []instant {
	switch {
	case when == nil:
		return []instant{{0, -1}}
	case when.Item != nil:
		var list []instant
		events := j.events()
		for i := range j.traced().fitting(when.Item, 0) {
			list = append(list, instant{events[i].step, i})
		}
		return list
	}
	var list []instant
	holds := j.after(path+".when", when)
	for i := range holds {
		if holds[i] && (i == 0 || !holds[i-1]) {
			list = append(list, instant{i, -1})
		}
	}
	return list
}

// promise fails at the first of some instants after which that does not come about,
// or not within the time.
func (j *judgement) promise(path string, that *format.Condition, within *format.Duration, from []instant) {
	var comes func(instant) (int, error) // the step at which it does, or -1
	if that.Item != nil {
		comes = j.nextEvent(that.Item)
	} else {
		comes = nextTrue(j.evaluation(that.Expression).Verdicts)
	}
	for _, begin := range from {
		since := j.timeOf(begin)
		step, err := comes(begin)
		if err != nil {
			j.unknown(path, that.Expression, step, err)
			return
		}
		if step >= 0 && (within == nil || j.result.Steps[step].At <= since+fsm.Millis(*within)) {
			continue
		}
		j.late(path, that, within, begin, step)
		return
	}
}

// nextEvent finds the first event after an instant that an item matches. Instants
// come in order.
func (j *judgement) nextEvent(item *format.Item) func(instant) (int, error) {
	events := j.events()
	found := -2 // the last one found; -2: not looked yet
	return func(begin instant) (int, error) {
		at := j.firstEvent(begin)
		if found == -2 || found >= 0 && found < at {
			found = j.traced().first(item, at)
		}
		if found < 0 {
			return -1, nil
		}
		return events[found].step, nil
	}
}

// firstEvent is the index of the first event after an instant.
func (j *judgement) firstEvent(at instant) int {
	if at.event >= 0 {
		return at.event + 1
	}
	i, _ := slices.BinarySearchFunc(j.events(), at.step, func(e event, step int) int { return e.step - step })
	return i
}

// nextTrue finds the first step, from that of an instant on, after which an
// expression holds or cannot be evaluated. Instants come in order.
func nextTrue(verdicts []expression.Verdict) func(instant) (int, error) {
	at := 0
	return func(begin instant) (int, error) {
		for at = max(at, begin.step); at < len(verdicts); at++ {
			if v := verdicts[at]; v.Holds || v.Err != nil {
				return at, v.Err
			}
		}
		return -1, nil
	}
}

func (j *judgement) timeOf(at instant) fsm.Millis {
	if at == (instant{0, -1}) || len(j.result.Steps) == 0 {
		return fsm.Millis(j.file.Start())
	}
	return j.result.Steps[at.step].At
}

// late fails a promise that was not kept: since when it was waited for, until when,
// and what came instead.
func (j *judgement) late(path string, that *format.Condition, within *format.Duration, begin instant, came int) {
	until, word := j.result.End, "rest at "
	if within != nil && j.timeOf(begin)+fsm.Millis(*within) < until {
		until, word = j.timeOf(begin)+fsm.Millis(*within), ""
	}
	last := len(j.result.Steps) - 1
	for last > 0 && j.result.Steps[last].At > until {
		last--
	}
	text := "was waited for from the start"
	if begin != (instant{0, -1}) {
		text = "was waited for from step " + j.stepAt(begin.step)
	}
	wrong := match.Mismatch{Text: text + " until " + word + j.since(until), Want: that.String(), Got: "it never happens"}
	if came >= 0 {
		wrong.Got = "it comes at step " + j.stepAt(came)
	}
	if that.Item == nil {
		wrong.Got += "; " + j.valuesAfter(last, that.Expression) + j.afterStep(last)
	} else if came < 0 {
		wrong.Hint = j.nearestEvent(that.Item, j.firstEvent(begin), len(j.events()))
	}
	j.failAt(that.Pos, path, last, wrong)
}
