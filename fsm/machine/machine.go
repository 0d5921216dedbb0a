package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Machine is shelly's loop. Its zero value is not ready; use [New] or [Restore].
type Machine struct {
	s         state.Snapshot
	lifecycle *executor
	handle    *executor
	inference *executor
	routes    map[state.Event]*route
	code      fsm.ExitCode // what the driver is told when the epoch ends
	effects   []fsm.Effect
	moves     []state.Move
	unsafe    bool // the last Step took the answer of an unsafe tool
}

// New returns a machine that is down; its first input should be a [fsm.Boot].
func New() *Machine { return Restore(state.Snapshot{Lifecycle: state.Down}) }

// Restore returns a machine in the state of s, as [Machine.Snapshot] gave it.
func Restore(s state.Snapshot) *Machine {
	m := &Machine{
		s:         s.Clone(),
		lifecycle: newExecutor(state.Lifecycle, lifecyclePhases),
		handle:    newExecutor(state.HandleTable, handlePhases),
		inference: newExecutor(state.InferenceTable, inferencePhases),
	}
	m.routes = routes(state.Tables(), m.lifecycle, m.handle, m.inference)
	return m
}

// Snapshot returns a copy of the whole state.
func (m *Machine) Snapshot() state.Snapshot { return m.s.Clone() }

// Clone returns a machine in the same state. It shares the table executors, so
// a machine and its clones belong to one goroutine.
func (m *Machine) Clone() *Machine {
	c := *m
	c.s = m.s.Clone()
	c.effects, c.moves = nil, nil
	return &c
}

// CopyTo makes to a machine in the same state, as Clone does, in the memory that to
// has. What was got from to before is not valid any more.
func (m *Machine) CopyTo(to *Machine) {
	handles, schedules, moves := to.s.Handles[:0], to.s.Schedules[:0], to.moves[:0]
	*to = *m
	to.s = m.s.CopiedInto(handles, schedules)
	to.effects, to.moves = nil, moves
}

// View returns the state to read. It is the machine's own: it must not be
// changed and is valid until the next Step.
func (m *Machine) View() *state.Snapshot { return &m.s }

// Moves returns the transitions that the last Step took, in order. The slice is
// valid until the next Step.
func (m *Machine) Moves() []state.Move { return m.moves }

// Step applies one input and returns the effects the world must now perform, in
// order. It is total (any input in any state is answered, never a panic) and
// deterministic (JRN-1).
func (m *Machine) Step(in fsm.Input) []fsm.Effect {
	m.effects, m.moves, m.unsafe = nil, m.moves[:0], false
	m.apply(in)
	m.giveWay()
	m.schedule()
	return m.effects
}

// Barrier reports whether the last step, of an input with these effects, is a barrier
// (JRN-4): because of what the world can see of it, or because it took the answer of an
// unsafe tool, which cannot be had again.
func (m *Machine) Barrier(in fsm.Input, effects []fsm.Effect) bool {
	return m.unsafe || fsm.Barrier(in, effects)
}

func (m *Machine) apply(in fsm.Input) {
	if !fsm.Known(in.Fact) {
		m.s.Ignored.Unknown++
		return
	}
	if _, boots := in.Fact.(fsm.Boot); !boots { // which still counts by the time of the process before
		m.s.Now = in.At
	}
	handlers.Do(m, in.Fact)
	m.s.Now = in.At
}

// handlers is what the machine does with each kind of fact.
var handlers = fsm.NewFactTable(
	tells((*Machine).boot),
	tells(func(m *Machine, in fsm.Configured) { m.s.Config = in.Config.Bounded() }),
	tells((*Machine).requested),
	tells((*Machine).raised),
	tells(func(m *Machine, in fsm.CancelRequested) { m.cancelRequested(in.Request) }),
	tells((*Machine).decision),
	tells((*Machine).resolution),
	tells((*Machine).due),
	tells(func(m *Machine, in fsm.TimerFired) { m.timerFired(in.Timer) }),
	tells(func(m *Machine, _ fsm.Signalled) { m.signal() }),
	tells((*Machine).tool),
	tells((*Machine).progressed),
	settles(fsm.CallBrain, (*Machine).answered),
	settles(fsm.CallBrain, (*Machine).brainFailed),
	settles(fsm.CallStop, func(m *Machine, h *state.Handle, _ fsm.ToolStopped) firing { return m.toolStopped(h) }),
	settles(fsm.CallRecall, (*Machine).recalled),
	settles(fsm.CallEmbed, (*Machine).embedded),
	settles(fsm.CallStore, (*Machine).stored),
	settles(fsm.CallLoad, (*Machine).loaded),
	settles(fsm.CallSave, (*Machine).saved),
	settles(fsm.CallSkill, (*Machine).skillLoaded),
)

type nothing = struct{}

// tells is the row of a fact that answers no call, or that knows itself whose it is.
func tells[F fsm.Fact](do func(*Machine, F)) fsm.FactRow[*Machine, nothing] {
	return fsm.OnFact(func(m *Machine, f F) nothing {
		do(m, f)
		return nothing{}
	})
}

// settles is the row of the answer to a kind of call.
func settles[A fsm.Answer](kind fsm.CallKind, do func(*Machine, *state.Handle, A) firing) fsm.FactRow[*Machine, nothing] {
	return fsm.OnFact(func(m *Machine, in A) nothing {
		if i := m.awaited(in.CallOf(), kind); i >= 0 {
			m.settle(i, do(m, &m.s.Handles[i], in))
		}
		return nothing{}
	})
}

