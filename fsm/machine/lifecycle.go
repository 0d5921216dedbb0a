package machine

import (
	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/state"
)

// boot begins an epoch. Every call and timer of the epoch before is gone with
// its process, so none is aborted or cleared: unfinished handles are parked and
// ask again once the machine serves.
func (m *Machine) boot(in fsm.Boot) {
	if m.s.Lifecycle != state.Down {
		m.fire(none, firing{on: state.OnLost})
	}
	m.s.Epoch++
	m.configure(in.Config)
	m.pace()
	m.s.GraceTimer = 0
	m.s.Cached.Opened, m.s.Cached.Read = false, false // the model may have been loaded anew for this start
	for i := 0; i < len(m.s.Handles); {
		id := m.s.Handles[i].ID
		m.interrupt(i)
		if i < len(m.s.Handles) && m.s.Handles[i].ID == id {
			i++
		}
	}
	m.doubt(in.Doubts)
	m.fire(none, firing{on: state.OnBoot})
}

// configure puts a configuration into effect. It brings the grants for every session
// (APR-14).
func (m *Machine) configure(c fsm.Config) {
	m.s.Config = c.Bounded()
	m.s.Grants = grant.Without(m.s.Grants, func(g *fsm.Grant) bool { return g.Session == "" })
}

// initialize begins the initial inference, if there is one (HND-45).
func (m *Machine) initialize(int) firing {
	if c := m.s.Config.Init; c == fsm.InitOff || c == fsm.InitFirstStart && m.s.Initialized {
		return firing{on: state.OnInitialized}
	}
	h := state.Handle{Accepted: state.Accepted{Kind: fsm.KindInit, Session: string(fsm.KindInit), Input: m.s.Config.Prompts.Init, Source: fsm.FromOperator}}
	if m.s.Config.Switches.InitBeside && m.s.Config.Init == fsm.InitFirstStart {
		return m.initializeBeside(h)
	}
	m.admit(h)
	return firing{}
}

// initializeBeside admits the initial inference, if none is left from before, and serves at
// once (LIF-14).
func (m *Machine) initializeBeside(h state.Handle) firing {
	if m.s.Count(fsm.KindInit) == 0 {
		h.Beside = true
		m.admit(h)
	}
	return firing{on: state.OnInitialized}
}

// interrupt ends or parks a handle whose process is gone.
func (m *Machine) interrupt(i int) {
	h := &m.s.Handles[i]
	crashed := !h.Waiting()
	if crashed {
		h.Crashes++
		if h.Ahead && (!h.Typed || h.Session == m.s.LastChat) { // if its session did it, it would do it at every start
			m.s.LastChat = ""
		}
	}
	m.spend(h)
	h.Wait, h.Await = 0, state.Await{}
	h.Inf.Probed, h.Inf.Works = false, false // INF-52: once per boot
	h.Inf.ForgetReads()
	h.Inf.Asked = h.Inf.Asked || h.State == state.Approving // the state of an older build does not say so
	if h.State == state.Queued && !h.Ahead || h.State == state.Parked {
		return
	}
	f := m.suspension(h)
	if f.on == state.OnPark {
		f = f.after(func(h *state.Handle) {
			h.Poison = h.Poison || h.Crashes >= m.s.Config.Limits.MaxCrashes && h.Kind != fsm.KindMemory
		})
	}
	m.fire(i, f)
}

// suspension takes a handle off the machine: it is parked, or it ends if only its tool's
// stop was awaited or nobody waits for it (LIF-8, LIF-12).
func (m *Machine) suspension(h *state.Handle) firing {
	switch {
	case h.State == state.Stopping && !h.Loaded:
		return firing{on: m.loss(h, h.Outcome)}
	case h.Ahead: // the next boot begins its own
		return m.uncompressed()
	case (h.Kind == fsm.KindInit || h.Kind == fsm.KindFarewell) && !h.Suspended() && h.State != state.Idling:
		return firing{on: state.OnAbandon, write: func(h *state.Handle) {
			h.Failure = m.word(fsm.WordShuttingDown)
			m.giveUp(h)
		}}
	default:
		return m.parking()
	}
}

// doubt keeps doubtful handles parked until a person lets them go on (JRN-6).
func (m *Machine) doubt(doubts []fsm.Doubt) {
	for _, d := range doubts {
		i := m.s.IndexOf(d.Handle)
		if i < 0 {
			continue // it has ended: there is nothing to hold back
		}
		if m.s.Handles[i].State == state.Queued {
			m.fire(i, m.parking())
		}
		h := &m.s.Handles[i]
		h.Poison, h.Doubt = true, d.Text
	}
}

