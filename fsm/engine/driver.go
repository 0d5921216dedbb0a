package engine

import "shelly/fsm"

// Now is the present time by two clocks, in milliseconds.
type Now struct {
	Wall   fsm.Millis // for records and schedules; it may be set
	Steady fsm.Millis // for whatever is awaited; it never jumps
}

// Driver decides what the machine learns, in which order and when: what waits for space,
// and what goes first once there is some, when the epoch begins, which slot of a schedule
// is due, what the end of a call becomes, and when to sync. Its caller brings the facts and
// the time, performs effects, and asks [Driver.Next] after each call when to come back.
type Driver struct {
	*Engine
	// Shortage, if set, is called when space runs short, with the reason, and with nil when
	// there is enough again; held is how many facts wait for it.
	Shortage func(why error, held int)
	// Slotless, if set, is called when a schedule has no slot left and will not run again.
	Slotless func(schedule string)

	world  World
	now    Now
	config fsm.Config // of the epoch that begins once there is space
	down   bool       // the epoch has not begun for want of space (JRN-22)
	short  error      // why there is too little space; nil: there is enough
	look   fsm.Millis // when to look again, by the steady clock
	held   []fsm.Fact // what the machine could not be given yet, in order; bounded by what runs
	calls  map[fsm.CallID]call
	slots  slots
	exit   *fsm.ExitCode
}

// call is a call that is under way in the world.
type call struct {
	tool, aborted bool
	keep          fsm.Keep // of what the tool answers
}

// Drive recovers the machine from the journal. It performs no effect.
func Drive(j Journal, w World) (*Driver, error) {
	d := &Driver{world: w, calls: map[fsm.CallID]call{}}
	e, err := Open(j, watching{d})
	d.Engine = e
	return d, err
}

// Boot begins the epoch, now or once there is space (JRN-22).
func (d *Driver) Boot(now Now, config fsm.Config) error {
	d.now, d.config = now, config
	return d.boot()
}

func (d *Driver) boot() error {
	err := d.tell(fsm.Boot{Config: d.config, Doubts: d.Doubts()})
	d.down = Refused(err)
	return d.noted(err)
}

// Tell gives the machine the facts that are held, and then these. Below the reserve they
// are all held, except signals, which go first, so that the process can be stopped
// (JRN-14). A nil fact is skipped.
func (d *Driver) Tell(now Now, facts ...fsm.Fact) error {
	for _, f := range facts {
		if f != nil {
			d.held = append(d.held, f)
		}
	}
	return d.catchUp(now)
}

// Exited returns how the machine has ended, if it has. It then takes no more facts.
func (d *Driver) Exited() (code fsm.ExitCode, ok bool) {
	if d.exit == nil {
		return "", false
	}
	return *d.exit, true
}

// Down reports whether the epoch has not begun for want of space: the machine is as the
// last process left it.
func (d *Driver) Down() bool { return d.down }

// Next returns in how many milliseconds [Driver.Wake] has something to do, or false if
// nothing is due by time. It does not count slots, see [Driver.NextSlot].
func (d *Driver) Next(now Now) (wait fsm.Millis, ok bool) {
	if d.exit != nil || d.Err() != nil {
		return 0, false
	}
	due, ok := d.Unsettled(now.Steady)
	if d.short != nil && (!ok || d.look < due) {
		due, ok = d.look, true
	}
	return max(due-now.Steady, 0), ok
}

// Wake does what is due: it looks for space, and syncs.
func (d *Driver) Wake(now Now) error {
	if d.exit != nil {
		return nil
	}
	if d.short != nil && d.look <= now.Steady {
		d.look = now.Steady + SpaceCheck
		if err := d.catchUp(now); err != nil {
			return err
		}
	}
	if due, ok := d.Unsettled(now.Steady); ok && due <= now.Steady {
		return d.Settle()
	}
	return nil
}

// Outcome returns the fact that the end of a call becomes, or nil. If the call was given
// up, only a tool's end matters: that it has stopped.
func (d *Driver) Outcome(id fsm.CallID, fact fsm.Fact) fsm.Fact {
	c := d.calls[id]
	delete(d.calls, id)
	switch {
	case !c.aborted:
		return d.admit(c.keep, fact)
	case c.tool:
		return fsm.ToolStopped{Answered: fsm.To(id)}
	default:
		return nil
	}
}

// Adopt gives the driver effects that the world performed before it: if it goes on with a
// machine in the midst of its work, calls are under way. A start has none, as the boot asks
// again for what is still needed. An exit among them was of an earlier epoch: the machine goes on.
func (d *Driver) Adopt(effects ...fsm.Effect) {
	for _, e := range effects {
		if _, ended := e.(fsm.Exit); !ended {
			d.learn(e)
		}
	}
}

// watching is the world as the engine sees it: the driver takes from each effect what it
// must know, and the world performs it.
type watching struct{ *Driver }

// Perform implements [World].
func (w watching) Perform(e fsm.Effect) error {
	w.learn(e)
	return w.world.Perform(e)
}

// learn takes from an effect what the driver must know.
func (d *Driver) learn(e fsm.Effect) {
	switch e := e.(type) {
	case fsm.ArmSchedule:
		if !d.slots.arm(e, d.now.Wall) && d.Slotless != nil {
			d.Slotless(e.Schedule)
		}
	case fsm.DisarmSchedule:
		d.slots.disarm(e.Schedule)
	case fsm.AbortCall:
		if c, ok := d.calls[e.Call]; ok {
			c.aborted = true
			d.calls[e.Call] = c
		}
	case fsm.Exit:
		d.exit = &e.Code
	default:
		if id := fsm.CallOf(e); id != 0 {
			run, tool := e.(fsm.RunTool)
			d.calls[id] = call{tool: tool, keep: run.Keep}
		}
	}
}
