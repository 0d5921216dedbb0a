package engine

import (
	"fmt"

	"shelly/fsm"
)

// SettleAfter is how long a record may wait for a barrier to make it durable (JRN-4).
const SettleAfter = fsm.Second

// tail is what lies after the last record that is durable.
type tail struct {
	first uint64     // its first record
	since fsm.Millis // when that was seen first
}

// Unsettled returns when [Engine.Settle] is due, and false where all is durable. It is
// asked after each turn, with the time of a clock that never jumps: a new tail counts
// from the first time that it is asked of.
func (e *Engine) Unsettled(now fsm.Millis) (due fsm.Millis, ok bool) {
	if e.dead != nil || e.durable == e.last {
		return 0, false
	}
	if first := e.durable + 1; e.tail.first != first {
		e.tail = tail{first, now}
	}
	return e.tail.since + SettleAfter, true
}

// Settle makes durable what was appended after the last barrier, if anything was. On a
// slow model nearly every crash falls into a call of it, and would else take with
// it all that was done since the last barrier.
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
