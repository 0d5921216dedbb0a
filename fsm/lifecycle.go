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
// any state but down, "lost" goes first.
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
		m.fire(none, firing{on: OnLost})
	}
	m.s.Epoch++
	m.s.Config = in.Config.bounded()
	m.s.GraceTimer = 0
	for i := 0; i < len(m.s.Handles); {
		id := m.s.Handles[i].ID
		m.interrupt(i)
		if i < len(m.s.Handles) && m.s.Handles[i].ID == id {
			i++
		}
	}
	m.doubt(in.Doubts)
	m.fire(none, firing{on: OnBoot})
}

// initialize begins the initial inference, where there is one (HND-45).
func (m *Machine) initialize(int) firing {
	if c := m.s.Config.Init; c == InitOff || c == InitFirstStart && m.s.Initialized {
		return firing{on: OnInitialized}
	}
	m.admit(Handle{Kind: KindInit, Session: string(KindInit), Input: m.s.Config.Prompts.Init})
	return firing{}
}

// interrupt ends or parks a handle whose process is gone.
func (m *Machine) interrupt(i int) {
	h := &m.s.Handles[i]
	crashed := !h.waiting()
	if crashed {
		h.Crashes++
	}
	m.spend(h)
	h.Wait, h.Await = 0, Await{}
	if h.State == Queued || h.State == Parked {
		return
	}
	f := m.suspension(h)
	if f.on == OnPark {
		f = f.after(func(h *Handle) {
			h.Poison = h.Poison || h.Crashes >= m.s.Config.Limits.MaxCrashes && h.Kind != KindMemory
		})
	}
	m.fire(i, f)
}

// suspension takes a handle off the machine: it is parked, or it ends where only its
// tool's stop was awaited or nobody waits for it (LIF-8, LIF-12).
func (m *Machine) suspension(h *Handle) firing {
	switch {
	case h.State == Stopping && !h.Loaded:
		return firing{on: m.loss(h, h.Outcome)}
	case h.Kind == KindInit || h.Kind == KindFarewell:
		return firing{on: OnAbandon, write: m.giveUp}
	default:
		return m.parking()
	}
}

// doubt keeps the handles parked that are doubted, until a person lets them go on
// (JRN-6).
func (m *Machine) doubt(doubts []Doubt) {
	for _, d := range doubts {
		i := m.indexOf(d.Handle)
		if i < 0 {
			continue // it has ended: there is nothing left to keep from going on
		}
		if m.s.Handles[i].State == Queued {
			m.fire(i, m.parking())
		}
		h := &m.s.Handles[i]
		h.Poison, h.Doubt = true, d.Text
	}
}

// serve brings the parked handles back in admission order (LIF-11) but for those that
// a person must look at first (HND-36), and arms the schedules.
func (m *Machine) serve(int) firing {
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.State != Parked:
		case h.Poison:
			m.inquire(h)
		default:
			m.fire(i, firing{on: OnResume})
		}
	}
	for _, s := range m.s.Schedules {
		m.armSchedule(s)
	}
	return firing{}
}

// signal handles SIGTERM and SIGINT, which mean the same. The second ends the epoch
// at once (LIF-10).
func (m *Machine) signal() {
	switch m.s.Lifecycle {
	case Serving, Initializing:
		m.fire(none, firing{on: OnSignal})
	case Draining, Farewell:
		m.fire(none, firing{on: OnSignal, write: func(*Handle) { m.code = ExitForced }})
	default:
		m.s.Ignored.Signals++
	}
}

// drain gives an initial inference up, parks what does not run, and bounds the wait
// for what does.
func (m *Machine) drain(int) firing {
	if i := m.active(); i >= 0 && m.s.Handles[i].Kind == KindInit && m.s.Handles[i].State != Stopping {
		m.fire(i, m.abort(&m.s.Handles[i], OutcomeFailed, m.word(WordShuttingDown)))
	}
	m.parkQueued()
	m.armGrace()
	return firing{}
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
			m.fire(i, m.deferral())
		case h.asksPerson():
			m.fire(i, m.deferral())
		case h.State == Parked:
			m.tell(h, NoticeDeferred)
		}
	}
}

// deferral parks a handle and tells its client.
func (m *Machine) deferral() firing {
	f := m.parking()
	park := f.write
	f.write = func(h *Handle) {
		park(h)
		m.clearTimer(h)
		m.tell(h, NoticeDeferred)
	}
	return f
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

// suspendAll takes every active handle off the machine. Calls in flight are aborted.
func (m *Machine) suspendAll() {
	for i := m.active(); i >= 0; i = m.active() {
		f := m.suspension(&m.s.Handles[i])
		if f.on == OnPark {
			f = m.deferral()
		}
		if !m.fire(i, f) {
			return
		}
	}
}

// bidFarewell begins the farewell, which is handled as an event is (LIF-9).
func (m *Machine) bidFarewell(int) firing {
	m.clearGrace()
	m.admit(Handle{Kind: KindFarewell, Session: string(KindFarewell), Input: m.s.Config.Prompts.Farewell})
	return firing{}
}

// exit ends the epoch: whatever is active is suspended and the driver is told
// to exit.
func (m *Machine) exit(int) firing {
	m.suspendAll()
	m.clearGrace()
	m.emit(Exit{Code: m.code})
	return firing{}
}

func (m *Machine) clearGrace() {
	if m.s.GraceTimer != 0 {
		m.emit(ClearTimer{Timer: m.s.GraceTimer})
		m.s.GraceTimer = 0
	}
}
