package engine

import (
	"fmt"

	"shelly/fsm"
)

// SettleAfter is how long a record may wait for a barrier to make it durable (JRN-4).
const SettleAfter = fsm.Second

// tail is the records after the last durable one.
type tail struct {
	first uint64     // its first record
	since fsm.Millis // when the tail was first seen
}

// Unsettled returns when [Engine.Settle] is due, or false if everything is durable. It is
// called after each turn, with the time of a clock that never jumps: a new tail counts from
// the first call that sees it.
func (e *Engine) Unsettled(now fsm.Millis) (due fsm.Millis, ok bool) {
	if e.dead != nil || e.durable == e.last {
		return 0, false
	}
	if first := e.durable + 1; e.tail.first != first {
		e.tail = tail{first, now}
	}
	return e.tail.since + SettleAfter, true
}

// Settle makes durable what was appended after the last barrier, if anything was. With a
// slow model nearly every crash happens during a model call, and would otherwise lose
// everything done since the last barrier.
func (e *Engine) Settle() error {
	if e.dead != nil || e.durable == e.last {
		return e.dead
	}
	if err := e.journal.Append(Batch{}, true); err != nil {
		return e.die(fmt.Errorf("sync the journal: %w", err))
	}
	e.durable = e.last
	return nil
}
