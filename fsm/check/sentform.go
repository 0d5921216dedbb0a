package check

import (
	"bytes"
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// sentForm is what a handle's session has of its conversation (INV-13). It leaves out the
// thinking of past turns, as templates do.
type sentForm struct {
	known  bool          // loaded is known, and the conversation was not started over
	begun  bool          // a conversation that begins with it was sent
	loaded []fsm.Message // the history that the turn begins with
	sent   []fsm.Message // the conversation that the model was last sent; nil: none since the last compaction
	astray bool          // others have written the session since, or the conversation was started over
	saved  []fsm.Message // what the handle last gave the session to keep; nil: nothing yet
}

// load notes the session that the turn begins with.
func (s *sentForm) load(in fsm.SessionLoaded) {
	s.known, s.begun, s.loaded = in.Error == "", false, in.Session.History
}

// save notes the result of a save.
func (s *sentForm) save(in fsm.SessionSaved) { s.astray = s.astray || in.Conflict }

// condense notes a compaction, which starts the sent form over.
func (s *sentForm) condense() { s.known, s.sent = false, nil }

// checkSent checks that a turn's first conversation begins with what its session keeps.
func (w *Monitor) checkSent(m *machine.Machine, f *followed, c fsm.Conversation) {
	if !f.form.begun { // checking the first conversation is enough: later ones only grow
		w.checkLoaded(m, f, c)
	}
	f.form.begun = true
}

// checkLoaded checks that a conversation begins with what its session keeps, unless that is
// broken and had to be mended.
func (w *Monitor) checkLoaded(m *machine.Machine, f *followed, c fsm.Conversation) {
	if s := &f.form; s.known && sendable(s.loaded) && !begins(c.Messages, s.loaded) && !recent(&m.View().Config, f.kind, c.Messages, s.loaded) {
		w.violate("INV-13", "the conversation of handle %d does not begin with what its session keeps", f.id)
	}
}

// checkAppended checks that a compaction which is asked for after the conversation (CTX-20)
// begins with what the session keeps, and that nothing in it but its last message differs from
// what the model was last sent, as far as that goes.
func (w *Monitor) checkAppended(m *machine.Machine, f *followed, c fsm.Conversation) {
	s, i := &f.form, indexOf(m.View().Handles, f.id)
	if i < 0 || !m.View().Handles[i].Inf.Appended || s.astray {
		return
	}
	w.checkLoaded(m, f, c)
	if n := min(len(c.Messages)-1, len(s.sent)); !alike(c.Messages[:n], s.sent[:n]) {
		w.violate("INV-13", "the compaction of handle %d does not begin with what the model was sent", f.id)
	}
}

// takeGathered notes the conversation after which the summary of a turn that has just ended
// is asked for (HND-49): what the turn gave its session to keep.
func (w *Monitor) takeGathered(m *machine.Machine) {
	if !slices.ContainsFunc(m.Moves(), func(mv state.Move) bool { return mv.To == state.Done }) {
		return
	}
	at := 0 // in live, which has the same order
	for n := range m.View().Handles {
		h := &m.View().Handles[n]
		if h.Kind != fsm.KindMemory {
			continue
		}
		for at < len(w.live) && w.live[at].id < h.ID {
			at++
		}
		if at == len(w.live) {
			return
		}
		f := &w.live[at]
		if f.id != h.ID || f.kind != fsm.KindMemory || h.Turns <= f.turns {
			continue
		}
		f.turns, f.form = h.Turns, sentForm{}
		for k := range w.live {
			if o := &w.live[k]; h.Appended() && o.state == state.Done && o.session == f.session && o.form.saved != nil {
				f.form = sentForm{known: true, loaded: o.form.saved}
			}
		}
	}
}

// checkSummary checks that a summary which is asked for after a conversation (HND-49)
// begins with what the session was given to keep, unless that is too long by now.
func (w *Monitor) checkSummary(m *machine.Machine, f *followed, c fsm.Conversation) {
	i := indexOf(m.View().Handles, f.id)
	switch s := &f.form; {
	case !s.known || i < 0 || !sendable(s.loaded):
	case c.Tokens < m.View().Handles[i].Inf.Talk.Tokens: // CTX-14
	case !begins(c.Messages, s.loaded):
		w.violate("INV-13", "the summary of handle %d does not begin with what its session keeps", f.id)
	}
}

// checkKept checks that a session keeps what the model was last sent.
func (w watch) checkKept(history []fsm.Message) {
	f, v := w.f, w.m.View()
	i := indexOf(v.Handles, f.id)
	switch s := &f.form; {
	case s.sent == nil || s.astray || i < 0:
	case len(v.Handles[i].Inf.Talk.Messages)+len(v.Handles[i].Closing) > v.Config.Limits.MaxHistory+v.Config.Limits.MaxPending: // SES-18
	case !begins(history, s.sent) && !refused(history, s.sent, v.Handles[i].TurnAt):
		w.violate("INV-13", "handle %d keeps something other than what the model was sent", f.id)
	}
}

// refused reports whether a history begins with what the model was last sent but for the question, of
// which it has less: a later boot, with a smaller window, has no room for it (CTX-11).
func refused(history, sent []fsm.Message, question int) bool {
	if question >= len(sent) || len(history) < len(sent) {
		return false
	}
	has, was := history[question], sent[question]
	return alike(history[:question], sent[:question]) && alike(history[question+1:len(sent)], sent[question+1:]) &&
		has.Role == was.Role && fsm.MessageTokens(has) < fsm.MessageTokens(was)
}

// begins reports whether a list begins with another, ignoring thinking.
func begins(list, with []fsm.Message) bool {
	return len(list) >= len(with) && alike(list[:len(with)], with)
}

// recent reports whether a conversation of an event or a schedule begins with the newest turns
// of what its session keeps, and the one before them would have been too much (SES-24).
func recent(c *fsm.Config, kind fsm.Kind, list, loaded []fsm.Message) bool {
	if kind != fsm.KindEvent && kind != fsm.KindSchedule || !c.Fits() || c.Edition < fsm.FourteenthEdition {
		return false
	}
	for n, turn := 1, 0; n <= len(loaded); n++ {
		if n < len(loaded) && !loaded[n].Begins() {
			continue
		}
		if begins(list, loaded[n:]) {
			return fsm.Counted(loaded[turn:]).Tokens > c.Limits.ContextTokens/state.RecentShare
		}
		turn = n
	}
	return false
}

// sendable reports whether a model can be sent a history as it is.
func sendable(list []fsm.Message) bool { return alike(fsm.Words(nil).Sent(list), list) }

// alike reports whether two lists have the same conversation hash, ignoring thinking.
// Messages are never changed: those of one conversation share their texts, so comparing
// these does not read them.
func alike(a, b []fsm.Message) bool { return slices.EqualFunc(a, b, sameBare) }

func sameBare(a, b fsm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Tool == b.Tool && a.ToolCall == b.ToolCall && a.Aside == b.Aside && a.Part == b.Part &&
		slices.Equal(a.Calls, b.Calls) && slices.Equal(a.Used, b.Used) && slices.EqualFunc(a.Images, b.Images, bytes.Equal)
}
