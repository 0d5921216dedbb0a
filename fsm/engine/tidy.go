package engine

import (
	"fmt"

	"shelly/fsm"
)

// Retention is how long what was done is kept (JRN-20). 0 means no bound.
type Retention struct {
	Age   fsm.Millis
	Bytes int64 // of all records, as [Keep].Bytes
}

// restShare says when a snapshot is saved for the sake of trimming: once the first record
// after the last snapshot is older than the age divided by restShare. No record outlives
// the age by more.
const restShare = 8

// Tidy drops some of what r does not ask to keep, in one [Journal.Trim], and returns how
// much. If that is nothing, nothing is left to drop; until then it is called again, with
// other work in between. An error of the trimming leaves the engine alive, so that one
// damaged old record does not end each new process; if a write has failed, the next append
// says so.
func (e *Engine) Tidy(now fsm.Millis, r Retention) (Trimmed, error) {
	if e.dead != nil {
		return Trimmed{}, e.dead
	}
	if err := e.rest(now, r); err != nil {
		return Trimmed{}, err
	}
	keep := Keep{Now: now, Bytes: r.Bytes, Owners: e.owners()}
	if r.Age > 0 {
		keep.Since = now - r.Age
	}
	out, err := e.journal.Trim(keep)
	if err != nil {
		return out, fmt.Errorf("trim the journal: %w", err)
	}
	return out, nil
}

// rest saves the state if the records after the last snapshot are old, or too many bytes
// are kept, at once or when nothing is active (JRN-13): records can be dropped only up to a
// snapshot, by the time of its last input. Therefore the state is saved before the boot,
// which is an input of today, whatever is active, unless a snapshot would hide a divergence
// (JRN-6).
func (e *Engine) rest(now fsm.Millis, r Retention) error {
	due, err := e.overdue(now, r)
	switch {
	case err != nil || !due || e.last == e.saved:
		return err
	case !e.booted && len(e.diverging) > 0:
		return nil
	case e.booted && e.machine.Active():
		e.resting = true
		return nil
	}
	return e.save()
}

// overdue reports whether the first record after the last snapshot is old, or too many
// bytes are kept.
func (e *Engine) overdue(now fsm.Millis, r Retention) (bool, error) {
	if r.Age > 0 && e.oldest < now-r.Age/restShare {
		return true, nil
	}
	if r.Bytes <= 0 {
		return false, nil
	}
	kept, err := e.journal.Kept()
	if err != nil {
		return false, fmt.Errorf("look what the journal keeps: %w", err)
	}
	return kept.Bytes > r.Bytes, nil
}
