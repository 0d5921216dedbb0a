package scenario

import (
	"slices"

	"shelly/fsm"
	"shelly/sim/strict"
)

// comeAbout checks what eventually says (SCN-32).
func (j *judge) comeAbout() {
	for i := range j.file.Eventually {
		p := &j.file.Eventually[i]
		path := strict.Element("eventually", i)
		if from := j.begins(path, p.When); from != nil {
			j.promise(path, &p.That, p.Within, from)
		}
	}
}

// eventually checks that an event comes behind each of those that after matches, of
// which there is at least one, or behind the start.
func (j *judge) eventually(path string, o *Ordering) {
	that := Condition{pos: o.Eventually.pos, item: o.Eventually}
	var when *Condition
	if o.After != nil {
		if !j.occurs(path+".after", o.After, o.After.first(j.events(), 0)) {
			return
		}
		when = &Condition{item: o.After}
	}
	j.promise(path+".eventually", &that, o.Within, j.begins("", when))
}

// instant is where something happens in a run: the index of a step, and of the event
// or -1. Before the first step it is the start.
type instant struct{ step, event int }

// begins are the instants from which a promise is waited for: the start, each event
// that an item matches, each step after which an expression has become true.
func (j *judge) begins(path string, when *Condition) []instant {
	switch {
	case when == nil:
		return []instant{{0, -1}}
	case when.item != nil:
		var list []instant
		for i, e := range j.events() {
			if when.item.match(e.value, "") == nil {
				list = append(list, instant{e.step, i})
			}
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

// promise fails at the first of some instants behind which that does not come about,
// or not within the time.
func (j *judge) promise(path string, that *Condition, within *Duration, from []instant) {
	var comes func(instant) (int, error) // the step at which it does, or -1
	if that.item != nil {
		comes = j.nextEvent(that.item)
	} else {
		comes = nextTrue(j.evaluation(that.expression).verdicts)
	}
	for _, begin := range from {
		since := j.timeOf(begin)
		step, err := comes(begin)
		if err != nil {
			j.unknown(path, that.expression, step, err)
			return
		}
		if step >= 0 && (within == nil || j.result.Steps[step].At <= since+fsm.Millis(*within)) {
			continue
		}
		j.late(path, that, within, begin, step)
		return
	}
}

// nextEvent finds the first event behind an instant that an item matches. Instants
// come in order.
func (j *judge) nextEvent(item *Item) func(instant) (int, error) {
	events := j.events()
	found := -2 // the last one found; -2: not looked yet
	return func(begin instant) (int, error) {
		at := j.firstEvent(begin)
		if found == -2 || found >= 0 && found < at {
			found = item.first(events, at)
		}
		if found < 0 {
			return -1, nil
		}
		return events[found].step, nil
	}
}

// firstEvent is the index of the first event behind an instant.
func (j *judge) firstEvent(at instant) int {
	if at.event >= 0 {
		return at.event + 1
	}
	i, _ := slices.BinarySearchFunc(j.events(), at.step, func(e event, step int) int { return e.step - step })
	return i
}

// nextTrue finds the first step, from that of an instant on, after which an
// expression holds or cannot be evaluated. Instants come in order.
func nextTrue(verdicts []verdict) func(instant) (int, error) {
	at := 0
	return func(begin instant) (int, error) {
		for at = max(at, begin.step); at < len(verdicts); at++ {
			if v := verdicts[at]; v.holds || v.err != nil {
				return at, v.err
			}
		}
		return -1, nil
	}
}

func (j *judge) timeOf(at instant) fsm.Millis {
	if at == (instant{0, -1}) || len(j.result.Steps) == 0 {
		return fsm.Millis(j.file.start())
	}
	return j.result.Steps[at.step].At
}

// late fails a promise that was not kept: since when it was waited for, until when,
// and what came instead.
func (j *judge) late(path string, that *Condition, within *Duration, begin instant, came int) {
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
	wrong := mismatch{text: text + " until " + word + j.since(until), want: that.String(), got: "it does not come"}
	if came >= 0 {
		wrong.got = "it comes at step " + j.stepAt(came)
	}
	if that.item == nil {
		wrong.got += "; " + that.expression.values(j.stateAfter(last)) + j.afterStep(last)
	} else if came < 0 {
		wrong.hint = j.nearestEvent(that.item, j.firstEvent(begin), len(j.events()))
	}
	j.failAt(that.pos, path, last, wrong)
}
