package check

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// checkSession checks that an effect carries its own handle's session.
func (w *Monitor) checkSession(f *followed, session string) {
	if w.did(f.id).fleeting {
		return
	}
	if session != f.session {
		w.violate("INV-7", "an effect of handle %d in session %q goes to session %q", f.id, f.session, session)
	}
}

// checkConversation checks what was added to a handle's conversation since it was last
// sent. The running hash proves that everything before is unchanged. A summary is asked for
// on a separate branch, so it moves no mark; a compaction starts over.
func (w *Monitor) checkConversation(m *machine.Machine, f *followed, e *fsm.AskBrain, keepsSent bool) {
	c, from := e.Conversation, f.sent
	branch := e.Purpose == fsm.PurposeSummary || e.Purpose == fsm.PurposeCompact || e.Purpose == fsm.PurposePrefill
	if e.Purpose == fsm.PurposeCompact || f.kind == fsm.KindMemory {
		from = mark{}
	}
	if wasShortened(m, f, e) {
		from = mark{}
		if !branch {
			f.form.condense()
		}
	}
	if len(c.Messages) < from.messages {
		w.violate("INV-7", "the conversation of handle %d shrank from %d messages to %d", f.id, from.messages, len(c.Messages))
		return
	}
	if e.Purpose == fsm.PurposeCompact {
		if keepsSent {
			w.checkAppended(m, f, c)
		}
		f.form.condense()
	}
	if keepsSent && f.kind == fsm.KindMemory && e.Purpose == fsm.PurposeSummary {
		w.checkSummary(m, f, c)
	}
	if !branch && from.messages == 0 {
		w.checkOpening(f, c)
		if keepsSent {
			w.checkSent(m, f, c)
		}
	}
	hash := from.hash
	var open []fsm.ToolCall
	for i := from.messages; i < len(c.Messages); i++ {
		msg := &c.Messages[i]
		x := fsm.NewHasher(hash)
		x.Message(*msg)
		hash = x.Sum()
		switch {
		case len(open) > 0 && (msg.Role != fsm.RoleTool || msg.Tool != open[0].Name || msg.ToolCall != open[0].ID):
			w.violate("INV-4", "handle %d: message %d is not the result of call %q", f.id, i, open[0].Name)
			open = nil
		case len(open) > 0:
			open = open[1:]
			continue
		case msg.Role == fsm.RoleTool:
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
	w.checkResults(f, c.Messages)
	switch {
	case !branch:
		f.sent = mark{messages: len(c.Messages), hash: c.Hash}
		f.form.sent = c.Messages
	case e.Purpose == fsm.PurposePrefill: // all but the message that stands for the next question
		f.form.sent = c.Messages[:len(c.Messages)-1]
	}
}

// wasShortened reports whether a conversation starts over because it would not have fitted
// (CTX-10, CTX-14).
func wasShortened(m *machine.Machine, f *followed, e *fsm.AskBrain) bool {
	i := indexOf(m.View().Handles, f.id)
	if i < 0 || !m.View().Config.Fits() {
		return false
	}
	h := &m.View().Handles[i]
	return h.Condensed || !h.Answers() && e.Conversation.Hash != h.Inf.Talk.Hash
}

// checkOpening checks that a handle's conversation holds its own question.
func (w *Monitor) checkOpening(f *followed, c fsm.Conversation) {
	for i := range c.Messages {
		if msg := &c.Messages[i]; msg.Role == fsm.RoleUser && strings.HasSuffix(msg.Text, f.input) {
			return
		}
	}
	w.violate("INV-7", "the conversation of handle %d does not hold its own input", f.id)
}

// checkEntry checks that a memory entry is whole and the handle's own.
func (w *Monitor) checkEntry(m *machine.Machine, f *followed, e *fsm.Entry) {
	if e.ID != f.id.Entry() || e.Kind != f.kind || e.Session != f.session {
		w.violate("INV-7", "handle %d of session %q stores entry %s of kind %s and session %q", f.id, f.session, e.ID, e.Kind, e.Session)
	}
	if e.Summary == "" || f.answer == "" || !strings.HasSuffix(e.Text, f.answer) {
		w.violate("INV-11", "handle %d stores an entry that is not whole: summary %q, text %q", f.id, e.Summary, e.Text)
	}
	if _, marked := fsm.Need(e.Summary); marked {
		w.violate("INV-11", "handle %d stores a summary with the marker: %q", f.id, e.Summary)
	}
	if i := indexOf(m.View().Handles, f.id); i >= 0 && w.did(f.id).consumed && f.measure[0] == measureOf(&m.View().Handles[i])[0] &&
		m.View().Handles[i].StoreTries >= m.View().Config.Limits.MaxStoreAttempts {
		w.violate("INV-3", "handle %d stores again after %d of %d failed stores", f.id, m.View().Handles[i].StoreTries, m.View().Config.Limits.MaxStoreAttempts)
	}
}

// checkSilence checks that outside an epoch nothing is done except to tell a newcomer that
// it has to wait, and nothing at all after an exit.
func (w *Monitor) checkSilence(in fsm.Input, before fsm.State, e fsm.Effect, last bool) {
	if _, ok := e.(fsm.Exit); ok && !last {
		w.violate("INV-8", "effects follow the exit")
	}
	if before != state.Stopped && before != state.Down {
		return
	}
	switch f := in.Fact.(type) {
	case fsm.Boot, fsm.CancelRequested:
		return
	case fsm.Requested:
		if machine.CommandOf(f.Text) != "" {
			return
		}
	}
	var to fsm.HandleID
	switch e.(type) {
	case fsm.Notify, fsm.Reply, fsm.Report:
		to = fsm.HandleOf(e)
	}
	if did := w.did(to); !did.admitted && !did.refused {
		w.violate("INV-8", "a %s while %s", fsm.EffectKind(e), before)
	}
}

// checkExit checks that the driver is told to exit when the epoch ends, once.
func (w *Monitor) checkExit(before fsm.State, effects []fsm.Effect) {
	exits, want := 0, 0
	for _, e := range effects {
		if _, ok := e.(fsm.Exit); ok {
			exits++
		}
	}
	if before != state.Stopped && w.lifecycle == state.Stopped {
		want = 1
	}
	if exits != want {
		w.violate("INV-12", "from %s to %s the driver is told to exit %d times, not %d", before, w.lifecycle, exits, want)
	}
}

// checkState checks the state after the step, and drops the handles that the step ended.
func (w *Monitor) checkState(m *machine.Machine, in fsm.Input) {
	s := m.View()
	if s.Lifecycle != w.lifecycle || s.GraceTimer != w.grace || s.Ignored.Moves != 0 {
		w.violate("INV-2", "the state says %s, grace timer %d and %d refused moves; the trace says %s, %d and 0",
			s.Lifecycle, s.GraceTimer, s.Ignored.Moves, w.lifecycle, w.grace)
	}
	_, boot := in.Fact.(fsm.Boot)
	w.places = placesOf(s)
	next := 0
	for i := range w.live {
		f := &w.live[i]
		if next == len(s.Handles) || s.Handles[next].ID != f.id {
			w.checkEnded(f)
			w.checkAudited(f, len(f.starts), s.Config.Edition)
			continue
		}
		w.checkHandle(m, &s.Handles[next], f, boot)
		if next < i {
			w.live[next] = *f
		}
		next++
	}
	w.live = w.live[:next]
	if next != len(s.Handles) {
		w.violate("INV-5", "handle %d is out of admission order or was never admitted", s.Handles[next].ID)
	}
	w.checkPlaces(m, boot)
	w.checkRest(s)
}

// places counts the handles that run, and those that wait.
type places struct {
	main, sub int // that run
	idling    int
	suspended int // that wait for a person, or for the model (HND-69)
	beside    int // that run without taking a place
	queued    int
}

func placesOf(s *state.Snapshot) (p places) {
	for i := range s.Handles {
		switch h := &s.Handles[i]; {
		case h.State == state.Queued:
			if h.Kind != fsm.KindMemory && !h.Beside {
				p.queued++
			}
		case h.Suspended():
			p.suspended++
		case h.State == state.Idling:
			p.idling++
		case h.State == state.Parked:
		case h.Beside:
			p.beside++
		case h.Kind == fsm.KindSubagent:
			p.sub++
		default:
			p.main++
		}
	}
	return p
}

// checkPlaces checks that no more handles run than may, and no two of a session. Only moves
// change which handles hold their session, so only handles that have moved are checked, and
// all after a boot; checkHandle catches a handle that is not where its moves put it.
func (w *Monitor) checkPlaces(m *machine.Machine, boot bool) {
	s := m.View()
	if boot {
		for i := range s.Handles {
			w.checkAlone(s, &s.Handles[i])
		}
	} else {
		var last fsm.HandleID
		for _, mv := range m.Moves() {
			if i := indexOf(s.Handles, mv.Handle); i >= 0 && mv.Handle != last {
				w.checkAlone(s, &s.Handles[i])
			}
			last = mv.Handle
		}
	}
	l, main, sub := &s.Config.Limits, w.places.main, w.places.sub
	if w.started && main > l.MaxActive || w.startedSub && sub > l.MaxSubagents {
		w.violate("INV-5", "%d handles and %d subagents run; there are places for %d and %d", main, sub, l.MaxActive, l.MaxSubagents)
	}
	if len(s.Schedules) > l.MaxSchedules && len(s.Schedules) > w.schedules {
		w.violate("INV-3", "there are %d schedules, of %d", len(s.Schedules), l.MaxSchedules)
	}
	w.started, w.startedSub, w.schedules = false, false, len(s.Schedules)
}

// checkAlone checks that while a handle runs no other of its session does.
func (w *Monitor) checkAlone(s *state.Snapshot, h *state.Handle) {
	runs := func(h *state.Handle) bool {
		return (!h.Waiting() || h.Suspended()) && h.Kind != fsm.KindMemory
	}
	if !runs(h) {
		return
	}
	for n := range s.Handles {
		if o := &s.Handles[n]; o.ID != h.ID && o.Session == h.Session && runs(o) {
			w.violate("INV-5", "handles %d and %d of session %q both run", min(o.ID, h.ID), max(o.ID, h.ID), h.Session)
		}
	}
}

// checkEnded checks a handle that the step took out of the state.
func (w *Monitor) checkEnded(f *followed) {
	if !w.did(f.id).refused && f.state != state.Done && f.state != state.Failed && f.state != state.Cancelled {
		w.violate("INV-1", "handle %d is gone but was in %s", f.id, f.state)
	}
	if f.replied != (f.kind == fsm.KindUser) {
		w.violate("INV-1", "handle %d of kind %s has ended, replied: %t", f.id, f.kind, f.replied)
	}
	if f.timer != 0 || f.wait != 0 {
		w.violate("INV-10", "handle %d has ended with timers %d and %d armed", f.id, f.timer, f.wait)
	}
	for _, c := range f.calls {
		if c.Kind != fsm.CallStop {
			w.violate("INV-10", "handle %d has ended with its %s call %d in flight", f.id, c.Kind, c.Call)
		}
	}
}

// checkHandle checks one unfinished handle against what the trace has shown of it.
func (w *Monitor) checkHandle(m *machine.Machine, h *state.Handle, f *followed, boot bool) {
	if f.waits(h) && !w.places.roomFor(h, &m.View().Config.Limits) && !w.concerns(h.ID) {
		return
	}
	if len(f.calls) > 0 && f.calls[0].Kind == fsm.CallStop && h.State != state.Stopping {
		f.calls = nil // it does not wait for its tools to stop any more
	}
	if h.State != f.state || !f.sameCalls(h) || h.Timer != f.timer || h.Wait != f.wait {
		w.violate("INV-2", "handle %d: the state says %s, calls %v, timers %d and %d; the trace says %s, %v, %d and %d",
			h.ID, h.State, h.InFlight(), h.Timer, h.Wait, f.state, f.calls, f.timer, f.wait)
		w.checkAlone(m.View(), h)
	}
	f.look(h)
	if !rests(f.wants, h, f.phase.Clock) {
		w.violate("INV-2", "handle %d in %s with its inference %s awaits %v with timers %d and %d, not %s, clock %t",
			h.ID, h.State, h.Inf.State, h.InFlight(), h.Timer, h.Wait, awaitedIn(f.wants), f.phase.Clock)
	}
	w.checkWaiting(m.View(), h, f, boot)
	w.checkAnswer(h, f)
	if !h.Inf.InRound() {
		w.checkAudited(f, len(f.starts), m.View().Config.Edition)
	}
	now, did := measureOf(h), w.did(h.ID)
	if now == f.measure && !did.consumed {
		return // as with most handles in most steps
	}
	if !did.admitted && !did.yielded && (f.measure.below(now) || now == f.measure) {
		w.violate("INV-1", "handle %d has consumed an answer: %t, and its measure went from %v to %v", h.ID, did.consumed, f.measure, now)
	}
	f.measure = now
}

// waits reports whether a handle waits for its first turn just as the trace shows it, so that
// nothing is wrong with it, unless there is a place for it or the step has done something to it.
// With many sessions most handles wait, and all are checked in each step.
func (f *followed) waits(h *state.Handle) bool {
	return h.State == state.Queued && f.state == state.Queued && h.Resume == "" &&
		f.calls == nil && f.timer == 0 && f.wait == 0 && h.Timer == 0 && h.Wait == 0 && !h.Busy() &&
		!f.replied && !h.Replied && h.Answer == f.answer && f.starts == nil && f.measure[0] == 10 && f.measure[1] == -h.Tries
}

// look finds the phases of a handle, unless it is where it was seen last.
func (f *followed) look(h *state.Handle) {
	if f.phase == nil || f.phase.State != h.State || f.infers != h.Inf.State {
		f.phase, f.wants, f.infers = machine.PhaseOf(state.HandleTable.Name, h.State), machine.Awaits(h), h.Inf.State
	}
}

// rests reports whether a handle waits for what its phase says, and whether its clock runs
// as given. A handle must not rest in a phase that awaits nothing, unless the phase is
// idle, nor ask a person in one that does not await a person.
func rests(p *machine.Phase, h *state.Handle, clock bool) bool {
	if p.Person != h.AsksPerson() {
		return false
	}
	if h.Timer != 0 != clock || h.Wait != 0 != (p.Wait.Purpose != "") && (h.Wait != 0 || !p.Wait.Maybe) {
		return false
	}
	if len(p.Calls) == 0 {
		return !h.Busy() && (p.Idle || p.Wait.Purpose != "")
	}
	if h.Await.Call == 0 {
		return restsTogether(p, h)
	}
	return slices.Contains(p.Calls, h.Await.Kind) && h.Inf.Reads() == 0
}

// awaitedIn returns what is awaited in a phase, in words.
func awaitedIn(p *machine.Phase) string {
	if len(p.Calls) == 0 && !p.Idle && p.Wait.Purpose == "" {
		return "anything: nothing is awaited there"
	}
	return fmt.Sprintf("%q, wait %q", p.Calls, p.Wait.Purpose)
}

// checkWaiting checks that a waiting handle has a reason to wait, and that the client of
// one that is parked, or waits for a person, has been told.
func (w *Monitor) checkWaiting(s *state.Snapshot, h *state.Handle, f *followed, boot bool) {
	switch {
	case h.State == state.Parked && s.Lifecycle == state.Serving && !h.Poison:
		w.violate("INV-1", "handle %d stays parked although the machine serves", h.ID)
	case h.State == state.Queued && h.Served(s.Lifecycle) && w.places.roomFor(h, &s.Config.Limits) && !sessionTaken(s, h):
		w.violate("INV-2", "handle %d is queued although its place is free", h.ID)
	case h.State == state.Idling && (h.Kind != fsm.KindMemory && !h.Beside || s.Lifecycle != state.Serving || w.places.queued > 0):
		w.violate("INV-2", "handle %d of kind %s idles in %s although %d others wait", h.ID, h.Kind, s.Lifecycle, w.places.queued)
	case !boot && h.Kind == fsm.KindUser && !h.Replied && w.untold(h.ID):
		w.violate("INV-1", "handle %d was parked and its client not told", h.ID)
	case h.Kind == fsm.KindUser && f.replied != h.Replied:
		w.violate("INV-1", "handle %d replied: the state says %t, the trace %t", h.ID, h.Replied, f.replied)
	case h.Replied && !h.Decided():
		w.violate("INV-1", "handle %d has its reply but no outcome in %s", h.ID, h.State)
	}
}

// untold reports whether the step has parked a handle and not told its client.
func (w *Monitor) untold(id fsm.HandleID) bool {
	did := w.did(id)
	return did.parked && !did.told
}

// roomFor reports whether there is a place for a handle of this kind.
func (p *places) roomFor(h *state.Handle, l *fsm.Limits) bool {
	switch h.Kind {
	case fsm.KindSubagent:
		return p.sub < l.MaxSubagents
	case fsm.KindMemory:
		return p.main+p.sub+p.queued == 0
	case fsm.KindInit:
		return p.main+p.sub+p.queued == 0 || !h.Beside
	default:
		return p.main < l.MaxActive
	}
}

// sessionTaken reports whether a handle of the same session goes before h.
func sessionTaken(s *state.Snapshot, h *state.Handle) bool {
	for i := range s.Handles {
		o := &s.Handles[i]
		if o.ID == h.ID || o.Session != h.Session || !o.Claims() || !h.Claims() {
			continue
		}
		if !o.Waiting() || o.Suspended() || o.State == state.Queued && o.ID < h.ID && !o.Beside {
			return true
		}
	}
	return false
}

// checkAnswer checks, when a handle gets its answer, that it is what the model
// said as text, without the marker.
func (w *Monitor) checkAnswer(h *state.Handle, f *followed) {
	if h.Answer == f.answer {
		return
	}
	said := w.did(h.ID).said
	_, marked := fsm.Need(h.Answer)
	free := h.Kind == fsm.KindMemory || h.Command != "" || h.Outcome != fsm.OutcomeAnswered // made by the machine, or with a notice
	if f.answer != "" && h.Kind != fsm.KindMemory || marked || !free && !strings.Contains(said, h.Answer) {
		w.violate("INV-11", "handle %d answers %q after %q; the model said %q", h.ID, h.Answer, f.answer, said)
	}
	f.answer = h.Answer
}

// checkRest checks that a state that is not at rest can go on: with a handle that
// runs, idles or waits for a person, checkHandle has seen its call and its timer.
func (w *Monitor) checkRest(s *state.Snapshot) {
	busy := w.places.main+w.places.sub+w.places.beside+w.places.suspended > 0
	if busy && (s.Lifecycle == state.Stopped || s.Lifecycle == state.Down) {
		w.violate("INV-12", "a handle is active while %s", s.Lifecycle)
	}
	if !busy && w.places.idling == 0 && !Resting(s) {
		w.violate("INV-12", "nothing can go on while %s with %d handles", s.Lifecycle, len(s.Handles))
	}
}
