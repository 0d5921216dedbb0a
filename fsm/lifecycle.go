package fsm

import "slices"

// Lifecycle states.
const (
	Down         State = "down"
	Initializing State = "initializing"
	Serving      State = "serving"
	Draining     State = "draining"
	Farewell     State = "farewell"
	Stopped      State = "stopped"
)

// Lifecycle events.
const (
	OnLost        Event = "lost"        // a boot tells that the epoch before it is over
	OnBoot        Event = "boot"        // an epoch begins
	OnInitialized Event = "initialized" // the initial inference has ended, or is off
	OnSignal      Event = "signal"      // SIGTERM or SIGINT
	OnDrained     Event = "drained"     // nothing is active any more
	OnFarewelled  Event = "farewelled"  // the farewell has ended
)

// Lifecycle is the table of the daemon's life. A boot is legal everywhere: in
// any state but down, "lost" goes first, so that no row is a self-loop.
var Lifecycle = Table{
	Name:    "lifecycle",
	Initial: Down,
	Rows: []Row{
		{Down, OnBoot, Initializing, "LIF-1"},
		{Initializing, OnInitialized, Serving, "LIF-5"},
		{Initializing, OnSignal, Draining, "LIF-7"},
		{Serving, OnSignal, Draining, "LIF-6"},
		{Draining, OnDrained, Farewell, "LIF-8"},
		{Draining, OnSignal, Stopped, "LIF-10"},
		{Farewell, OnFarewelled, Stopped, "LIF-9"},
		{Farewell, OnSignal, Stopped, "LIF-10"},
		{Initializing, OnLost, Down, "LIF-1"},
		{Serving, OnLost, Down, "LIF-1"},
		{Draining, OnLost, Down, "LIF-1"},
		{Farewell, OnLost, Down, "LIF-1"},
		{Stopped, OnLost, Down, "LIF-1"},
	},
}

// boot begins an epoch. Every call and timer of the epoch before is gone with
// its process, so none is aborted or cleared: unfinished handles are parked and
// ask again once the machine serves.
func (m *Machine) boot(in Boot) {
	if m.s.Lifecycle != Down {
		m.live(OnLost)
	}
	m.s.Epoch++
	m.s.Config = in.Config.bounded()
	m.s.GraceTimer = 0
	for i := 0; i < len(m.s.Handles); {
		if m.interrupt(&m.s.Handles[i]) {
			m.remove(i)
		} else {
			i++
		}
	}
	m.doubt(in.Doubts)
	m.live(OnBoot)
	if c := m.s.Config.Init; c == InitOff || c == InitFirstStart && m.s.Initialized { // HND-45
		m.serve()
		return
	}
	m.admit(Handle{Kind: KindInit, Session: string(KindInit), Input: m.s.Config.Prompts.Init})
}

// interrupt ends or parks a handle whose process is gone. It reports whether
// the handle is terminal.
func (m *Machine) interrupt(h *Handle) bool {
	if !h.waiting() {
		h.Crashes++
	}
	m.spend(h)
	h.Wait, h.Await = 0, Await{}
	switch {
	case h.State == Stopping && !h.Loaded:
		m.move(h, stopEvent(h))
		return true
	case h.Kind == KindInit || h.Kind == KindFarewell: // LIF-12
		m.giveUp(h)
		m.move(h, OnAbandon)
		return true
	case h.State != Queued && h.State != Parked:
		m.park(h)
		h.Poison = h.Poison || h.Crashes >= m.s.Config.Limits.MaxCrashes && h.Kind != KindMemory
	}
	return false
}

// doubt keeps the handles parked that are doubted, until a person lets them go on
// (JRN-6).
func (m *Machine) doubt(doubts []Doubt) {
	for _, d := range doubts {
		i := m.indexOf(d.Handle)
		if i < 0 {
			continue // it has ended: there is nothing left to keep from going on
		}
		h := &m.s.Handles[i]
		if h.State == Queued {
			m.park(h)
		}
		h.Poison, h.Doubt = true, d.Text
	}
}

// stopEvent is how a handle ends of which only a tool's stop was awaited.
func stopEvent(h *Handle) Event {
	if h.Outcome == OutcomeCancelled {
		return OnCancel
	}
	return OnStopped
}

// serve enters serving, brings the parked handles back in admission order (LIF-11)
// but for those that a person must look at first (HND-36), and arms the schedules.
func (m *Machine) serve() {
	m.live(OnInitialized)
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		switch {
		case h.State != Parked:
		case h.Poison:
			m.askPerson(h)
		default:
			m.move(h, OnResume)
		}
	}
	for _, s := range m.s.Schedules {
		m.armSchedule(s)
	}
}

