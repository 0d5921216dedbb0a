package fsm

import "strings"

// checkSession checks that an effect carries its own handle's session.
func (w *Monitor) checkSession(f *followed, session string) {
	if session != f.session {
		w.violate("INV-7", "an effect of handle %d in session %q goes to session %q", f.id, f.session, session)
	}
}

// checkConversation checks what was added to a handle's conversation since it
// was last sent. The running hash proves that what lies before is unchanged. A
// summary is asked for on a branch of its own, so it moves no mark.
func (w *Monitor) checkConversation(f *followed, c Conversation, summary bool) {
	if len(c.Messages) < f.sent.messages {
		w.violate("INV-7", "the conversation of handle %d shrank from %d messages to %d", f.id, f.sent.messages, len(c.Messages))
		return
	}
	w.checkOpening(f, c)
	hash := f.sent.hash
	var open []ToolCall
	for i := f.sent.messages; i < len(c.Messages); i++ {
		msg := &c.Messages[i]
		x := newHasher(hash)
		x.message(*msg)
		hash = x.sum()
		switch {
		case len(open) > 0 && (msg.Role != RoleTool || msg.Tool != open[0].Name || msg.ToolCall != open[0].ID):
			w.violate("INV-4", "handle %d: message %d is not the result of call %q", f.id, i, open[0].Name)
			open = nil
		case len(open) > 0:
			open = open[1:]
			continue
		case msg.Role == RoleTool:
			w.violate("INV-4", "handle %d: message %d is the result of %q, which was not called", f.id, i, msg.Tool)
		}
		if len(msg.Calls) > 0 {
			open = msg.Calls
		}
	}
	if len(open) > 0 {
		w.violate("INV-4", "handle %d: %d calls have no result, the first is %q", f.id, len(open), open[0].Name)
	}
	if hash != c.Hash {
		w.violate("INV-7", "the conversation of handle %d is not the one sent before with something added", f.id)
	}
	if !summary {
		f.sent = mark{messages: len(c.Messages), hash: c.Hash}
	}
}

// checkOpening checks how a handle's first conversation begins.
func (w *Monitor) checkOpening(f *followed, c Conversation) {
	if f.sent.messages > 0 {
		return
	}
	if len(c.Messages) < 2 || c.Messages[0].Role != RoleSystem || c.Messages[1].Role != RoleUser ||
		!strings.HasSuffix(c.Messages[1].Text, f.input) {
		w.violate("INV-7", "the conversation of handle %d does not begin with the system prompt and its own input", f.id)
	}
}

// checkTool checks the start of a tool. Each call of a handle starts at another
// length of its conversation, so the length names the call.
func (w *Monitor) checkTool(m *Machine, f *followed, e *RunTool) {
	i := indexOf(m.s.Handles, f.id)
	if i < 0 {
		return // a handle that runs a tool and is gone is told of elsewhere
	}
	inf := &m.s.Handles[i].Inf
	if inf.Next >= m.s.Config.Limits.MaxCallsPerAnswer {
		w.violate("INV-3", "handle %d runs call %d of an answer, of %d", f.id, inf.Next+1, m.s.Config.Limits.MaxCallsPerAnswer)
	}
	if decl, ok := m.s.Config.Tool(e.Name); !ok || decl.Effects != e.Effects {
		w.violate("INV-6", "handle %d runs %q with effects %q, declared are %q", f.id, e.Name, e.Effects, decl.Effects)
	}
	at := len(inf.Talk.Messages)
	if at <= f.started {
		w.violate("INV-6", "handle %d starts the unsafe call %q again", f.id, e.Name)
	}
	if f.ran > 0 && (at == f.ran) != (e.Key == f.key) {
		w.violate("INV-6", "handle %d starts a call at %d under key %q and one at %d under key %q", f.id, f.ran, f.key, at, e.Key)
	}
	f.ran, f.key = at, e.Key
	if !e.Effects.Repeatable() {
		f.started = at
	}
}

