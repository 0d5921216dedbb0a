package engine

import "shelly/fsm"

// What a client, a person or an operator says is taken or refused at once: they learn of a
// refusal for want of space, and nothing is held (JRN-14).

// Accept admits a request as [Engine.Accept] does.
func (d *Driver) Accept(now Now, in fsm.Requested) (a Acceptance, err error) {
	err = d.word(now, func() error {
		a, err = d.Engine.Accept(now.Wall, in)
		return err
	})
	return a, err
}

// Meet is Tell of facts and then Accept of each request. If there is space they are one
// turn and one write: requests that arrive together share a sync. The error is Tell's.
func (d *Driver) Meet(now Now, facts []fsm.Fact, asked ...fsm.Requested) ([]Met, error) {
	if d.exit == nil && d.short == nil && !d.down && len(d.held) == 0 && !Refused(d.journal.Space()) {
		d.now = now
		met := d.Engine.Meet(d.inputs(facts), now.Wall, asked...)
		for _, m := range met {
			_ = d.noted(m.Err)
		}
		return met, d.Err()
	}
	met := make([]Met, len(asked))
	err := d.Tell(now, facts...)
	for i := range met {
		met[i].Acceptance, met[i].Err = d.Accept(now, asked[i])
	}
	return met, err
}

// Raise admits an event as [Engine.Raise] does.
func (d *Driver) Raise(now Now, in fsm.EventRaised) error {
	return d.word(now, func() error { return d.Engine.Raise(now.Wall, in) })
}

// Cancel asks to end a request as [Engine.Cancel] does.
func (d *Driver) Cancel(now Now, in fsm.CancelRequested) (taken bool, err error) {
	err = d.word(now, func() error {
		taken, err = d.Engine.Cancel(now.Wall, in)
		return err
	})
	return taken, err
}

// Decide brings a decision as [Engine.Decide] does.
func (d *Driver) Decide(now Now, in fsm.Decided) (taken bool, err error) {
	err = d.word(now, func() error {
		taken, err = d.Engine.Decide(now.Wall, in)
		return err
	})
	return taken, err
}

// Revoke takes a grant back as [Engine.Revoke] does.
func (d *Driver) Revoke(now Now, in fsm.Revoked) (taken bool, err error) {
	err = d.word(now, func() error {
		taken, err = d.Engine.Revoke(now.Wall, in)
		return err
	})
	return taken, err
}

// Typing says that a person has begun to write, as [Engine.Typing] does.
func (d *Driver) Typing(now Now, in fsm.Typing) (reads bool, err error) {
	err = d.word(now, func() error {
		reads, err = d.Engine.Typing(now.Wall, in)
		return err
	})
	return reads, err
}

// Schedule brings a change to a schedule as [Engine.Schedule] does.
func (d *Driver) Schedule(now Now, in fsm.ScheduleChanged) (id string, taken bool, err error) {
	err = d.word(now, func() error {
		id, taken, err = d.Engine.Schedule(now.Wall, in)
		return err
	})
	return id, taken, err
}

// Resolve brings a person's decision as [Engine.Resolve] does.
func (d *Driver) Resolve(now Now, in fsm.Resolved) (taken bool, err error) {
	err = d.word(now, func() error {
		taken, err = d.Engine.Resolve(now.Wall, in)
		return err
	})
	return taken, err
}

// Configure replaces the configuration, also that of an epoch that has not begun yet.
func (d *Driver) Configure(now Now, config fsm.Config) error {
	err := d.word(now, func() error { return d.tell(fsm.Configured{Config: config}) })
	return err
}

// word calls say once the machine has been given what is held, and notes a refusal.
func (d *Driver) word(now Now, say func() error) error {
	if err := d.catchUp(now); err != nil {
		return err
	}
	err := say()
	_ = d.noted(err)
	return err
}