// signal handles SIGTERM and SIGINT, which mean the same.
func (m *Machine) signal() {
	switch m.s.Lifecycle {
	case Serving:
		m.live(OnSignal)
		m.parkQueued()
		m.armGrace()
	case Initializing:
		m.live(OnSignal)
		if i := m.active(); i >= 0 && m.s.Handles[i].State != Stopping {
			m.abort(i, OutcomeFailed, "shutting down")
		}
		m.parkQueued()
		m.armGrace()
	case Draining, Farewell:
		m.live(OnSignal)
		m.stop(ExitForced)
	default:
		m.s.Ignored.Signals++
	}
}

// parkQueued keeps what does not run for the next boot and tells the clients so,
// those too whose request an earlier epoch has parked: they may wait again. What
// waits for a person does not delay the shutdown (APR-7).
func (m *Machine) parkQueued() {
	if canary == CanaryQueueLost {
		m.s.Handles = slices.DeleteFunc(m.s.Handles, func(h Handle) bool { return h.State == Queued })
	}
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.State == Queued && h.Kind != KindInit:
			m.deferHandle(h)
		case h.asksPerson():
			m.clearWait(h)
			m.deferHandle(h)
		case h.State == Parked:
			m.tell(h, NoticeDeferred)
		}
	}
}

// deferHandle parks h and tells its client.
func (m *Machine) deferHandle(h *Handle) {
	m.park(h)
	m.tell(h, NoticeDeferred)
}

// tell sends the client of h a word that is not its reply: that it will be answered
// after the next boot, or that a person has to decide.
func (m *Machine) tell(h *Handle, n Notice) {
	if h.Kind == KindUser && !h.Replied {
		m.emit(Notify{Handle: h.ID, Request: h.Request, Notice: n})
	}
}

// armGrace bounds the wait for active handles. With none active it is not
// needed: the step that drains goes on to the farewell at once.
func (m *Machine) armGrace() {
	if m.active() < 0 {
		return
	}
	m.s.GraceTimer = TimerID(m.next())
	m.emit(SetTimer{Timer: m.s.GraceTimer, Purpose: TimerGrace, After: m.s.Config.Limits.Grace})
}

// graceOver parks what is still active (LIF-8).
func (m *Machine) graceOver() {
	m.s.GraceTimer = 0
	m.suspendAll()
}

// suspendAll takes every active handle off the machine.
func (m *Machine) suspendAll() {
	for i := m.active(); i >= 0; i = m.active() {
		m.suspend(i)
	}
}

// suspend takes an active handle off the machine without an end: a call in
// flight is aborted and the handle parked, or ended if only its tool's stop was
// awaited or nobody waits for it.
func (m *Machine) suspend(i int) {
	h := &m.s.Handles[i]
	m.abortCall(h)
	h.Await = Await{}
	m.clearWait(h)
	m.clearTimer(h)
	switch {
	case h.State == Stopping && !h.Loaded:
		m.move(h, stopEvent(h))
		m.remove(i)
	case h.Kind == KindInit || h.Kind == KindFarewell:
		m.giveUp(h)
		m.move(h, OnAbandon)
		m.remove(i)
	default:
		m.deferHandle(h)
	}
}

// drained begins the farewell, which is handled as an event is (LIF-9).
func (m *Machine) drained() {
	if m.s.GraceTimer != 0 {
		m.emit(ClearTimer{Timer: m.s.GraceTimer})
		m.s.GraceTimer = 0
	}
	m.live(OnDrained)
	m.admit(Handle{Kind: KindFarewell, Session: string(KindFarewell), Input: m.s.Config.Prompts.Farewell})
}

// stop ends the epoch: whatever is active is suspended and the driver is told
// to exit.
func (m *Machine) stop(code ExitCode) {
	m.suspendAll()
	if m.s.GraceTimer != 0 {
		m.emit(ClearTimer{Timer: m.s.GraceTimer})
		m.s.GraceTimer = 0
	}
	m.emit(Exit{Code: code})
}

// live fires a lifecycle event.
func (m *Machine) live(on Event) {
	to, ok := m.lifecycle.fire(m.s.Lifecycle, on)
	if !ok {
		m.s.Ignored.Moves++
		return
	}
	m.moves = append(m.moves, Move{Table: Lifecycle.Name, From: m.s.Lifecycle, On: on, To: to})
	m.s.Lifecycle = to
}
