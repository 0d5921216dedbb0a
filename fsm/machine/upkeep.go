package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// upkeepFailed reports that a call about a conversation came to nothing (CTX-14). What
// stands in its place was chosen already; nobody would see it otherwise.
func (m *Machine) upkeepFailed(h *state.Handle, w fsm.Word) {
	if !m.s.Config.Fits() {
		return
	}
	text := m.word(w, "reason", m.noUse(h))
	m.s.Upkeep = state.Upkeep{Failed: m.s.Upkeep.Failed + 1, Last: text, At: m.s.Now}
	m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: text})
}

// upkeepDone notes that one was of use.
func (m *Machine) upkeepDone() {
	if m.s.Upkeep.Failed > 0 {
		m.s.Upkeep = state.Upkeep{}
	}
}

// noUse says why the last inference is of no use.
func (m *Machine) noUse(h *state.Handle) string {
	switch {
	case h.Inf.State == state.Completed:
		return m.word(fsm.WordUpkeepUseless)
	case h.Inf.Result != "":
		return h.Inf.Result
	default:
		return m.word(fsm.WordUpkeepLate)
	}
}
