package daemon

import (
	"fmt"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// queue says of the handles of a state what they wait for. They are asked for in their order, so that a
// look at all of them is one pass: a queue may hold 100,000, and the loop looks after each step.
type queue struct {
	s     *state.Snapshot
	busy  map[string]fsm.HandleID // by session, the first handle at work there
	asks  map[string]fsm.HandleID // by session, the first handle before next about which a person is asked
	ahead int                     // handles before next that are queued and go first
	next  int
}

func newQueue(s *state.Snapshot) *queue {
	q := &queue{s: s, busy: map[string]fsm.HandleID{}, asks: map[string]fsm.HandleID{}}
	for i := range s.Handles {
		if h := &s.Handles[i]; !h.Waiting() || h.State == state.Postponed {
			first(q.busy, h)
		}
	}
	return q
}

// first notes a handle for its session, unless there is one.
func first(of map[string]fsm.HandleID, h *state.Handle) {
	if _, ok := of[h.Session]; !ok {
		of[h.Session] = h.ID
	}
}

// to passes the handles before the one at i.
func (q *queue) to(i int) {
	for ; q.next < i; q.next++ {
		h := &q.s.Handles[q.next]
		if h.AsksPerson() {
			first(q.asks, h)
		}
		if h.State == state.Queued && h.Kind != fsm.KindMemory {
			q.ahead++
		}
	}
}

// asked reports whether a person is asked about a handle before the one at i, in its session. A
// session answers in order.
func (q *queue) asked(i int) bool {
	q.to(i)
	_, is := q.asks[q.s.Handles[i].Session]
	return is
}

// why returns in words what the handle at i, which waits, waits for.
func (q *queue) why(i int) string {
	q.to(i)
	h := &q.s.Handles[i]
	switch {
	case h.State == state.Parked:
		return "kept for the next start"
	case q.s.Lifecycle != state.Serving:
		return "until shelly serves"
	case h.State == state.Postponed:
		return "until the model can be asked again"
	case h.State == state.Idling:
		return "until nobody has come for a while"
	case h.Kind == fsm.KindMemory:
		return "until nobody else waits"
	}
	if busy, is := q.busy[h.Session]; is {
		return fmt.Sprintf("its session is at work (%s)", busy.Entry())
	}
	if asks, is := q.asks[h.Session]; is {
		return fmt.Sprintf("until the question about %[1]s in its session is answered; see shelly request show %[1]s", asks.Entry())
	}
	if q.ahead == 0 {
		return "next"
	}
	return wording.Count(q.ahead, "other") + " before it"
}
