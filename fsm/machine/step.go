package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// shipped holds the tables of this build, with the phases of their states.
var shipped = newRunning(state.Lifecycle, state.HandleTable, state.InferenceTable, handlePhases)

func newRunning(lifecycle, handle, inference state.Table, phases []Phase) *running {
	r := &running{
		lifecycle: newExecutor(lifecycle, lifecyclePhases),
		handle:    newExecutor(handle, phases),
		inference: newExecutor(inference, inferencePhases),
	}
	r.routes = routes([]state.Table{lifecycle, handle, inference}, r.lifecycle, r.handle, r.inference)
	return r
}

// TablesChanged makes the machines that come after it run the tables as they are now. Only
// the command that tests the tests changes a table, to see which of them notices.
func TablesChanged() {
	shipped = newRunning(state.Lifecycle, state.HandleTable, state.InferenceTable, handlePhases)
}

// New returns a machine that is down; its first input should be a [fsm.Boot].
func New() *Machine { return Restore(state.Snapshot{Lifecycle: state.Down}) }

// Restore returns a machine in the state of s, as [Machine.Snapshot] gave it.
func Restore(s state.Snapshot) *Machine {
	return &Machine{s: s.Clone(), running: shipped}
}

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
// unsafe tool, which cannot be obtained again.
func (m *Machine) Barrier(in fsm.Input, effects []fsm.Effect) bool {
	return m.unsafe || fsm.Barrier(in, effects)
}

func (m *Machine) apply(in fsm.Input) {
	if !fsm.Known(in.Fact) {
		m.s.Ignored.Unknown++
		return
	}
	if _, boots := in.Fact.(fsm.Boot); !boots { // a boot first deals with the epoch before, at its time
		m.s.Now = in.At
	}
	handlers.Do(m, in.Fact)
	m.s.Now = in.At
}

// handlers has what the machine does with each kind of fact.
var handlers = fsm.NewFactTable(
	tells((*Machine).boot),
	tells((*Machine).reconfigured),
	tells((*Machine).requested),
	tells((*Machine).raised),
	tells((*Machine).cancelRequested),
	tells((*Machine).decision),
	tells((*Machine).resolution),
	tells((*Machine).revoked),
	tells((*Machine).due),
	tells((*Machine).scheduleChanged),
	tells((*Machine).typing),
	tells(func(m *Machine, in fsm.TimerFired) { m.timerFired(in.Timer) }),
	tells(func(m *Machine, _ fsm.Signalled) { m.signal() }),
	tells((*Machine).tool),
	tells((*Machine).progressed),
	tells((*Machine).heard),
	settles(fsm.CallBrain, (*Machine).brainFailed),
	settles(fsm.CallStop, func(m *Machine, h *state.Handle, in fsm.ToolStopped) firing { return m.toolStopped(h, in.Call) }),
	settles(fsm.CallRecall, (*Machine).recalled),
	settles(fsm.CallEmbed, (*Machine).embedded),
	settles(fsm.CallStore, (*Machine).stored),
	settles(fsm.CallLoad, (*Machine).loaded),
	settles(fsm.CallSave, (*Machine).saved),
	settles(fsm.CallSkill, (*Machine).skillLoaded),
	settles(fsm.CallText, (*Machine).textRead),
	settles(fsm.CallProbe, (*Machine).probed),
)

type nothing = struct{}

// tells returns the row of a fact that answers no call, or whose handler finds the call
// itself.
func tells[F fsm.Fact](do func(*Machine, F)) fsm.FactRow[*Machine, nothing] {
	return fsm.OnFact(func(m *Machine, f F) nothing {
		do(m, f)
		return nothing{}
	})
}

// settles returns the row of the answer to a kind of call.
func settles[A fsm.Answer](kind fsm.CallKind, do func(*Machine, *state.Handle, A) firing) fsm.FactRow[*Machine, nothing] {
	return fsm.OnFact(func(m *Machine, in A) nothing {
		if i := m.awaited(in.CallOf(), kind); i >= 0 {
			m.settle(i, do(m, &m.s.Handles[i], in))
		}
		return nothing{}
	})
}

// heard takes the model's answer. Handles that wait until the model is in reach go on.
func (m *Machine) heard(in fsm.BrainAnswered) {
	if i := m.awaited(in.Call, fsm.CallBrain); i >= 0 {
		m.settle(i, m.answered(&m.s.Handles[i], in))
		m.reached()
	}
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
		m.settle(i, m.toolStopped(&m.s.Handles[i], in.Call))
		return
	}
	if i := m.awaited(in.Call, fsm.CallTool); i >= 0 {
		m.settle(i, m.toolAnswered(&m.s.Handles[i], in))
	}
}
