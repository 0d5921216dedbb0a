package scenario

import (
	"fmt"

	"shelly/sim/strict"
)

// order checks one ordering; path is its own.
func (j *judge) order(path string, o *Ordering) {
	events := j.events()
	switch {
	case o.Before != nil:
		j.before(path+".before", &o.Before[0], &o.Before[1])
	case o.InOrder != nil:
		from := 0
		for i := range o.InOrder {
			at := o.InOrder[i].first(events, from)
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

// before fails where the first event of one item is not before that of another.
func (j *judge) before(path string, one, other *Item) {
	events := j.events()
	first, second := one.first(events, 0), other.first(events, 0)
	if !j.occurs(strict.Element(path, 0), one, first) || !j.occurs(strict.Element(path, 1), other, second) || first < second {
		return
	}
	j.failAt(one.pos, path, events[first].step, mismatch{
		want: one.String() + " before " + other.String(),
		got:  fmt.Sprintf("it comes first at step %d, the other at step %d", events[first].step+1, events[second].step+1),
	})
}

// count fails where so many events are not as many as wanted.
func (j *judge) count(path string, c *Counted) {
	n := 0
	for _, e := range j.events() {
		if c.Of.match(e.value, "") == nil {
			n++
		}
	}
	wrong := c.Is.match(intValue(n), path)
	if wrong == nil {
		return
	}
	if n == 0 {
		wrong.hint = j.nearestEvent(&c.Of, 0, len(j.events()))
	}
	j.fail(wrong.pos, path, *wrong)
}

// missing fails an item of in_order that does not come behind the ones before, the
// last of which is the event before from.
func (j *judge) missing(path string, item *Item, nth, from int) {
	wrong := mismatch{want: item.String(), got: "no such event"}
	if at := item.first(j.events(), 0); nth > 0 && at >= 0 {
		wrong.got = fmt.Sprintf("no such event behind the %d before it", nth)
		wrong.hint = fmt.Sprintf("nearest: step %d, before them", j.events()[at].step+1)
	} else {
		wrong.hint = j.nearestEvent(item, from, len(j.events()))
	}
	j.fail(item.pos, path, wrong)
}

// occurs fails an item that no event matches.
func (j *judge) occurs(path string, item *Item, at int) bool {
	if at < 0 {
		hint := j.nearestEvent(item, 0, len(j.events()))
		j.fail(item.pos, path, mismatch{want: item.String(), got: "no such event", hint: hint})
	}
	return at >= 0
}
