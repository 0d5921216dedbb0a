package engine

import (
	"errors"

	"shelly/fsm"
)

// SpaceCheck is how often a driver below the reserve checks for space.
const SpaceCheck = fsm.Second

// Refused reports whether an error is a refusal for want of space, which the engine
// survives.
func Refused(err error) bool { return errors.Is(err, ErrNoSpace) && !errors.Is(err, ErrDead) }

// catchUp makes the machine ready for something new: if space was short it looks again,
// begins the epoch that has waited for it, and gives the machine what is held. Being below
// the reserve is not an error here.
func (d *Driver) catchUp(now Now) error {
	if d.exit != nil {
		return nil
	}
	d.now = now
	d.looked()
	if d.down {
		if err := d.boot(); err != nil {
			return err
		}
	}
	if d.down {
		d.leave()
		return nil
	}
	return d.release()
}

// looked looks for space if it was short.
func (d *Driver) looked() {
	if d.short == nil {
		return
	}
	if err := d.journal.Space(); errors.Is(err, ErrNoSpace) {
		d.short = err
		return
	}
	d.short = nil
	if d.Shortage != nil {
		d.Shortage(nil, len(d.held))
	}
}

// release gives the machine what is held.
func (d *Driver) release() error {
	for len(d.held) > 0 && d.exit == nil {
		d.slots.latest(d.held, d.now.Wall)
		err := d.tell(d.held...)
		if !Refused(err) {
			d.held = nil
			return err
		}
		if err := d.noted(err); err != nil {
			return err
		}
		signals := d.signals()
		if len(signals) == 0 {
			return nil
		}
		if err := d.tell(signals...); err != nil {
			return err
		}
	}
	return nil
}

// signals removes the signals from what is held, and returns them.
func (d *Driver) signals() (signals []fsm.Fact) {
	var rest []fsm.Fact
	for _, f := range d.held {
		if _, ok := f.(fsm.Signalled); ok {
			signals = append(signals, f)
		} else {
			rest = append(rest, f)
		}
	}
	d.held = rest
	return signals
}

// leave ends a driver that is down at its first signal, as nothing runs in it.
func (d *Driver) leave() {
	if len(d.signals()) > 0 {
		code := fsm.ExitClean
		d.exit = &code
	}
}

// noted returns an error, unless it is a refusal for want of space, which it notes.
func (d *Driver) noted(err error) error {
	if !Refused(err) {
		return err
	}
	if d.short == nil {
		d.look = d.now.Steady + SpaceCheck
		if d.Shortage != nil {
			d.Shortage(err, len(d.held))
		}
	}
	d.short = err
	return nil
}

// tell takes a turn with facts that are observed now.
func (d *Driver) tell(facts ...fsm.Fact) error { return d.Turn(d.inputs(facts)...) }

// inputs returns facts as inputs that are observed now, without nil facts.
func (d *Driver) inputs(facts []fsm.Fact) []fsm.Input {
	inputs := make([]fsm.Input, 0, len(facts))
	for _, f := range facts {
		if f != nil {
			inputs = append(inputs, fsm.Input{At: d.now.Wall, Fact: f})
		}
	}
	return inputs
}

// Short returns why there is too little space now, or nil.
func (d *Driver) Short(now Now) error {
	err := d.journal.Space()
	if !Refused(err) {
		return nil
	}
	d.now = now
	_ = d.noted(err)
	return err
}

// Waits reports whether anything waits for space: facts, or the epoch.
func (d *Driver) Waits() bool { return d.down || len(d.held) > 0 }
