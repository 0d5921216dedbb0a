package sim

import (
	"cmp"
	"slices"

	"shelly/fsm"
)

// agenda is the virtual clock (SIM-1): what is due, ordered by time, then rank (pieces of
// answers first, then what was held), then sequence.
type agenda struct {
	items []*due // sorted by order
	seq   int
	now   fsm.Millis
}

// due is one thing that will happen.
type due struct {
	at    fsm.Millis
	seq   int
	call  fsm.CallID  // what answers this call, or
	timer fsm.TimerID // fires this timer, or
	slot  *looked     // is this slot of a schedule, or
	fact  fsm.Fact    // (of a call or timer) the machine's next input
	entry *Moment     // is this moment of the timeline, or
	boot  bool        // is the restart after a crash, or
	piece *Chunk      // is a piece of the answer to this call

	served *serving // (call) what the model's server has served
	late   bool     // (served) the client has waited for it in vain
}

// chosen is the rank among which a choice is made if several are due.
const chosen = 1

// rank orders what is due at the same time.
func (d *due) rank() int {
	if d.piece != nil {
		return 0
	}
	return chosen
}

func (a *agenda) add(d due) {
	a.seq++
	d.seq = a.seq
	i, _ := slices.BinarySearchFunc(a.items, &d, order)
	a.items = slices.Insert(a.items, i, &d)
}

// pop removes and returns the next thing. If several are due at the same time, choose picks
// one; the default order is that in which they were added. Pieces of answers come first and
// are not a choice: the machine does not see them, so a run has the same choices with and
// without them. What was held is not a choice either and keeps its order.
func (a *agenda) pop(choose Chooser) (*due, bool) {
	if len(a.items) == 0 {
		return nil, false
	}
	pick, tied, first := 0, 1, a.items[0]
	for first.rank() == chosen && tied < len(a.items) && a.items[tied].at == first.at {
		tied++
	}
	if tied > 1 {
		pick = choose.Choose("order", tied)
	}
	next := a.items[pick]
	copy(a.items[1:], a.items[:pick])
	a.items = a.items[1:]
	a.now = max(a.now, next.at)
	return next, true
}

// onlySlots reports whether nothing is left to happen except slots of schedules after a
// time. A schedule always has another slot, so slots do not keep a run from ending.
func (a *agenda) onlySlots(until fsm.Millis) bool {
	for _, d := range a.items {
		if d.at < never && (d.slot == nil || d.at <= until) {
			return false
		}
	}
	return true
}

// drop removes the things for which keep returns false.
func (a *agenda) drop(keep func(*due) bool) {
	a.items = slices.DeleteFunc(a.items, func(d *due) bool { return !keep(d) })
}

// sort restores the order after times have changed.
func (a *agenda) sort() { slices.SortFunc(a.items, order) }

// order compares two things by when they are taken.
func order(a, b *due) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.seq, b.seq))
}