// settle fires what the answer to the call of the handle at i leads to.
func (m *Machine) settle(i int, f firing) {
	f.answered = true
	m.fire(i, f)
}

// timerFired routes a timer; one that is not armed is ignored.
func (m *Machine) timerFired(id fsm.TimerID) {
	if id == 0 {
		m.s.Ignored.Timers++
		return
	}
	if id == m.s.GraceTimer {
		m.graceOver()
		return
	}
	for i := range m.s.Handles {
		switch id {
		case m.s.Handles[i].Timer:
			m.s.Handles[i].Timer = 0
			m.fire(i, m.timeUp(&m.s.Handles[i]))
			return
		case m.s.Handles[i].Wait:
			m.s.Handles[i].Wait = 0
			m.fire(i, m.waitOver(&m.s.Handles[i]))
			return
		}
	}
	m.s.Ignored.Timers++
}

// tool takes a tool's answer. An aborted tool that answers has also stopped
// (TOL-7).
func (m *Machine) tool(in fsm.ToolAnswered) {
	if i := m.find(in.Call, fsm.CallStop); i >= 0 {
		m.settle(i, m.toolStopped(&m.s.Handles[i]))
		return
	}
	if i := m.awaited(in.Call, fsm.CallTool); i >= 0 {
		m.settle(i, m.toolAnswered(&m.s.Handles[i], in))
	}
}

// find returns the index of the handle that awaits call as kind, or -1.
func (m *Machine) find(call fsm.CallID, kind fsm.CallKind) int {
	for i := range m.s.Handles {
		if a := m.s.Handles[i].Await; a.Kind == kind && a.Call == call {
			return i
		}
	}
	return -1
}

// awaited is find for an answer: one that nobody awaits is counted (JRN-7).
func (m *Machine) awaited(call fsm.CallID, kind fsm.CallKind) int {
	i := m.find(call, kind)
	if i < 0 {
		m.s.Ignored.Answers++
	}
	return i
}

// await gives h a new call to wait for.
func (m *Machine) await(h *state.Handle, kind fsm.CallKind) fsm.CallID {
	h.Await = state.Await{Call: fsm.CallID(m.next()), Kind: kind}
	return h.Await.Call
}

// abortCall gives up the call in flight, and the inference it belongs to. An
// aborted tool is still awaited, as a stop.
func (m *Machine) abortCall(h *state.Handle) {
	if h.Await.Call == 0 {
		return
	}
	if h.Await.Kind != fsm.CallStop {
		m.emit(fsm.AbortCall{Call: h.Await.Call})
	}
	if h.Await.Kind == fsm.CallTool {
		h.Await.Kind = fsm.CallStop
		return
	}
	h.Await = state.Await{}
}

// arm sets h's timer to what is left of d.
func (m *Machine) arm(h *state.Handle, purpose fsm.TimerPurpose, d fsm.Millis) {
	if h.Left == 0 {
		h.Left = d
	}
	h.Armed = m.s.Now
	h.Timer = fsm.TimerID(m.next())
	m.emit(fsm.SetTimer{Timer: h.Timer, Handle: h.ID, Purpose: purpose, After: h.Left})
}

// clearTimer stops h's clock and keeps what is left.
func (m *Machine) clearTimer(h *state.Handle) {
	if h.Timer != 0 {
		m.emit(fsm.ClearTimer{Timer: h.Timer})
		m.spend(h)
	}
}

// lateMax is how far an input may be behind a deadline whose timer has not fired yet.
// One that is later tells that the clock has jumped.
const lateMax = 60 * fsm.Second

// spend takes what has passed off a handle's time, of which at least a
// millisecond remains (HND-27), and forgets the timer. Times are those of the wall
// clock, which may jump, and timers do not: a jump over the deadline takes nothing.
func (m *Machine) spend(h *state.Handle) {
	if h.Timer == 0 {
		return
	}
	h.Timer = 0
	passed := max(m.s.Now-h.Armed, 0)
	if passed > h.Left+lateMax {
		return
	}
	h.Left = max(h.Left-passed, 1)
}

// wait arms the timer of a wait inside a phase.
func (m *Machine) wait(h *state.Handle, purpose fsm.TimerPurpose, d fsm.Millis) {
	h.Wait = fsm.TimerID(m.next())
	m.emit(fsm.SetTimer{Timer: h.Wait, Handle: h.ID, Purpose: purpose, After: d})
}

func (m *Machine) clearWait(h *state.Handle) {
	if h.Wait != 0 {
		m.emit(fsm.ClearTimer{Timer: h.Wait})
		h.Wait = 0
	}
}

func (m *Machine) emit(e fsm.Effect) {
	if m.effects == nil {
		m.effects = make([]fsm.Effect, 0, 4) // most steps have fewer
	}
	m.effects = append(m.effects, e)
}

// remove takes the handle at i out of the state, keeping the order.
func (m *Machine) remove(i int) { m.s.Handles = slices.Delete(m.s.Handles, i, i+1) }

// next returns an id that was never used (JRN-8).
func (m *Machine) next() uint64 {
	m.s.LastID++
	return m.s.LastID
}

// word is a text of the running epoch.
func (m *Machine) word(w fsm.Word, args ...string) string { return m.s.Config.Words.Text(w, args...) }
