package sim

import (
	"container/heap"

	"shelly/fsm"
)

// agenda is the virtual clock: what is due, ordered by (time, pieces of answers
// first and then what was held, sequence) (SIM-1).
type agenda struct {
	items items
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

// chosen is the rank of what is chosen from where several are due.
const chosen = 1

// rank says what goes first of what is due at once.
func (d *due) rank() int {
	if d.piece != nil {
		return 0
	}
	return chosen
}

func (a *agenda) add(d due) {
	a.seq++
	d.seq = a.seq
	heap.Push(&a.items, d)
}

// pop takes the next thing. Where several are due at the same time, choose
// picks; the default order is the order in which they were added. Pieces of
// answers come before all else and are no choice: the machine is not told of them,
// so that a run has the same choices with them as without. Nor is what was held, which
// keeps its order.
func (a *agenda) pop(choose Chooser) (due, bool) {
	if len(a.items) == 0 {
		return due{}, false
	}
	tied := []due{heap.Pop(&a.items).(due)}
	for tied[0].rank() == chosen && len(a.items) > 0 && a.items[0].at == tied[0].at {
		tied = append(tied, heap.Pop(&a.items).(due))
	}
	pick := 0
	if len(tied) > 1 {
		pick = choose.Choose("order", len(tied))
	}
	for i, d := range tied {
		if i != pick {
			heap.Push(&a.items, d)
		}
	}
	a.now = max(a.now, tied[pick].at)
	return tied[pick], true
}

// onlySlots reports whether nothing but slots of schedules after a time is left
// to happen. A schedule has always another slot, so that they keep no run from
// its end.
func (a *agenda) onlySlots(until fsm.Millis) bool {
	for _, d := range a.items {
		if d.at < never && (d.slot == nil || d.at <= until) {
			return false
		}
	}
	return true
}

// drop removes what keep refuses.
func (a *agenda) drop(keep func(due) bool) {
	kept := a.items[:0]
	for _, d := range a.items {
		if keep(d) {
			kept = append(kept, d)
		}
	}
	if len(kept) < len(a.items) {
		a.items = kept
		heap.Init(&a.items)
	}
}

type items []due

func (q items) Len() int { return len(q) }
func (q items) Less(i, j int) bool {
	switch a, b := q[i], q[j]; {
	case a.at != b.at:
		return a.at < b.at
	case a.rank() != b.rank():
		return a.rank() < b.rank()
	default:
		return a.seq < b.seq
	}
}
func (q items) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *items) Push(x any)   { *q = append(*q, x.(due)) }
func (q *items) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
