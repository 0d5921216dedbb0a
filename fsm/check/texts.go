package check

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// checkText checks that a handle reads on only in results that it keeps, which are its
// session's or its own (TXT-4, INV-7).
func (w *Monitor) checkText(m *machine.Machine, f *followed, e *fsm.ReadText) {
	handles := m.View().Handles
	i := slices.IndexFunc(handles, func(h state.Handle) bool { return h.ID == f.id })
	if i < 0 {
		return
	}
	h := &handles[i]
	owner := fsm.HandleOwner(h.ID)
	if h.Loaded {
		owner = fsm.SessionOwner(h.Session)
	}
	if e.Owner != owner {
		w.violate("INV-7", "handle %d reads a text of %s, not of %s", f.id, e.Owner, owner)
	}
	if !slices.ContainsFunc(h.Sess.Texts, func(t fsm.KeptText) bool { return t.Ref == e.Ref && e.From < t.Bytes }) {
		w.violate("INV-3", "handle %d reads a text that it does not keep", f.id)
	}
}
