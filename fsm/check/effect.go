package check

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/reading"
	"shelly/fsm/state"
)

// takeEffect follows one effect. A call is its handle's only one, or one of a batch.
func (w *Monitor) takeEffect(m *machine.Machine, e fsm.Effect) {
	x := watch{Monitor: w, m: m}
	if c, ok := e.(fsm.Call); ok {
		asked := c.Identity()
		if x.f = w.takeCall(m, asked.Handle, asked.Call, fsm.CallKindOf(e)); x.f == nil {
			return
		}
	}
	follows.Do(x, e)
}

// watch is a monitor, the machine that it watches, and the handle that makes a call.
type watch struct {
	*Monitor
	m *machine.Machine
	f *followed
}

// follows has what the monitor does with each kind of effect.
var follows = fsm.NewEffectTable(
	sees(func(w watch, e fsm.AskBrain) {
		w.checkSession(w.f, e.Session)
		w.takeSession(e.Session)
		w.checkAsked(w.f)
		w.checkConversation(w.m, w.f, &e, w.keepsSent())
	}),
	sees(func(w watch, e fsm.RunTool) {
		w.checkSession(w.f, e.Session)
		w.checkTool(w.m, w.f, &e)
	}),
	sees(func(w watch, e fsm.Recall) {
		w.checkSession(w.f, e.Session)
		if k := w.m.View().Config.Limits.RecallTopK; e.TopK != k {
			w.violate("INV-3", "handle %d recalls %d entries, not %d", w.f.id, e.TopK, k)
		}
	}),
	sees(func(watch, fsm.Embed) {}),
	sees(func(w watch, e fsm.Store) { w.checkEntry(w.m, w.f, &e.Entry) }),
	sees(func(w watch, e fsm.LoadSession) { w.checkSession(w.f, e.Session) }),
	sees(func(w watch, e fsm.SaveSession) {
		w.checkSession(w.f, e.Session)
		w.checkHistory(e.State.History)
		w.f.form.saved = e.State.History
		w.checkRecord(w.f, e.Archive)
	}),
	sees(func(watch, fsm.LoadSkill) {}),
	sees(func(w watch, e fsm.ReadText) { w.checkText(w.m, w.f, &e) }),
	sees(func(w watch, e fsm.RunProbe) {
		w.checkSession(w.f, e.Session)
		w.checkProbe(w.m, w.f, &e)
	}),
	sees(func(w watch, e fsm.SendMessage) {
		if f := w.owner(e.Handle, "message"); f != nil {
			w.checkSession(f, e.Session)
		}
	}),
	sees(func(w watch, e fsm.Audit) {
		if f := w.owner(e.Handle, "audit"); f != nil {
			w.checkSession(f, e.Session)
			w.checkAudit(f, e.Key, w.m.View().Config.Edition)
		}
	}),
	sees(func(w watch, e fsm.AskPerson) { w.takeAsk(e) }),
	sees(func(w watch, e fsm.Report) {
		if f := w.owner(e.Handle, "report"); f != nil && f.kind == fsm.KindUser && e.Kind != fsm.KindUser {
			w.violate("INV-1", "the report on handle %d is of kind %s, not %s", f.id, e.Kind, f.kind)
		}
	}),
	sees(func(w watch, e fsm.AbortCall) { w.takeAbort(e.Call) }),
	sees(func(w watch, e fsm.SetTimer) { w.takeSetTimer(w.m, e) }),
	sees(func(w watch, e fsm.ClearTimer) {
		if e.Timer == 0 || !w.disarm(e.Timer) {
			w.violate("INV-10", "timer %d is cleared but not armed", e.Timer)
		}
	}),
	sees(func(w watch, e fsm.Reply) { w.takeReply(e, &w.m.View().Config) }),
	sees(func(w watch, e fsm.Notify) { w.takeNotify(e) }),
	sees(func(watch, fsm.ArmSchedule) {}),
	sees(func(watch, fsm.DisarmSchedule) {}),
	sees(func(watch, fsm.Exit) {}), // see checkExit
)

// takeSession notes the session that the model is asked for, if that session may go first.
func (w watch) takeSession(session string) {
	if w.m.View().Config.Limits.SessionBurst <= 1 {
		w.session, w.passed = "", 0
		return
	}
	w.session = session
}

// keepsSent reports whether sessions keep what was sent.
func (w watch) keepsSent() bool { return w.m.View().Config.Switches.History == fsm.HistorySent }

// sees returns the row of one kind.
func sees[E fsm.Effect](do func(watch, E)) fsm.EffectRow[watch, struct{}] {
	return fsm.OnEffect(func(w watch, e E) struct{} {
		do(w, e)
		return struct{}{}
	})
}

