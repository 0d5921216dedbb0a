package daemon

import (
	"context"

	"shelly/fsm"
)

// away is the waits for a server that could not be reached. They end as soon as it answers
// (BRN-44). Work that is postponed may wait for hours, and there may be much of it: the server is
// asked once for all.
type away struct {
	waits map[fsm.TimerID]fsm.HandleID
	stop  context.CancelFunc // ends the asking; nil: nobody asks
}

// forget forgets the wait of a timer, if it is one.
func (a *away) forget(timer fsm.TimerID) {
	delete(a.waits, timer)
	if len(a.waits) == 0 {
		a.leave()
	}
}

// leave ends the asking.
func (a *away) leave() {
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
}

// awaits makes a wait for a server that could not be reached end as soon as the server answers,
// and reports whether the brain can tell. To the machine it is a timer that fires, as any of its
// timers may at any moment (LIM-3).
func (d *Daemon) awaits(wait fsm.SetTimer) bool {
	brain, ok := d.o.Brain.(Awaiter)
	if !ok {
		return false
	}
	d.away.waits[wait.Timer] = wait.Handle
	if d.away.stop != nil {
		return true
	}
	ctx, stop := context.WithCancel(context.Background())
	d.away.stop = stop
	d.calls.performs(func() {
		err := d.guarded("the model client", func() error { return brain.Await(ctx) })
		switch {
		case ctx.Err() != nil:
		case err != nil:
			_ = d.send(context.Background(), message{do: d.away.leave})
		default:
			_ = d.send(context.Background(), message{do: d.back})
		}
	}, d.stopped)
	return true
}

// back ends the waits, as the server answers.
func (d *Daemon) back() {
	for timer, handle := range d.away.waits { // order-free: the timers fire at once, in whatever order they come
		if t, armed := d.timers[timer]; armed && t.Stop() {
			d.o.Log.Info("the server answers again; the wait for it ends", "handle", handle)
			t.Reset(0)
		}
	}
	clear(d.away.waits)
	d.away.leave()
}
