package daemon

import (
	"context"
	"time"

	"shelly/fsm"
)

// settleSoon lets the loop sync what lies after the last barrier once it is due, also
// while calls run (JRN-4). Under load the next barrier comes first, and this costs
// nothing.
func (d *Daemon) settleSoon() {
	due, ok := d.engine.Unsettled(d.steady())
	if !ok || d.settles != nil {
		return
	}
	after := time.Duration(due-d.steady()) * time.Millisecond
	d.settles = time.AfterFunc(after, func() { _ = d.send(context.Background(), message{do: d.settle}) })
}

// settle syncs the journal where that is due; where a barrier has come between, the
// records after it have their own time. An error has ended the engine, and so ends the
// loop.
func (d *Daemon) settle() {
	d.settles = nil
	if due, ok := d.engine.Unsettled(d.steady()); !ok || due > d.steady() {
		return
	}
	if err := d.engine.Settle(); err != nil {
		d.o.Log.Error("the journal cannot be synced", "error", err)
	}
}

// steady is the time of a clock that never jumps.
func (d *Daemon) steady() fsm.Millis { return fsm.Millis(time.Since(d.began).Milliseconds()) }
