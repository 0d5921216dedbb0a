package fsm

import (
	"slices"
	"strconv"
)

// Machine is shelly's loop. Its zero value is not ready; use [New] or [Restore].
type Machine struct {
	s         Snapshot
	lifecycle executor
	handle    executor
	inference executor
	effects   []Effect
	moves     []Move
}

// New returns a machine that is down; its first input should be a [Boot].
func New() *Machine { return Restore(Snapshot{Lifecycle: Down}) }

// Restore returns a machine in the state of s, as [Machine.Snapshot] gave it.
func Restore(s Snapshot) *Machine {
	return &Machine{
		s:         s.clone(),
		lifecycle: newExecutor(Lifecycle),
		handle:    newExecutor(HandleTable),
		inference: newExecutor(InferenceTable),
	}
}

// Snapshot returns a copy of the whole state.
func (m *Machine) Snapshot() Snapshot { return m.s.clone() }

// Clone returns a machine in the same state. It shares the table executors, so
// a machine and its clones belong to one goroutine.
func (m *Machine) Clone() *Machine {
	c := *m
	c.s = m.s.clone()
	c.effects, c.moves = nil, nil
	return &c
}

// View returns the state to read. It is the machine's own: it must not be
// changed and is valid until the next Step.
func (m *Machine) View() *Snapshot { return &m.s }

// Moves returns the transitions that the last Step took, in order. The slice is
// valid until the next Step.
func (m *Machine) Moves() []Move { return m.moves }

// Step applies one input and returns the effects the world must now perform, in
// order. It is total (any input in any state is answered, never a panic) and
// deterministic (JRN-1).
func (m *Machine) Step(in Input) []Effect {
	m.effects, m.moves = nil, m.moves[:0]
	m.apply(in)
	m.schedule()
	return m.effects
}

func (m *Machine) apply(in Input) {
	if boot, ok := in.(Boot); ok {
		m.boot(boot)
		m.s.Now = boot.At
		return
	}
	switch in.(type) {
	case Requested, EventRaised, TimerFired, Signalled, BrainAnswered, BrainFailed,
		ToolAnswered, ToolStopped, Recalled, Embedded, Stored:
		m.s.Now = in.Time()
	default: // nil, or a pointer to an input
		m.s.Ignored.Unknown++
		return
	}
	switch in := in.(type) {
	case Requested:
		m.requested(in)
	case EventRaised:
		m.admit(Handle{Kind: KindEvent, Session: "event:" + in.Source, Input: in.prompt()})
	case TimerFired:
		m.timerFired(in.Timer)
	case Signalled:
		m.signal()
	case BrainAnswered:
		if i := m.take(in.Call, CallBrain); i >= 0 {
			m.answered(i, in)
		}
	case BrainFailed:
		if i := m.take(in.Call, CallBrain); i >= 0 {
			m.brainFailed(i, in)
		}
	case ToolAnswered:
		m.tool(in)
	case ToolStopped:
		if i := m.take(in.Call, CallStop); i >= 0 {
			m.toolStopped(i)
		}
	case Recalled:
		if i := m.take(in.Call, CallRecall); i >= 0 {
			m.recalled(i, in)
		}
	case Embedded:
		if i := m.take(in.Call, CallEmbed); i >= 0 {
			m.embedded(&m.s.Handles[i], in)
		}
	case Stored:
		if i := m.take(in.Call, CallStore); i >= 0 {
			m.stored(i, in)
		}
	}
}

// requested admits a request unless it is already here (HND-26).
func (m *Machine) requested(in Requested) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == KindUser && h.Request == in.Request {
			m.s.Ignored.Duplicates++
			return
		}
	}
	m.admit(Handle{Kind: KindUser, Request: in.Request, Session: in.Session, Input: in.Text})
}

// admit takes a handle in (HND-1). Outside initializing and serving it is kept
// for the next boot; over max_queue it is refused (HND-25).
func (m *Machine) admit(h Handle) {
	m.s.LastHandle++
	h.ID = m.s.LastHandle
	h.State = Queued
	kept := h.Kind == KindUser || h.Kind == KindEvent
	if kept && m.Waiting() >= m.s.Config.Limits.MaxQueue {
		m.s.Ignored.Refused++
		m.refuse(&h, "busy: "+strconv.Itoa(m.Waiting())+" wait already (max_queue)")
		return
	}
	m.s.Handles = append(m.s.Handles, h)
	if kept && m.s.Lifecycle != Initializing && m.s.Lifecycle != Serving {
		m.deferHandle(&m.s.Handles[len(m.s.Handles)-1])
	}
}

// Waiting returns how many handles hold a place in the queue: those not yet
// started, and those parked.
func (m *Machine) Waiting() int {
	n := 0
	for i := range m.s.Handles {
		if m.s.Handles[i].waiting() {
			n++
		}
	}
	return n
}

// Active reports whether a handle holds the slot.
func (m *Machine) Active() bool { return m.active() >= 0 }

// schedule starts the oldest eligible handle whenever the slot is free, in the
// very step that freed it (HND-2), and leaves draining once nothing is active.
func (m *Machine) schedule() {
	if m.active() >= 0 {
		return
	}
	if m.s.Lifecycle == Draining {
		m.drained()
	}
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.State == Queued && h.eligible(m.s.Lifecycle) {
			m.start(i)
			return
		}
	}
}

