package judge

import (
	"fmt"
	"slices"

	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// order checks one ordering; path is its own.
func (j *judgement) order(path string, o *format.Ordering) {
	switch {
	case o.Before != nil:
		j.before(path+".before", &o.Before[0], &o.Before[1])
	case o.InOrder != nil:
		from := 0
		for i := range o.InOrder {
			at := j.traced().first(&o.InOrder[i], from)
			if at < 0 {
				j.missing(strict.Element(path+".in_order", i), &o.InOrder[i], i, from)
				return
			}
			from = at + 1
		}
	case o.Count != nil:
		j.count(path+".count", o.Count)
	case o.Never != nil:
		j.never(path+".never", o.Never, func(int) bool { return true })
	case o.Eventually != nil:
		j.eventually(path, o)
	}
}

// shown are the steps, from 1, with the events that an ordering that holds is about.
func (j *judgement) shown(o *format.Ordering) []int {
	events := j.events()
	var steps []int
	add := func(item *format.Item, from int) int {
		at := j.traced().first(item, from)
		if at >= 0 {
			steps = append(steps, events[at].step+1)
		}
		return at
	}
	switch {
	case o.Before != nil:
		add(&o.Before[0], 0)
		add(&o.Before[1], 0)
	case o.InOrder != nil:
		from := 0
		for i := range o.InOrder {
			from = add(&o.InOrder[i], from) + 1
		}
	case o.Count != nil:
		for at := range j.traced().fitting(&o.Count.Of, 0) {
			steps = append(steps, events[at].step+1)
		}
	case o.Eventually != nil:
		from := 0
		if o.After != nil {
			from = add(o.After, 0) + 1
		}
		add(o.Eventually, from)
	}
	return slices.Compact(steps)
}

// before fails where the first event of one item is not before that of another.
func (j *judgement) before(path string, one, other *format.Item) {
	events := j.events()
	first, second := j.traced().first(one, 0), j.traced().first(other, 0)
	if !j.occurs(strict.Element(path, 0), one, first) || !j.occurs(strict.Element(path, 1), other, second) || first < second {
		return
	}
	j.failAt(one.Pos(), path, events[first].step, match.Mismatch{
		Want: one.String() + " before " + other.String(),
		Got:  fmt.Sprintf("it comes first at step %d, the other at step %d", events[first].step+1, events[second].step+1),
	})
}

// count fails where the number of events is not the one wanted.
func (j *judgement) count(path string, c *format.Counted) {
	n := 0
	for range j.traced().fitting(&c.Of, 0) {
		n++
	}
	wrong := c.Is.Match(data.Int(n), path)
	if wrong == nil {
		return
	}
	if n == 0 {
		wrong.Hint = j.nearestEvent(&c.Of, 0, len(j.events()))
	}
	j.fail(wrong.Pos, path, *wrong)
}

// missing fails an item of in_order that does not come after the ones before, the
// last of which is the event before from.
func (j *judgement) missing(path string, item *format.Item, nth, from int) {
	wrong := match.Mismatch{Want: item.String(), Got: "no such event"}
	if at := j.traced().first(item, 0); nth > 0 && at >= 0 {
		wrong.Got = fmt.Sprintf("no such event after the %d before it", nth)
		wrong.Hint = fmt.Sprintf("nearest: step %d, before them", j.events()[at].step+1)
	} else {
		wrong.Hint = j.nearestEvent(item, from, len(j.events()))
	}
	j.fail(item.Pos(), path, wrong)
}

// occurs fails an item that no event matches.
func (j *judgement) occurs(path string, item *format.Item, at int) bool {
	if at < 0 {
		hint := j.nearestEvent(item, 0, len(j.events()))
		j.fail(item.Pos(), path, match.Mismatch{Want: item.String(), Got: "no such event", Hint: hint})
	}
	return at >= 0
}

// nearestEvent names the event that comes nearest to an item, of those from one
// index up to another.
func (j *judgement) nearestEvent(item *format.Item, from, to int) string {
	if j.full() {
		return ""
	}
	events := j.events()
	return item.NearestOf(to-from, func(i int) data.Value { return events[from+i].Value },
		func(i int) string { return fmt.Sprintf("step %d", events[from+i].step+1) })
}