// serve brings the parked handles back in admission order (LIF-11), except those that a
// person must look at first (HND-36), and arms the schedules.
func (m *Machine) serve(int) firing {
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.State != state.Parked:
		case h.Poison:
			m.inquire(h)
		default:
			m.fire(i, firing{on: state.OnResume})
		}
	}
	for _, s := range m.s.Schedules {
		if !s.Paused {
			m.armSchedule(s)
		}
	}
	m.armBeat()
	m.readAhead()
	return firing{}
}

// signal handles SIGTERM and SIGINT, which mean the same. The second ends the epoch
// at once (LIF-10).
func (m *Machine) signal() {
	switch m.s.Lifecycle {
	case state.Serving, state.Initializing:
		m.fire(none, firing{on: state.OnSignal})
	case state.Draining, state.Farewell:
		m.fire(none, firing{on: state.OnSignal, write: func(*state.Handle) { m.code = fsm.ExitForced }})
	default:
		m.s.Ignored.Signals++
	}
}

// drain gives up an initial inference, parks what does not run, and bounds the wait for
// what does.
func (m *Machine) drain(int) firing {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == fsm.KindInit && !h.Waiting() && h.State != state.Stopping {
			m.fire(i, m.abort(h, fsm.OutcomeFailed, m.word(fsm.WordShuttingDown)))
			break // there is only one
		}
	}
	m.parkQueued()
	m.armGrace()
	return firing{}
}

// parkQueued keeps what does not run for the next boot and tells the clients so, including
// those whose request was parked in an earlier epoch: they may be waiting again. What waits
// for a person, or to ask the model again, does not delay the shutdown (APR-7, LIF-16).
func (m *Machine) parkQueued() {
	m.unqueueReading()
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.State == state.Queued && (h.Kind != fsm.KindInit || h.Beside), h.State == state.Idling:
			m.fire(i, m.deferral())
		case h.Suspended(), !h.Waiting() && h.Inf.State == state.BackingOff && m.s.Config.Edition >= fsm.TenthEdition:
			m.fire(i, m.deferral())
		case h.State == state.Parked:
			m.tell(h, fsm.NoticeDeferred)
		}
	}
}

// armGrace bounds the wait for active handles. With none active it is not
// needed: the step that drains goes on to the farewell at once.
func (m *Machine) armGrace() {
	if m.s.Active() < 0 {
		return
	}
	m.s.GraceTimer = fsm.TimerID(m.next())
	m.emit(fsm.SetTimer{Timer: m.s.GraceTimer, Purpose: fsm.TimerGrace, After: m.s.Config.Limits.Grace})
}

// graceOver parks what is still active (LIF-8).
func (m *Machine) graceOver() {
	m.s.GraceTimer = 0
	m.suspendAll()
}

// suspendAll takes every active handle off the machine. Calls in flight are aborted.
func (m *Machine) suspendAll() {
	for i := m.s.Active(); i >= 0; i = m.s.Active() {
		f := m.suspension(&m.s.Handles[i])
		if f.on == state.OnPark {
			f = m.deferral()
		}
		if !m.fire(i, f) {
			return
		}
	}
}

// bidFarewell begins the farewell, if there is one. It is handled like an event (LIF-9).
func (m *Machine) bidFarewell(int) firing {
	m.clearGrace()
	if m.s.Config.Switches.NoFarewell { // LIF-13
		return firing{on: state.OnFarewelled, write: func(*state.Handle) { m.code = fsm.ExitClean }}
	}
	m.admit(state.Handle{Accepted: state.Accepted{Kind: fsm.KindFarewell, Session: string(fsm.KindFarewell), Input: m.s.Config.Prompts.Farewell, Source: fsm.FromOperator}})
	return firing{}
}

// exit ends the epoch: whatever is active is suspended, and the driver is told to exit.
func (m *Machine) exit(int) firing {
	m.suspendAll()
	m.clearGrace()
	m.emit(fsm.Exit{Code: m.code})
	return firing{}
}

func (m *Machine) clearGrace() {
	if m.s.GraceTimer != 0 {
		m.emit(fsm.ClearTimer{Timer: m.s.GraceTimer})
		m.s.GraceTimer = 0
	}
}
