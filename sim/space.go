package sim

import (
	"container/heap"
	"errors"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// refused reports whether an error is a refusal for want of space, after which the
// engine lives (JRN-14, SCN-50).
func refused(err error) bool {
	return errors.Is(err, engine.ErrNoSpace) && !errors.Is(err, engine.ErrDead)
}

// fill puts the disk below the reserve for a while.
func (r *run) fill(length fsm.Millis) {
	r.full = max(r.full, r.world.agenda.now+length)
	r.measure()
}

// measure tells the journal whether there is space now.
func (r *run) measure() { r.journal.Fill(r.world.agenda.now < r.full) }

// hold keeps what the machine could not be told until there is space, in order. The
// slot of a schedule stays the one that was due.
func (r *run) hold(d due) {
	if d.armed != nil {
		d.fact, d.armed = d.armed.due(r.world.wall()).Fact, nil
	}
	d.at, d.held = r.full, true
	r.world.agenda.add(d)
}

// release lets what is held come at once where the machine is ending: the reserve is
// there for that.
func (r *run) release() {
	state := r.machine.View().Lifecycle
	if r.full <= r.world.agenda.now || state != fsm.Draining && state != fsm.Farewell {
		return
	}
	a := &r.world.agenda
	for i := range a.items {
		if a.items[i].held {
			a.items[i].at = a.now
		}
	}
	heap.Init(&a.items)
}

// boot begins the epoch, or leaves that to when there is space (JRN-22).
func (r *run) boot() error {
	err := r.turn(fsm.Input{At: r.world.wall(), Fact: fsm.Boot{Config: r.config, Doubts: r.engine.Doubts()}})
	switch {
	case refused(err):
		r.world.agenda.add(due{at: r.full, boot: true})
	case err != nil:
		return err
	default:
		r.booted = true
		r.wake()
	}
	return r.resend()
}

// late boots a process that has waited for space, before anything else comes.
func (r *run) late() error {
	if r.engine == nil || r.booted || r.world.agenda.now < r.full {
		return nil
	}
	return r.boot()
}

// leave ends a process that is not booted at its first signal (JRN-22).
func (r *run) leave() {
	r.result.Exits = append(r.result.Exits, fsm.ExitClean)
	r.engine = nil
	r.world.agenda.drop(func(d due) bool { return !d.boot })
}
