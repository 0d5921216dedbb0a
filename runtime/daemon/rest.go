package daemon

import (
	"context"
	"time"
)

// restAfter is how long nothing must have been under way before the daemon counts as at rest.
const restAfter = time.Second

// resting is a journal that, when all of it is durable, notes outside itself how far it goes
// (JRN-31).
type resting interface{ Rest() error }

// restSoon makes the loop notify the journal once the daemon is at rest.
func (d *Daemon) restSoon() {
	if _, ok := d.o.Journal.(resting); !ok || !d.unrested() || d.rests != nil {
		return
	}
	d.rests = time.AfterFunc(restAfter, func() { _ = d.send(context.Background(), message{do: d.rest}) })
}

// unrested reports whether nothing is under way, and the journal has grown since the last
// notification.
func (d *Daemon) unrested() bool { return len(d.running) == 0 && d.driver.Last() != d.rested }

// rest makes everything durable and notifies the journal. An error ends the engine or fails the
// journal, and so ends the loop.
func (d *Daemon) rest() {
	d.rests = nil
	if !d.unrested() {
		return
	}
	err := d.driver.Settle()
	if err == nil {
		err = d.o.Journal.(resting).Rest()
	}
	if err != nil {
		d.o.Log.Error("cannot note how far the journal is durable", "error", err)
	}
	d.rested = d.driver.Last()
	if d.o.Rested != nil {
		d.o.Rested()
	}
}