// checkEntry checks that a memory entry is whole and the handle's own.
func (w *Monitor) checkEntry(m *Machine, f *followed, e *Entry) {
	if e.ID != f.id.entry() || e.Kind != f.kind || e.Session != f.session {
		w.violate("INV-7", "handle %d of session %q stores entry %s of kind %s and session %q", f.id, f.session, e.ID, e.Kind, e.Session)
	}
	if e.Summary == "" || f.answer == "" || !strings.HasSuffix(e.Text, f.answer) {
		w.violate("INV-11", "handle %d stores an entry that is not whole: summary %q, text %q", f.id, e.Summary, e.Text)
	}
	if _, marked := need(e.Summary); marked {
		w.violate("INV-11", "handle %d stores a summary with the marker: %q", f.id, e.Summary)
	}
	if i := indexOf(m.s.Handles, f.id); i >= 0 && f.step.consumed && f.measure[0] == measureOf(&m.s.Handles[i])[0] &&
		m.s.Handles[i].StoreTries >= m.s.Config.Limits.MaxStoreAttempts {
		w.violate("INV-3", "handle %d stores again after %d of %d failed stores", f.id, m.s.Handles[i].StoreTries, m.s.Config.Limits.MaxStoreAttempts)
	}
}

// checkSilence checks that nothing is done outside an epoch but to tell a
// newcomer that it has to wait, and nothing at all behind an exit.
func (w *Monitor) checkSilence(in Input, before State, e Effect, last bool) {
	if _, ok := e.(Exit); ok && !last {
		w.violate("INV-8", "effects follow the exit")
	}
	if _, ok := in.(Boot); ok || (before != Stopped && before != Down) {
		return
	}
	var to HandleID
	switch e := e.(type) {
	case Notify:
		to = e.Handle
	case Reply:
		to = e.Handle
	case Report:
		to = e.Handle
	}
	if f := w.find(to); f == nil || !f.step.admitted && !f.step.refused {
		w.violate("INV-8", "a %s while %s", e.kind(), before)
	}
}

// checkExit checks that the driver is told to exit when the epoch ends, once.
func (w *Monitor) checkExit(before State, effects []Effect) {
	exits, want := 0, 0
	for _, e := range effects {
		if _, ok := e.(Exit); ok {
			exits++
		}
	}
	if before != Stopped && w.lifecycle == Stopped {
		want = 1
	}
	if exits != want {
		w.violate("INV-12", "from %s to %s the driver is told to exit %d times, not %d", before, w.lifecycle, exits, want)
	}
}

// checkState checks the state that the step has left, and drops the handles that
// it ended.
func (w *Monitor) checkState(m *Machine, in Input) {
	s := &m.s
	if s.Lifecycle != w.lifecycle || s.GraceTimer != w.grace || s.Ignored.Moves != 0 {
		w.violate("INV-2", "the state says %s, grace timer %d and %d refused moves; the trace says %s, %d and 0",
			s.Lifecycle, s.GraceTimer, s.Ignored.Moves, w.lifecycle, w.grace)
	}
	_, boot := in.(Boot)
	kept, next, active := w.live[:0], 0, 0
	for i := range w.live {
		f := &w.live[i]
		if next == len(s.Handles) || s.Handles[next].ID != f.id {
			w.checkEnded(f, boot)
			continue
		}
		h := &s.Handles[next]
		next++
		if !h.waiting() {
			active++
		}
		w.checkHandle(s, h, f, boot)
		kept = append(kept, *f)
	}
	w.live = kept
	if next != len(s.Handles) {
		w.violate("INV-5", "handle %d is out of admission order or was never admitted", s.Handles[next].ID)
	}
	if active > 1 {
		w.violate("INV-5", "%d handles are active", active)
	}
	w.checkRest(s, active)
}

// checkEnded checks a handle that the step took out of the state.
func (w *Monitor) checkEnded(f *followed, boot bool) {
	if !f.step.refused && f.state != Done && f.state != Failed {
		w.violate("INV-1", "handle %d is gone but was in %s", f.id, f.state)
	}
	if f.replied != (f.kind == KindUser) {
		w.violate("INV-1", "handle %d of kind %s has ended, replied: %t", f.id, f.kind, f.replied)
	}
	if f.timer != 0 {
		w.violate("INV-10", "handle %d has ended with timer %d armed", f.id, f.timer)
	}
	if f.call.Call != 0 && f.call.Kind != CallStop {
		w.violate("INV-10", "handle %d has ended with its %s call %d in flight", f.id, f.call.Kind, f.call.Call)
	}
}