// owner returns the handle that an effect names; a terminal one must be silent.
func (w *Monitor) owner(id fsm.HandleID, kind string) *followed {
	f := w.find(id)
	if f == nil {
		w.violate("INV-8", "%s for handle %d, which is terminal or unknown", kind, id)
	}
	return f
}

// takeCall follows a new call of a handle, which must have none in flight, except other
// tool calls if it is one itself (INV-14).
func (w *Monitor) takeCall(m *machine.Machine, id fsm.HandleID, call fsm.CallID, kind fsm.CallKind) *followed {
	w.takeID(m, uint64(call))
	f := w.find(id)
	if f == nil {
		return w.owner(id, string(kind)+" call")
	}
	if len(f.calls) > 0 && f.calls[0].Kind == fsm.CallStop {
		f.calls = nil // it does not wait for its tools to stop any more
	}
	for _, c := range f.calls {
		if c.Kind != fsm.CallTool || kind != fsm.CallTool {
			w.violate("INV-2", "handle %d makes a %s call while its %s call %d is in flight", id, kind, c.Kind, c.Call)
		}
	}
	f.calls = append(f.calls[:len(f.calls):len(f.calls)], state.Await{Call: call, Kind: kind})
	return f
}

// takeID checks that a call or timer id is new.
func (w *Monitor) takeID(m *machine.Machine, id uint64) {
	if id <= w.lastID || id > m.View().LastID {
		w.violate("INV-10", "id %d is not new: %d was the last seen, %d is the last given", id, w.lastID, m.View().LastID)
	}
	w.lastID = max(w.lastID, id)
}

func (w *Monitor) takeAbort(call fsm.CallID) {
	for i := range w.live {
		if call == 0 || !w.live[i].abort(call) {
			continue
		}
		return
	}
	w.violate("INV-10", "call %d is aborted but not in flight", call)
}

func (w *Monitor) takeSetTimer(m *machine.Machine, e fsm.SetTimer) {
	w.takeID(m, uint64(e.Timer))
	l := &m.View().Config.Limits
	if e.Purpose == fsm.TimerGrace {
		if w.grace != 0 || e.After != l.Grace {
			w.violate("INV-10", "grace timer %d of %s is armed while %d is", e.Timer, e.After, w.grace)
		}
		w.grace = e.Timer
		return
	}
	f := w.owner(e.Handle, "timer")
	if f == nil {
		return
	}
	if e.Purpose != fsm.TimerHandle && e.Purpose != fsm.TimerAbort {
		w.takeWait(f, &m.View().Config, e)
		return
	}
	if f.timer != 0 {
		w.violate("INV-10", "handle %d arms timer %d while timer %d is armed", f.id, e.Timer, f.timer)
	}
	f.timer = e.Timer
	switch {
	case e.Purpose == fsm.TimerAbort && e.After != l.AbortTimeout:
		w.violate("INV-3", "handle %d gives a tool %s to stop, not %s", f.id, e.After, l.AbortTimeout)
	case e.Purpose == fsm.TimerHandle && f.left == 0 && e.After != limitOf(f.kind, l):
		w.violate("INV-3", "handle %d starts with %s, not %s", f.id, e.After, limitOf(f.kind, l))
	case e.Purpose == fsm.TimerHandle && f.left != 0 && (e.After < 1 || e.After > f.left):
		w.violate("INV-3", "handle %d goes on with %s, though %s was left", f.id, e.After, f.left)
	}
	f.left = e.After
}

// takeWait follows the timer of a wait within a phase.
func (w *Monitor) takeWait(f *followed, c *fsm.Config, e fsm.SetTimer) {
	l := &c.Limits
	if f.wait != 0 {
		w.violate("INV-10", "handle %d arms timer %d while timer %d is armed", f.id, e.Timer, f.wait)
	}
	f.wait = e.Timer
	want := e.After
	switch e.Purpose {
	case fsm.TimerRetry:
		want = l.RetryDelay
	case fsm.TimerCompact:
		want = l.CompactTimeout
		if c.Switches.Progress { // or as long as the model needs to read it all
			want = max(want, e.After)
		}
	case fsm.TimerAnswer:
		want = max(want, min(c.Pace.Load, c.Pace.Idle))
	case fsm.TimerApproval:
		want = l.ApprovalTimeout
	case fsm.TimerProbe:
		want = l.ProbeTimeout
	case fsm.TimerHold:
		want = l.HoldTimeout
	}
	if e.After != want {
		w.violate("INV-3", "handle %d waits %s for %s, not %s", f.id, e.After, e.Purpose, want)
	}
}