// eligible reports whether the lifecycle lets a handle of this kind start.
func (h *Handle) eligible(lifecycle State) bool {
	switch h.Kind {
	case KindInit:
		return lifecycle == Initializing
	case KindFarewell:
		return lifecycle == Farewell
	default:
		return lifecycle == Serving
	}
}

// active returns the index of the handle that holds the slot, or -1.
func (m *Machine) active() int {
	for i := range m.s.Handles {
		if !m.s.Handles[i].waiting() {
			return i
		}
	}
	return -1
}

// timerFired routes a timer; one that is not armed is ignored.
func (m *Machine) timerFired(id TimerID) {
	if id == 0 {
		m.s.Ignored.Timers++
		return
	}
	if id == m.s.GraceTimer {
		m.graceOver()
		return
	}
	for i := range m.s.Handles {
		if m.s.Handles[i].Timer == id {
			m.timeUp(i)
			return
		}
	}
	m.s.Ignored.Timers++
}

// tool takes a tool's answer. An aborted tool that answers has also stopped
// (TOL-7).
func (m *Machine) tool(in ToolAnswered) {
	if i := m.find(in.Call, CallStop); i >= 0 {
		m.toolStopped(i)
		return
	}
	if i := m.take(in.Call, CallTool); i >= 0 {
		m.toolAnswered(i, in)
	}
}

func (m *Machine) toolStopped(i int) {
	h := &m.s.Handles[i]
	h.Await = Await{}
	m.clearTimer(h)
	if canary == canaryReplyTwice {
		m.refuse(h, "stopped")
	}
	m.move(h, OnStopped)
	m.ended(i, ExitClean)
}

// find returns the index of the handle that awaits call as kind, or -1.
func (m *Machine) find(call CallID, kind CallKind) int {
	for i := range m.s.Handles {
		if a := m.s.Handles[i].Await; a.Call == call && a.Kind == kind {
			return i
		}
	}
	return -1
}

// take is find for an answer: the handle found awaits nothing any more, and an
// answer that nobody awaits is counted (JRN-7).
func (m *Machine) take(call CallID, kind CallKind) int {
	i := m.find(call, kind)
	if i < 0 {
		m.s.Ignored.Answers++
		return -1
	}
	m.s.Handles[i].Await = Await{}
	return i
}

// await gives h a new call to wait for.
func (m *Machine) await(h *Handle, kind CallKind) CallID {
	h.Await = Await{Call: CallID(m.next()), Kind: kind}
	return h.Await.Call
}

// abortCall gives up the call in flight, and the inference it belongs to. An
// aborted tool is still awaited, as a stop.
func (m *Machine) abortCall(h *Handle) {
	if h.Await.Call == 0 {
		return
	}
	if h.Await.Kind != CallStop {
		m.emit(AbortCall{Call: h.Await.Call})
	}
	if h.Await.Kind == CallTool {
		h.Await.Kind = CallStop
		return
	}
	h.Await = Await{}
}

// arm sets h's timer to what is left of d.
func (m *Machine) arm(h *Handle, purpose TimerPurpose, d Millis) {
	if purpose == TimerAbort || h.Left == 0 {
		h.Left = d
	}
	h.Armed = m.s.Now
	h.Timer = TimerID(m.next())
	m.emit(SetTimer{Timer: h.Timer, Handle: h.ID, Purpose: purpose, After: h.Left})
}

func (m *Machine) clearTimer(h *Handle) {
	if h.Timer != 0 {
		m.emit(ClearTimer{Timer: h.Timer})
		h.Timer = 0
	}
}

// move fires a handle event.
func (m *Machine) move(h *Handle, on Event) {
	to, ok := m.handle.fire(h.State, on)
	if !ok {
		m.s.Ignored.Moves++
		return
	}
	m.moves = append(m.moves, Move{Table: HandleTable.Name, Handle: h.ID, From: h.State, On: on, To: to})
	h.State = to
}

// moveInference fires an inference event.
func (m *Machine) moveInference(h *Handle, on Event) {
	to, ok := m.inference.fire(h.Inf.State, on)
	if !ok {
		m.s.Ignored.Moves++
		return
	}
	m.moves = append(m.moves, Move{Table: InferenceTable.Name, Handle: h.ID, From: h.Inf.State, On: on, To: to})
	h.Inf.State = to
}

func (m *Machine) emit(e Effect) { m.effects = append(m.effects, e) }

// remove takes the handle at i out of the state, keeping the order.
func (m *Machine) remove(i int) { m.s.Handles = slices.Delete(m.s.Handles, i, i+1) }

// next returns an id that was never used (JRN-8).
func (m *Machine) next() uint64 {
	m.s.LastID++
	return m.s.LastID
}

// entry is the id of the memory entry that a handle writes.
func (id HandleID) entry() string { return "h" + strconv.FormatUint(uint64(id), 10) }

// prompt describes an event in words (HND-17).
func (in EventRaised) prompt() string {
	text := "System event from " + in.Source + ": " + in.Event
	if in.Subject != "" {
		text += " (" + in.Subject + ")"
	}
	text += "."
	if in.Detail != "" {
		text += " " + in.Detail
	}
	return text
}

// String is the duration as the limits are written: in seconds where it is whole.
func (d Millis) String() string {
	if d%Second == 0 {
		return strconv.FormatInt(int64(d/Second), 10) + "s"
	}
	return strconv.FormatInt(int64(d), 10) + "ms"
}
