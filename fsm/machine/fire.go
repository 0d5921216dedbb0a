package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// firing is an event to fire, and what it writes if there is a row for it. The zero value
// fires nothing: the handle goes on waiting.
type firing struct {
	on       state.Event
	first    func(*state.Handle)
	write    func(*state.Handle)
	answered bool // by the answer to the call that the handle awaits
	resumes  bool // the handle goes on in the phase that it was in
}

// after returns f with a write that comes first.
func (f firing) after(write func(*state.Handle)) firing {
	if first := f.first; first != nil {
		f.first = func(h *state.Handle) {
			write(h)
			first(h)
		}
		return f
	}
	f.first = write
	return f
}

// none is the index of no handle, for the lifecycle's events.
const none = -1

// chainMax bounds the events that one fired event may lead to in its entries. The longest
// chain in the tables is far below it.
const chainMax = 32

// fire takes an event of the handle at i or, with none, of the lifecycle. The row is looked
// up first. If there is one, the answer is consumed, the data written, the state set, and
// the entry of the row's destination run (TAB-2). If there is none, nothing is written, and
// an answer stays awaited until its handle's time is up; the event is counted, and the
// monitor reports it (TAB-3, INV-2). An event that an entry fires is taken once that entry
// has returned. fire reports whether each event had its row.
func (m *Machine) fire(i int, f firing) bool {
	for range chainMax {
		if f.on == "" {
			return true
		}
		p, ok := m.turn(i, f)
		if !ok {
			break
		}
		f = m.enter(p, i, f.resumes)
	}
	m.s.Ignored.Moves++
	return false
}

// turn takes one row. It returns the phase that the row leads to.
func (m *Machine) turn(i int, f firing) (*Phase, bool) {
	r := m.routes[f.on]
	if r == nil || i == none && r.table != m.lifecycle {
		return nil, false
	}
	var h *state.Handle
	state := &m.s.Lifecycle
	if r.table != m.lifecycle {
		h = &m.s.Handles[i]
		state = &h.State
	}
	if r.table == m.inference {
		state = &h.Inf.State
	}
	row := r.from(*state)
	if !row.ok {
		return nil, false
	}
	id, kind := fsm.HandleID(0), fsm.Kind("")
	if h != nil {
		id, kind = h.ID, h.Kind
		m.leave(h, row, f.answered, r.table == m.handle)
	}
	if f.first != nil {
		f.first(h)
	}
	if f.write != nil {
		f.write(h)
	}
	m.move(r, id, kind, f.on, row, state)
	if r.table == m.handle {
		m.keepTime(h, row)
	}
	return row.entered, true
}

// move sets a state as a row says.
func (m *Machine) move(r *route, h fsm.HandleID, kind fsm.Kind, on state.Event, row *answer, at *fsm.State) {
	m.moves = append(m.moves, state.Move{Table: r.table.name, Handle: h, Kind: kind, From: row.from, On: on, To: row.to})
	*at = row.to
}

// leave forgets what was awaited in a phase: its calls, which are answered or given up, and
// the timer of its wait. A handle that leaves its phase also leaves that of its inference.
// A tool that is given up may still have to stop.
func (m *Machine) leave(h *state.Handle, row *answer, answered, whole bool) {
	if !answered {
		m.abortCalls(h)
	}
	if answered || !row.entered.awaits(fsm.CallStop) {
		h.Await = state.Await{}
	}
	if !answered && !row.entered.awaits(fsm.CallStop) {
		h.Inf.ForgetReads()
	}
	if h.Wait != 0 && (whole || row.left.Wait.Purpose != "" && m.handle.phase(h.State).Infers) { // or the wait is the handle's own
		m.clearWait(h)
	}
}

// keepTime starts and stops the handle's clock. If its time ran out in the phase that it
// leaves, the next one has only the time in which an aborted tool has to stop.
func (m *Machine) keepTime(h *state.Handle, row *answer) {
	switch {
	case !row.entered.Clock:
		m.clearTimer(h)
	case h.Timer != 0:
	case row.left.Clock:
		h.Left = 0
		m.arm(h, fsm.TimerAbort, m.s.Config.Limits.AbortTimeout)
	default:
		m.arm(h, fsm.TimerHandle, h.Timeout(m.s.Config.Limits))
	}
}

// enter runs the entry of a phase, and arms the timer of the wait that begins with it.
func (m *Machine) enter(p *Phase, i int, resumes bool) firing {
	work := p.enter
	if resumes && p.resume != nil {
		work = p.resume
	}
	f := firing{}
	if work != nil {
		f = work(m, i)
	}
	if f.on == "" && p.Wait.Purpose != "" {
		h := &m.s.Handles[i]
		if d := p.Wait.For(m, h); d > 0 {
			m.wait(h, p.Wait.Purpose, d)
		}
	}
	return f
}

// infer begins an inference over talk: it enters the table's initial state.
func (m *Machine) infer(i int, purpose fsm.Purpose, talk fsm.Conversation, tools fsm.Toolset) firing {
	m.s.Handles[i].Inf = state.Inference{Begun: state.Begun{State: state.Thinking, Purpose: purpose, Tools: tools, Talk: talk}}
	return m.enter(m.inference.phase(state.Thinking), i, false)
}

// resumeInference goes on with an inference that was parked, or whose process was lost: the
// model is asked again, a tool is started again if it may be, and the outcome of any other
// is unknown (INF-13).
func (m *Machine) resumeInference(i int) firing {
	return m.enter(m.inference.phase(m.s.Handles[i].Inf.State), i, true)
}

// endInference ends an inference. Its result goes to the handle that asked for it.
func endInference(on state.Event, outcome fsm.Outcome, result string) firing {
	return firing{on: on, write: func(h *state.Handle) { h.Inf.Result, h.Inf.Outcome = result, outcome }}
}

// giveUp ends a running inference that is no longer needed (INF-11).
func (m *Machine) giveUp(h *state.Handle) {
	if !h.Inf.Running() {
		return
	}
	r := m.routes[state.OnGiveUp]
	row := r.from(h.Inf.State)
	if !row.ok {
		m.s.Ignored.Moves++ // TAB-3
		return
	}
	m.auditUnended(h)
	m.move(r, h.ID, h.Kind, state.OnGiveUp, row, &h.Inf.State)
}
