package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// Machine is shelly's loop. Its zero value is not ready; use [New] or [Restore].
type Machine struct {
	s state.Snapshot
	*running
	code    fsm.ExitCode // what the driver exits with when the epoch ends
	effects []fsm.Effect
	moves   []state.Move
	unsafe  bool // the last Step took the answer of an unsafe tool
}

// Snapshot returns a copy of the whole state.
func (m *Machine) Snapshot() state.Snapshot { return m.s.Clone() }

// Clone returns a machine in the same state.
func (m *Machine) Clone() *Machine {
	c := &Machine{}
	m.CopyTo(c)
	return c
}

// CopyTo makes to a copy of m, as Clone does, but reuses to's memory. Everything that to
// returned before is no longer valid.
func (m *Machine) CopyTo(to *Machine) {
	m.s.CopyTo(&to.s)
	to.running, to.code, to.unsafe = m.running, m.code, m.unsafe
	to.effects, to.moves = nil, to.moves[:0]
}

// View returns the state to read. It is the machine's own: it must not be
// changed and is valid until the next Step.
func (m *Machine) View() *state.Snapshot { return &m.s }

// Moves returns the transitions that the last Step took, in order. The slice is
// valid until the next Step.
func (m *Machine) Moves() []state.Move { return m.moves }

// find returns the index of the handle that awaits call as kind, or -1.
func (m *Machine) find(call fsm.CallID, kind fsm.CallKind) int {
	for i := range m.s.Handles {
		if m.s.Handles[i].Awaits(call) == kind {
			return i
		}
	}
	return -1
}

// awaited is find for an answer. It counts one that is not awaited (JRN-7).
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

// abortCalls aborts what is in flight. An aborted tool is still awaited, as a stop.
func (m *Machine) abortCalls(h *state.Handle) {
	for k := range h.Inf.Batch { // INF-48
		if call := h.Inf.Batch[k].Call; call != 0 && h.State != state.Stopping {
			m.emit(fsm.AbortCall{Call: call})
		}
	}
	if h.Await.Call == 0 {
		return
	}
	if h.Await.Kind != fsm.CallStop {
		m.emit(fsm.AbortCall{Call: h.Await.Call})
	}
	if h.Await.Kind == fsm.CallTool {
		h.Await.Kind = fsm.CallStop
	}
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

// lateMax is how late an input may come after a deadline whose timer has not fired yet.
// If one is later, the clock has jumped.
const lateMax = 60 * fsm.Second

// spend deducts the time that has passed from a handle's time, of which at least a
// millisecond remains (HND-27), and forgets the timer. Inputs have the time of the wall
// clock, which may jump; timers do not, so a jump over the deadline deducts nothing.
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

// record audits the call of the answer at n; a says how it went (TOL-9).
func (m *Machine) record(h *state.Handle, n int, a fsm.Audit) {
	c := h.Inf.Calls[n]
	a.Handle, a.Session, a.Tool, a.Args, a.Message = h.ID, h.Session, c.Name, c.Args, h.Input
	a.From = fsm.Caller{Kind: h.Kind, Request: h.Request, Origin: h.Origin, Parent: h.Parent}
	a.Unknown = a.Result == m.word(fsm.WordUnknownOutcome)
	m.emit(a)
}

// auditReads audits the calls of the batch that have been answered (INF-45).
func (m *Machine) auditReads(h *state.Handle) {
	m.admitReads(h)
	for k := range h.Inf.Batch {
		if r := &h.Inf.Batch[k]; r.Done {
			m.record(h, h.Inf.Next+k, m.auditOfRead(h, k))
		}
	}
}

// auditOfRead returns how the call at k of the batch went, so far.
func (m *Machine) auditOfRead(h *state.Handle, k int) fsm.Audit {
	r := &h.Inf.Batch[k]
	a := fsm.Audit{Key: h.KeyOf(h.Inf.Calls[h.Inf.Next+k], r.Use), Result: r.Text, Failed: r.Failed, Attempts: r.Attempt, Duration: r.Took, Contained: r.Contained}
	if !r.Done {
		a.Failed, a.Duration = true, max(m.s.Now-r.Began, 0)
	}
	return a
}

// auditUnended audits the calls of the answer whose inference is given up, in the order asked
// (TOL-9). The first editions left out those without an answer.
func (m *Machine) auditUnended(h *state.Handle) {
	if m.s.Config.Edition < fsm.FourthEdition {
		m.auditReads(h)
		return
	}
	m.admitReads(h)
	for n := h.Inf.Next; n < len(h.Inf.Calls); n++ {
		a := fsm.Audit{Failed: true}
		switch k := n - h.Inf.Next; {
		case k < len(h.Inf.Batch) && !h.Inf.Batch[k].Shares():
			a = m.auditOfRead(h, k)
		case k == 0 && h.Inf.Attempt > 0:
			a = m.auditOf(h, "", true)
		}
		a.Result = turn.Unended(&m.s.Config, h, n)
		if a.Ran() || m.s.Config.AuditAll {
			m.record(h, n, a)
		}
	}
}

// remove takes the handle at i out of the state, keeping the order.
func (m *Machine) remove(i int) { m.s.Handles = slices.Delete(m.s.Handles, i, i+1) }

// next returns an id that was never used (JRN-8).
func (m *Machine) next() uint64 {
	m.s.LastID++
	return m.s.LastID
}

// word returns a text of the running epoch.
func (m *Machine) word(w fsm.Word, args ...string) string { return m.s.Config.Words.Text(w, args...) }
