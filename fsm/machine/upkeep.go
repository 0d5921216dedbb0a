package machine

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/state"
)

// upkeepFailed reports that a call about a conversation came to nothing (CTX-14). A
// substitute has been chosen already, so without the report nobody would notice. why is for
// people.
func (m *Machine) upkeepFailed(h *state.Handle, w fsm.Word, why string) {
	if !m.s.Config.Fits() {
		return
	}
	text := m.word(w, "reason", why)
	m.s.Upkeep = state.Upkeep{Failed: m.s.Upkeep.Failed + 1, Last: text, At: m.s.Now}
	m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: text})
}

// upkeepDone notes that such a call was useful.
func (m *Machine) upkeepDone() {
	m.s.Upkeep = state.Upkeep{}
}

// noUse returns why the last inference is useless.
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

// note adds an entry for HISTORY.md.
func (m *Machine) note(h *state.Handle, entry string) {
	h.Notes = append(h.Notes[:len(h.Notes):len(h.Notes)], entry)
}

// shed keeps what could not be consolidated within bounds: all messages beyond max_history
// and max_pending together, and pending ones beyond max_pending, go to HISTORY.md as they
// are, oldest first (SES-11, SES-14).
func (m *Machine) shed(h *state.Handle) {
	l := &m.s.Config.Limits
	pending, history := h.Sess.Pending, h.Sess.History
	over := max(len(pending)+len(history)-l.MaxHistory-l.MaxPending, len(pending)-l.MaxPending)
	if over <= 0 {
		return
	}
	var b strings.Builder
	n := fsm.Whole(pending, over)
	fit.Transcript(m.s.Config.Words, &b, pending[:n])
	h.Sess.Pending = append([]fsm.Message(nil), pending[n:]...)
	if rest := over - n; rest > 0 {
		cut := fsm.Whole(history, rest)
		fit.Transcript(m.s.Config.Words, &b, history[:cut])
		h.Sess.History = m.s.Config.Words.Mend(history[cut:])
	}
	m.note(h, m.stamped(m.word(fsm.WordNotConsolidated, "conversation", b.String())))
}

// stamped puts a timestamp before an entry that has none of its own.
func (m *Machine) stamped(entry string) string {
	entry = strings.TrimSpace(entry)
	if hasStamp(entry) {
		return entry
	}
	return m.word(fsm.WordStamped, "date", m.localDate(), "entry", entry)
}

// localDate returns the present time as the person's clocks show it (HND-48).
func (m *Machine) localDate() string {
	if len(m.s.Config.Zones) == 0 {
		return m.s.Now.Date()
	}
	return m.s.Config.Zones[0].Local(m.s.Now).Date()
}

// hasStamp reports whether a text begins with a date such as [YYYY-MM-DD, the form that the
// model is asked for.
func hasStamp(text string) bool {
	const form = "[0000-00-00"
	if len(text) < len(form) {
		return false
	}
	for i := range len(form) {
		digit := text[i] >= '0' && text[i] <= '9'
		if form[i] == '0' && !digit || form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	return true
}