func limitOf(kind fsm.Kind, l *fsm.Limits) fsm.Millis {
	h := state.Handle{Accepted: state.Accepted{Kind: kind}}
	return h.Timeout(*l)
}

// answerOf returns a reply without the notice that there was no thinking (INF-33).
func answerOf(words fsm.Words, text string) string {
	notice, _, _ := strings.Cut(words.Text(fsm.WordUnthought), "{")
	if i := strings.LastIndex(text, "\n\n"+notice); i >= 0 {
		return text[:i]
	}
	return text
}

func (w *Monitor) takeReply(e fsm.Reply, c *fsm.Config) {
	words := c.Words
	f := w.owner(e.Handle, "reply")
	if f == nil {
		return
	}
	_, marked := fsm.Need(e.Text)
	if reading.ReadsNeeds(c) && !e.IsError && strings.Contains(w.did(f.id).said, e.Text) {
		_, _, marked = reading.NeedIn(e.Text)
	}
	switch {
	case f.replied:
		w.violate("INV-1", "handle %d gets a second reply %q", f.id, e.Text)
	case f.kind != fsm.KindUser || e.Request != f.request:
		w.violate("INV-1", "handle %d of kind %s and request %v gets a reply to %v", f.id, f.kind, f.request, e.Request)
	case e.Outcome == fsm.OutcomeCancelled && (!e.IsError || e.Text != words.Text(fsm.WordCancelled)):
		w.violate("INV-1", "handle %d is cancelled with the reply %q", f.id, e.Text)
	case e.IsError && e.Outcome != fsm.OutcomeCancelled && !words.Says(fsm.WordError, e.Text):
		w.violate("INV-1", "handle %d fails with a reply that does not say so: %q", f.id, e.Text)
	case e.IsError && f.state == state.Done, !e.IsError && (f.state == state.Failed || f.state == state.Cancelled):
		w.violate("INV-1", "handle %d is %s and gets a reply with is_error %t", f.id, f.state, e.IsError)
	case !e.IsError && f.answer != "" && e.Text != f.answer && answerOf(words, e.Text) != f.answer:
		w.violate("INV-11", "handle %d answered %q but its reply is %q", f.id, f.answer, e.Text)
	case !e.IsError && f.answer == "" && e.Outcome == fsm.OutcomeAnswered && !w.did(f.id).refused && e.Text != words.Text(fsm.WordNewSession) && !strings.Contains(w.did(f.id).said, answerOf(words, e.Text)), marked:
		w.violate("INV-11", "handle %d replies %q; the model said %q", f.id, e.Text, w.did(f.id).said)
	}
	f.replied = true
}

// checkRecord checks that a record of a turn has no markers, asides or thinking.
func (w *Monitor) checkRecord(f *followed, record []fsm.Message) {
	for i := range record {
		msg := &record[i]
		_, marked := fsm.Need(msg.Text)
		if msg.Thinking != "" || msg.Aside || marked && msg.Role == fsm.RoleAssistant {
			w.violate("INV-11", "handle %d keeps message %d, which does not belong in a record: %+v", f.id, i, *msg)
		}
	}
}

// checkHistory checks that what a session keeps can be sent again, and is what was sent or
// else a record.
func (w watch) checkHistory(history []fsm.Message) {
	mended := fsm.Words(nil).Mend(history)
	if w.keepsSent() {
		mended = fsm.Words(nil).Sent(history)
		w.checkKept(history)
	} else {
		w.checkRecord(w.f, history)
	}
	if len(mended) != len(history) {
		w.violate("INV-4", "handle %d keeps a history whose calls and results do not pair", w.f.id)
	}
}

func (w *Monitor) takeNotify(e fsm.Notify) {
	f := w.owner(e.Handle, "notice")
	if f == nil {
		return
	}
	ok := f.kind == fsm.KindUser && f.request == e.Request && !f.replied
	switch e.Notice {
	case fsm.NoticeQueued:
		ok = (f.kind == fsm.KindUser || f.kind == fsm.KindEvent) && f.state == state.Queued
	case fsm.NoticeHeld:
		ok = ok && (f.state == state.Approving || f.state == state.Held || f.state == state.Parked)
	default:
		ok = ok && f.state == state.Parked
	}
	if !ok {
		w.violate("INV-1", "handle %d of kind %s in %s gets the notice %s for %v", f.id, f.kind, f.state, e.Notice, e.Request)
	}
	if e.Notice != fsm.NoticeQueued {
		w.does(f.id).told = true
	}
}
