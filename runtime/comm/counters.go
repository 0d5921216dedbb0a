package comm

import (
	"sync/atomic"

	"shelly/fsm/engine"
)

// Counters counts what the listeners refused or lost. One may be shared by
// several listeners; the zero value is ready.
type Counters struct {
	accepted, duplicates, refused        atomic.Int64
	badTokens, malformed, foreign, empty atomic.Int64
	unsent                               atomic.Int64
}

// Counts is a reading of [Counters].
type Counts struct {
	Accepted   int64 `json:"accepted"`   // requests made durable
	Duplicates int64 `json:"duplicates"` // requests that were known already
	Refused    int64 `json:"refused"`    // busy, stopping, no space, conflict
	BadTokens  int64 `json:"bad_tokens"` // missing or wrong
	Malformed  int64 `json:"malformed"`  // could not be read, or broke a limit
	Foreign    int64 `json:"foreign"`    // wrong Host, sent by another site's page, or a datagram from another machine
	Empty      int64 `json:"empty"`      // datagrams of no bytes
	Unsent     int64 `json:"unsent"`     // datagrams that the system did not take
}

// Counts returns the counts so far.
func (c *Counters) Counts() Counts {
	return Counts{
		Accepted:   c.accepted.Load(),
		Duplicates: c.duplicates.Load(),
		Refused:    c.refused.Load(),
		BadTokens:  c.badTokens.Load(),
		Malformed:  c.malformed.Load(),
		Foreign:    c.foreign.Load(),
		Empty:      c.empty.Load(),
		Unsent:     c.unsent.Load(),
	}
}

// accept counts what became of a request.
func (c *Counters) accept(a engine.Acceptance, err error) {
	switch {
	case err != nil:
		c.refused.Add(1)
	case a.New:
		c.accepted.Add(1)
	default:
		c.duplicates.Add(1)
	}
}
