package judge

import (
	"iter"
	"slices"

	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
)

// event is one event of the trace and the step that it belongs to.
type event struct {
	step int
	data.Value
}

// events are those of a trace, found by the texts that they have: a file may say something of each
// of many requests, and must not go over all events for each.
type events struct {
	list []event
	by   map[match.Place]map[string][]int // where each text is, when first wanted at its place
}

// fitting are the indexes, from one on, of the events that an item matches.
func (e *events) fitting(item *format.Item, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		among, all := e.among(item)
		if all {
			for i := from; i < len(e.list); i++ {
				if item.Fits(e.list[i].Value) && !yield(i) {
					return
				}
			}
			return
		}
		at, _ := slices.BinarySearch(among, from)
		for _, i := range among[at:] {
			if item.Fits(e.list[i].Value) && !yield(i) {
				return
			}
		}
	}
}

// first returns the index of the first event at or after from that the item matches, or -1.
func (e *events) first(item *format.Item, from int) int {
	for i := range e.fitting(item, from) {
		return i
	}
	return -1
}

// among returns the indexes of the events that an item may match, or that these are all.
func (e *events) among(item *format.Item) (some []int, all bool) {
	all = true
	for at, text := range item.Texts() {
		if list := e.at(at)[text]; all || len(list) < len(some) {
			some, all = list, false
		}
	}
	return some, all
}

// at returns the indexes of the events by their texts at a place.
func (e *events) at(place match.Place) map[string][]int {
	if e.by == nil {
		e.by = map[match.Place]map[string][]int{}
	}
	found := e.by[place]
	if found == nil {
		found = map[string][]int{}
		for i := range e.list {
			if v := place.In(e.list[i].Value); v.Kind == data.TextKind {
				found[v.Text] = append(found[v.Text], i)
			}
		}
		e.by[place] = found
	}
	return found
}
