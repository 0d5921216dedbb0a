package daemon

import (
	"context"
	"time"
)

// SettleAfter is how long after the last step that is not durable the journal is
// synced, where no call is under way: the save of a session behind its reply, say
// (JRN-4). Under load the next barrier comes first, and this costs nothing.
const SettleAfter = time.Second

// settleSoon lets the loop sync what is behind the last barrier once it has been at
// rest for a while.
func (d *Daemon) settleSoon() {
	if len(d.running) > 0 || d.engine.Durable() == d.engine.Last() {
		return
	}
	if d.settles != nil {
		d.settles.Reset(SettleAfter)
		return
	}
	d.settles = time.AfterFunc(SettleAfter, func() { _ = d.send(context.Background(), message{do: d.settle}) })
}

// settle syncs the journal. An error has ended the engine, and so ends the loop.
func (d *Daemon) settle() {
	if len(d.running) > 0 {
		return // what ends then settles
	}
	if err := d.engine.Settle(); err != nil {
		d.o.Log.Error("the journal cannot be synced", "error", err)
	}
}
