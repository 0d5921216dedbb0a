package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// unknown deals with the call at Next, whose outcome is unknown: its tool is asked, once per
// boot (INF-52), then a person (APR-5); or else the model learns that the outcome is unknown
// (INF-13). It returns true if the call has its result.
func (m *Machine) unknown(h *state.Handle) (firing, bool) {
	decl, ok := m.declared(h, h.Inf.Calls[h.Inf.Next].Name)
	switch {
	case ok && decl.Probe && !h.Inf.Probed:
		return firing{on: state.OnUnknown}, false
	case m.s.Config.Switches.HoldUnknown && h.MayWait(m.s.Config.Switches.Unattended) && !m.mustEnd(h):
		return m.hold(), false
	default:
		m.ranWith(h, m.word(fsm.WordUnknownOutcome), true)
		return firing{}, true
	}
}

// mustEnd reports whether a handle is cancelled, and ends once its call has its result
// (HND-32): the call is not started again, and nobody is asked about it.
func (m *Machine) mustEnd(h *state.Handle) bool {
	return h.Stop && m.s.Config.Edition >= fsm.SecondEdition
}

// probe asks the tool of the call at Next what became of it (INF-52).
func (m *Machine) probe(i int) firing {
	h := &m.s.Handles[i]
	c := h.Inf.Calls[h.Inf.Next]
	decl, ok := m.declared(h, c.Name)
	if !ok || !decl.Probe { // a boot has removed it
		return m.unsure(h)
	}
	m.emit(fsm.RunProbe{
		Asked:   fsm.Asked{Call: m.await(h, fsm.CallProbe), Handle: h.ID},
		Session: h.Session,
		Name:    decl.Name,
		Args:    c.Args,
		Key:     h.UseKey(c),
		Attempt: h.Inf.Attempt,
	})
	return firing{}
}

// probed takes what a probe says: the call's result (INF-53), that nothing has happened
// (INF-54), that it is still being worked on (INF-56), or that the outcome stays unknown.
func (m *Machine) probed(h *state.Handle, in fsm.Probed) firing {
	switch {
	case in.Answer == fsm.ProbeDone:
		return m.found(in.Answer, m.resultText(fsm.ToolAnswered{Text: in.Text, Failed: in.Failed}), in.Failed)
	case in.Answer == fsm.ProbeWorking:
		return m.stillWorking(h)
	case in.Answer != fsm.ProbeNever:
		return m.unsure(h)
	case m.startsAgain(h):
		// INF-54, INV-6: here an unsafe tool that a crash interrupted may start once more.
		return firing{on: state.OnNever, write: func(h *state.Handle) { h.Inf.Nothing = true }}
	default:
		return m.found(in.Answer, m.failed(fsm.WordNeverBegun), true)
	}
}

// stillWorking waits again for the call at Next, which something outside is working on: it
// is the same attempt, and was approved if it had to be.
func (m *Machine) stillWorking(h *state.Handle) firing {
	if decl, ok := m.declared(h, h.Inf.Calls[h.Inf.Next].Name); !ok || decl.Builtin { // a boot has removed it
		return m.unsure(h)
	}
	return firing{on: state.OnWorking, write: func(h *state.Handle) { h.Inf.Works = true }}
}

// waitAgain starts the call at Next in the world with the number of its last attempt, which
// is then waited for (INF-56).
func (m *Machine) waitAgain(h *state.Handle) {
	decl, _ := m.declared(h, h.Inf.Calls[h.Inf.Next].Name)
	m.run(h, decl)
}

// unsure goes on after a probe that cannot tell.
func (m *Machine) unsure(*state.Handle) firing {
	return firing{on: state.OnUnsure, write: func(h *state.Handle) { h.Inf.Probed = true }}
}

// startsAgain reports whether the call at Next may have another attempt, now that nothing
// has come of the last one.
func (m *Machine) startsAgain(h *state.Handle) bool {
	c := h.Inf.Calls[h.Inf.Next]
	decl, ok := m.repeatable(h, h.Inf.Next, true)
	leave := h.Inf.Cleared || !m.needsApproval(h, &decl, c)
	return ok && leave && !h.Stop && h.Inf.Attempt < m.s.Config.Limits.MaxToolAttempts
}

// found gives the call at Next the result that its probe found, and audits it.
func (m *Machine) found(answer fsm.ProbeAnswer, text string, failed bool) firing {
	return firing{on: state.OnRan, write: func(h *state.Handle) {
		a := m.auditOf(h, text, failed)
		a.Probe = answer
		m.record(h, h.Inf.Next, a)
		m.result(h, text)
		settle(&h.Inf)
	}}
}

func probeTimeout(m *Machine, _ *state.Handle) fsm.Millis { return m.s.Config.Limits.ProbeTimeout }
