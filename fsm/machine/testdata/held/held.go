// Package held holds pointers into the handles in each way that the test must find, in the
// functions whose names begin with "wrong" and in no others.
package held

import "shelly/fsm/state"

type machine struct{ s state.Snapshot }

type keeper struct{ h *state.Handle }

func (m *machine) add() { m.s.Handles = append(m.s.Handles, state.Handle{}) }

func (m *machine) remove() { clear(&m.s.Handles) }

func clear(handles *[]state.Handle) { *handles = nil }

func (m *machine) indirectly(do func(*machine)) { do(m) }

func (m *machine) wrongLocal() {
	h := &m.s.Handles[0]
	m.add()
	h.Uses++
}

func (m *machine) wrongParameter(h *state.Handle) {
	m.remove()
	h.Uses++
}

func (m *machine) wrongField(inf *state.Inference) {
	h := &m.s.Handles[0]
	uses := &h.Uses
	m.add()
	*uses++
	inf.Next++
}

func (m *machine) wrongLoop() {
	h := &m.s.Handles[0]
	for range 2 {
		h.Uses++
		m.indirectly((*machine).add)
	}
}

func (m *machine) wrongSlice() (uses int) {
	for _, h := range m.s.Handles {
		m.add()
		uses += h.Uses
	}
	return uses
}

func (m *machine) wrongBranch(h *state.Handle) {
	if h.Stop {
		m.add()
	}
	h.Uses++
}

func (m *machine) wrongClosure(h *state.Handle) func() { return func() { h.Uses++ } }

func (m *machine) wrongStore(k *keeper) { k.h = &m.s.Handles[0] }

func (m *machine) rightAgain() {
	h := &m.s.Handles[0]
	h.Uses++
	m.add()
	h = &m.s.Handles[0]
	h.Uses++
}

func (m *machine) rightReturn(h *state.Handle) {
	if h.Stop {
		m.add()
		return
	}
	h.Uses++
}

func (m *machine) rightCopy() {
	h := m.s.Handles[0]
	m.add()
	h.Uses++
}

func (m *machine) rightLoop() {
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		h.Uses++
		m.add()
	}
}

func (m *machine) rightBranch() {
	h := &m.s.Handles[0]
	if h.Stop {
		m.add()
		h = &m.s.Handles[0]
	}
	h.Uses++
}
