package daemon

import (
	"context"
	"errors"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// SpaceCheck is how often a daemon below the reserve looks whether there is space
// again.
const SpaceCheck = time.Second

// shortage is what a daemon below its reserve of free space keeps (JRN-14). Only the
// loop uses it.
type shortage struct {
	why   error       // the words of the journal; nil: there is space
	held  []fsm.Input // facts that the machine was not told yet, in order; what runs bounds them
	down  bool        // the machine is not booted for want of space (JRN-22)
	again *time.Timer // the next look
}

// refused reports whether an error is a refusal for want of space, after which the
// engine lives.
func refused(err error) bool {
	return errors.Is(err, engine.ErrNoSpace) && !errors.Is(err, engine.ErrDead)
}

// boot begins the epoch, or leaves that to a time when there is space (JRN-22).
func (d *Daemon) boot() error {
	err := d.engine.Turn(fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.o.Config, Doubts: d.engine.Doubts()}})
	d.short.down = refused(err)
	return d.unless(err)
}

// turn tells the machine what is held, and then inputs. Below the reserve all of it is
// held, but for a signal: that goes first, and what ends may then end (JRN-14).
func (d *Daemon) turn(inputs ...fsm.Input) error {
	if d.exit != nil {
		return nil
	}
	d.look()
	if d.short.down {
		if err := d.boot(); err != nil {
			return err
		}
	}
	d.short.held = append(d.short.held, inputs...)
	if d.short.down {
		d.leave()
		return nil
	}
	return d.tell()
}

// tell gives the machine what is held.
func (d *Daemon) tell() error {
	for len(d.short.held) > 0 && d.exit == nil {
		err := d.engine.Turn(d.short.held...)
		if !refused(err) {
			d.short.held = nil
			return err
		}
		d.begin(err)
		signals := d.signals()
		if len(signals) == 0 {
			return nil
		}
		if err := d.engine.Turn(signals...); err != nil {
			return err
		}
	}
	return nil
}

// signals takes the signals out of what is held.
func (d *Daemon) signals() (signals []fsm.Input) {
	var rest []fsm.Input
	for _, in := range d.short.held {
		if _, ok := in.Fact.(fsm.Signalled); ok {
			signals = append(signals, in)
		} else {
			rest = append(rest, in)
		}
	}
	d.short.held = rest
	return signals
}

// leave ends a daemon that is not booted at its first signal: nothing runs in it.
func (d *Daemon) leave() {
	if len(d.signals()) > 0 {
		code := fsm.ExitClean
		d.exit = &code
	}
}

// unless passes on an error that is no refusal for want of space, and notes one that
// is.
func (d *Daemon) unless(err error) error {
	if !refused(err) {
		return err
	}
	d.begin(err)
	return nil
}

// noting notes a refusal of what a client wants, and returns it.
func (d *Daemon) noting(err error) error {
	_ = d.unless(err)
	return err
}

// begin notes that there is too little space, and says so once.
func (d *Daemon) begin(err error) {
	if d.short.why == nil {
		d.o.Log.Warn("nothing is accepted or goes on until there is space", "error", err)
		d.later()
	}
	d.short.why = err
}

// look looks whether there is space, where there was too little, and says so once.
func (d *Daemon) look() {
	if d.short.why == nil {
		return
	}
	if err := d.o.Journal.Space(); errors.Is(err, engine.ErrNoSpace) {
		d.short.why = err
		return
	}
	d.o.Log.Info("there is space again", "held", len(d.short.held))
	d.short.why = nil
	d.short.again.Stop()
}

// space returns why there is too little space now, or nil.
func (d *Daemon) space() error {
	if err := d.o.Journal.Space(); refused(err) {
		return d.noting(err)
	}
	return nil
}

// later looks again in a while, for as long as there is too little space. An error of
// what it then tells the machine the loop finds at the engine.
func (d *Daemon) later() {
	if d.short.again != nil {
		d.short.again.Stop()
	}
	d.short.again = time.AfterFunc(SpaceCheck, func() {
		_ = d.send(context.Background(), message{do: func() {
			_ = d.turn()
			if d.short.why != nil {
				d.later()
			}
		}})
	})
}
