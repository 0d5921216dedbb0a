package check

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// questionOf returns what the state shows of a question about the call at Next: the key
// that a person is asked about, or the key that a person has approved.
func questionOf(h *state.Handle) (asked, cleared string) {
	inf := &h.Inf
	if inf.Next >= len(inf.Calls) {
		return "", ""
	}
	if inf.Cleared {
		cleared = h.PersonKey()
	} else if inf.Asked && inf.Told == "" || h.State == state.Approving {
		asked = h.PersonKey()
	}
	return asked, cleared
}

// takeAsk follows a question to a person to approve a call.
func (w *Monitor) takeAsk(e fsm.AskPerson) {
	if f := w.owner(e.Handle, "question"); f != nil && e.Question == fsm.QuestionApprove {
		f.asked, f.cleared, f.moot = e.Key, "", false
	}
}

// checkAsked checks that a handle asks the model only once no question about its calls is open
// (INV-6). All of them have results then: a question about one that a boot's configuration no
// longer lets run is closed by that.
func (w *Monitor) checkAsked(f *followed) {
	if f.asked != "" && !f.moot {
		w.violate("INV-6", "handle %d asks the model while the question %s is open", f.id, f.asked)
	}
	f.asked, f.cleared = "", ""
}

// takeDecision follows a person's decision, and reports whether nothing waits for it: of
// two decisions the first counts (APR-16).
func (w *Monitor) takeDecision(in fsm.Decided) (silent bool) {
	f := w.find(in.Handle)
	if f == nil || f.state != state.Approving || f.asked != in.Key {
		return true
	}
	f.asked = ""
	if in.Approve {
		f.cleared, w.does(f.id).granted = in.Key, in.Grant
	}
	return false
}

// takeConfig takes the grants for every session from the configuration (APR-14), and
// forgets what was saved under the previous one.
func (w *Monitor) takeConfig() (silent bool) {
	w.grants = grant.Without(w.grants, func(g *fsm.Grant) bool { return g.Session == "" })
	for i := range w.live {
		f := &w.live[i]
		f.form.saved = nil // what a session keeps depends on the configuration
		if f.kind == fsm.KindEvent || f.kind == fsm.KindSchedule {
			f.form.known = false // with how much of it a turn began, on the window then (SES-24)
		}
	}
	return false
}

// takeRevoked follows the revocation of a grant, which has no effects.
func (w *Monitor) takeRevoked(in fsm.Revoked) (silent bool) {
	w.grants = grant.Without(w.grants, func(g *fsm.Grant) bool { return grant.ID(g) == in.Grant })
	w.revoked = in.Grant
	return true
}

// checkGrants checks that the state has the grants that the trace shows, with at most one
// more, given by a decision in this step.
func (w *Monitor) checkGrants(m *machine.Machine) {
	s := m.View()
	for i := range s.Config.Grants {
		if grant.ID(&s.Config.Grants[i]) == w.revoked {
			w.violate("INV-6", "grant %s is still there although it was revoked", w.revoked)
		}
	}
	w.revoked = ""
	given := 0
	for i := range w.steps {
		if w.steps[i].granted != fsm.GrantOnce {
			given++
		}
	}
	for i := range s.Grants {
		g := &s.Grants[i]
		if slices.ContainsFunc(w.grants, func(o fsm.Grant) bool { return grant.ID(&o) == grant.ID(g) && o.At == g.At }) {
			continue
		}
		if given--; given < 0 || !grant.Literal(g) {
			w.violate("INV-6", "there is a grant for %q in session %q that nobody gave", g.Tool, g.Session)
		}
	}
	w.grants = slices.Clone(s.Grants)
}

// checkApproved checks that a call which needs approval starts only with it (INV-6).
func (w *Monitor) checkApproved(m *machine.Machine, f *followed, e *fsm.RunTool, c fsm.ToolCall, begins bool) {
	cfg, approved := &m.View().Config, f.names(f.cleared, e.Key)
	i := slices.IndexFunc(f.starts, func(s start) bool { return s.key == e.Key })
	decl, _ := cfg.Tool(e.Name)
	covered := grant.Covers(w.grants, f.session, &decl, c) || grant.Covers(cfg.Grants, f.session, &decl, c)
	switch {
	case f.names(f.asked, e.Key):
		w.violate("INV-6", "handle %d runs %q while the question %s is open", f.id, e.Name, f.asked)
	case begins && !approved && !covered && grant.Needs(cfg, &decl, c):
		w.violate("INV-6", "handle %d runs %q, which nobody approved; written as text: %t", f.id, e.Name, c.Text)
	case i >= 0 && f.starts[i].asks && !approved:
		w.violate("INV-6", "handle %d runs %q again, which asks for approval and has none", f.id, e.Name)
	case e.Approved && !approved && !covered:
		w.violate("INV-6", "handle %d runs %q as approved, but nobody approved it", f.id, e.Name)
	}
}

// names reports whether a question was about the use of a tool that a key names: asked
// before the use began, with the number of the previous use, or after its tool asked for
// approval.
func (f *followed) names(question, key string) bool {
	if question == "" {
		return false
	}
	if own, byTool := strings.CutSuffix(question, state.AskedByTool); byTool || question == key {
		return own == key
	}
	handle, use, call := partsOf(key)
	asked, before, of := partsOf(question)
	return handle == asked && call == of && before == use-1
}

// partsOf returns the handle, the number of the use and the call that a key names.
func partsOf(key string) (handle string, use int, call string) {
	handle, rest, _ := strings.Cut(key, ".")
	number, call, _ := strings.Cut(rest, ".")
	use, _ = strconv.Atoi(number)
	return handle, use, call
}