// checkHandle checks one unfinished handle against what the trace told of it.
func (w *Monitor) checkHandle(s *Snapshot, h *Handle, f *followed, boot bool) {
	if f.call.Kind == CallStop && h.waiting() {
		f.call = Await{} // a parked handle does not wait for its tool to stop
	}
	if h.State != f.state || h.Await != f.call || h.Timer != f.timer {
		w.violate("INV-2", "handle %d: the state says %s, call %v, timer %d; the trace says %s, %v, %d",
			h.ID, h.State, h.Await, h.Timer, f.state, f.call, f.timer)
	}
	if want, timed := awaits(h); h.Await.Kind != want || (h.Timer != 0) != timed {
		w.violate("INV-2", "handle %d in %s with its inference %s awaits %q, not %q; timer %d",
			h.ID, h.State, h.Inf.State, h.Await.Kind, want, h.Timer)
	}
	w.checkWaiting(s, h, f, boot)
	w.checkAnswer(h, f)
	now := measureOf(h)
	if !f.step.admitted && (f.measure.below(now) || f.step.consumed && now == f.measure) {
		w.violate("INV-1", "handle %d has consumed an answer: %t, and its measure went from %v to %v", h.ID, f.step.consumed, f.measure, now)
	}
	f.measure = now
}

// awaits returns the kind of call that a handle waits for, and whether its time
// is running. A phase that no handle rests in waits for an impossible kind.
func awaits(h *Handle) (kind CallKind, timed bool) {
	switch h.State {
	case Queued, Parked:
		return "", false
	case Cognition, Execution:
		if h.Inf.State == Acting {
			return CallTool, true
		}
		return CallBrain, true
	case Summarizing:
		return CallBrain, true
	case Recalling:
		return CallRecall, true
	case Embedding:
		return CallEmbed, true
	case Storing:
		return CallStore, true
	case Stopping:
		return CallStop, true
	default:
		return "none: no handle rests here", true
	}
}

// checkWaiting checks that a waiting handle has a reason to, and that whoever
// waits for a parked one knows.
func (w *Monitor) checkWaiting(s *Snapshot, h *Handle, f *followed, boot bool) {
	switch {
	case h.State == Parked && s.Lifecycle == Serving:
		w.violate("INV-1", "handle %d stays parked though the machine serves", h.ID)
	case h.State == Queued && h.eligible(s.Lifecycle) && !anyActive(s):
		w.violate("INV-2", "handle %d is queued though the slot is free", h.ID)
	case f.step.parked && !boot && h.Kind == KindUser && !f.step.deferred:
		w.violate("INV-1", "handle %d was parked and its client not told", h.ID)
	}
	if f.replied && h.State != Stopping {
		w.violate("INV-1", "handle %d has its reply but is in %s", h.ID, h.State)
	}
}

func anyActive(s *Snapshot) bool {
	for i := range s.Handles {
		if !s.Handles[i].waiting() {
			return true
		}
	}
	return false
}

// checkAnswer checks, when a handle gets its answer, that it is what the model
// said as text, without the marker.
func (w *Monitor) checkAnswer(h *Handle, f *followed) {
	if h.Answer == f.answer {
		return
	}
	_, marked := need(h.Answer)
	if f.answer != "" || marked || !strings.Contains(f.step.said, h.Answer) {
		w.violate("INV-11", "handle %d answers %q after %q; the model said %q", h.ID, h.Answer, f.answer, f.step.said)
	}
	f.answer = h.Answer
}

// checkRest checks that a state that is not at rest can go on: with a handle
// active, checkHandle has seen its call and its timer.
func (w *Monitor) checkRest(s *Snapshot, active int) {
	if active > 0 && (s.Lifecycle == Stopped || s.Lifecycle == Down) {
		w.violate("INV-12", "a handle is active while %s", s.Lifecycle)
	}
	if active == 0 && !Resting(s) {
		w.violate("INV-12", "nothing can go on while %s with %d handles", s.Lifecycle, len(s.Handles))
	}
}
