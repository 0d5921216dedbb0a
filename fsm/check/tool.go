package check

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// start is what the trace has shown of one tool call that was started.
type start struct {
	key     string
	call    fsm.CallID // of the last attempt
	n       int        // its index in the answer
	args    string
	attempt int
	nothing bool   // its last attempt reported that nothing happened
	asks    bool   // its last attempt reported that a person has to approve the call first
	failed  bool   // its last attempt failed
	text    string // what it said; empty: nothing yet
	settled bool   // it was answered
	probed  bool   // its probe was asked in this epoch
	works   bool   // its probe said that the last attempt is still being worked on
}

// resumes reports whether a start only waits again for the last attempt (INF-56).
func (s *start) resumes(e *fsm.RunTool) bool { return s.works && e.Waits && e.Attempt == s.attempt }

// startsOf returns the calls of the last answer that the state shows as started.
func startsOf(h *state.Handle) []start {
	inf := &h.Inf
	if !inf.Running() {
		return nil
	}
	if inf.Next < len(inf.Calls) && inf.Attempt > 0 {
		c := inf.Calls[inf.Next]
		return []start{{key: h.UseKey(c), call: h.Await.Call, n: inf.Next, args: c.Args, attempt: inf.Attempt, nothing: inf.State == state.Retrying || inf.Asked, asks: inf.Asked}}
	}
	var list []start
	for k := range inf.Batch {
		if r := &inf.Batch[k]; !r.Shares() && inf.Next+k < len(inf.Calls) {
			c := inf.Calls[inf.Next+k]
			list = append(list, start{key: h.KeyOf(c, r.Use), call: r.Call, n: inf.Next + k, args: c.Args, attempt: r.Attempt, nothing: r.Nothing})
		}
	}
	return list
}

// progress grows with each answer to a call of a batch, and with each further attempt.
func progress(batch []state.Read) int {
	n := 0
	for k := range batch {
		n += 2 * batch[k].Attempt
		if batch[k].Done {
			n++
		}
	}
	return n
}

// attemptsOf returns the attempts of the call that is started again; of a batch, the most.
func attemptsOf(inf *state.Inference) int {
	n := inf.Attempt
	for k := range inf.Batch {
		if r := &inf.Batch[k]; r.Again {
			n = max(n, r.Attempt)
		}
	}
	return n
}

// awaits returns the kind of a call in flight, or "" if it is not in flight.
func (f *followed) awaits(call fsm.CallID) fsm.CallKind {
	for i := range f.calls {
		if f.calls[i].Call == call && call != 0 {
			return f.calls[i].Kind
		}
	}
	return ""
}

// forget removes a call in flight.
func (f *followed) forget(call fsm.CallID) {
	if len(f.calls) == 1 {
		f.calls = nil
		return
	}
	f.calls = slices.DeleteFunc(slices.Clone(f.calls), func(c state.Await) bool { return c.Call == call })
}

// abort follows a call that is given up: a tool still has to stop.
func (f *followed) abort(call fsm.CallID) bool {
	switch f.awaits(call) {
	case "", fsm.CallStop:
		return false
	case fsm.CallTool:
		f.calls = slices.Clone(f.calls)
		for i := range f.calls {
			if f.calls[i].Call == call {
				f.calls[i].Kind = fsm.CallStop
			}
		}
	default:
		f.forget(call)
	}
	return true
}

// sameCalls reports whether the state has the same calls in flight as the trace.
func (f *followed) sameCalls(h *state.Handle) bool {
	if h.Await.Call != 0 {
		return len(f.calls) == 1 && f.calls[0] == h.Await
	}
	if !h.Busy() {
		return len(f.calls) == 0
	}
	return slices.Equal(f.calls, h.InFlight())
}

// restsTogether reports whether a handle waits for exactly those calls of its batch that
// have no answer yet, or for each of them to stop.
func restsTogether(p *machine.Phase, h *state.Handle) bool {
	stops := h.State == state.Stopping
	for k := range h.Inf.Batch {
		if r := &h.Inf.Batch[k]; r.Call != 0 && (r.Done || r.Shares()) || r.Call == 0 && !r.Done && !r.Shares() && !stops {
			return false
		}
	}
	want := fsm.CallTool
	if stops {
		want = fsm.CallStop
	}
	return h.Inf.Reads() > 0 && slices.Contains(p.Calls, want)
}

// takeResult notes a tool's answer.
func (f *followed) takeResult(in fsm.ToolAnswered) {
	i := slices.IndexFunc(f.starts, func(s start) bool { return s.call == in.Call })
	if i < 0 {
		return
	}
	f.starts = slices.Clone(f.starts)
	s := &f.starts[i]
	s.nothing, s.asks, s.failed, s.text, s.settled = in.Nothing || in.Asks != "", in.Asks != "", in.Failed, in.Text, true
}

// takeProbed notes a probe's answer.
func (f *followed) takeProbed(in fsm.Probed) {
	i := slices.IndexFunc(f.starts, func(s start) bool { return s.call == in.Call })
	if i < 0 {
		return
	}
	f.starts = slices.Clone(f.starts)
	s := &f.starts[i]
	s.nothing, s.works, s.settled = in.Answer == fsm.ProbeNever, in.Answer == fsm.ProbeWorking, in.Answer == fsm.ProbeDone
	if s.settled {
		s.failed, s.text = in.Failed, in.Text
	}
}

// forgetProbes begins an epoch, in which each call may be probed once more.
func (f *followed) forgetProbes() {
	f.measure[probeAt] = 1
	f.starts = slices.Clone(f.starts)
	for i := range f.starts {
		f.starts[i].probed = false
	}
}

// checkProbe checks that a probed call was started and not answered, that its tool has a
// probe, and that it is probed once per boot.
func (w *Monitor) checkProbe(m *machine.Machine, f *followed, e *fsm.RunProbe) {
	if decl, ok := m.View().Config.Tool(e.Name); !ok || !decl.Probe {
		w.violate("INV-6", "handle %d probes %q, which has no probe", f.id, e.Name)
	}
	i := slices.IndexFunc(f.starts, func(s start) bool { return s.key == e.Key })
	if i < 0 {
		w.violate("INV-6", "handle %d probes call %s, which was not started", f.id, e.Key)
		return
	}
	if s := &f.starts[i]; s.settled || s.probed || s.attempt != e.Attempt {
		w.violate("INV-6", "handle %d probes attempt %d of call %s: answered %t, probed already %t, last attempt %d", f.id, e.Attempt, e.Key, s.settled, s.probed, s.attempt)
	}
	f.starts = slices.Clone(f.starts)
	f.starts[i].call, f.starts[i].probed, f.starts[i].nothing = e.Call, true, false
}

// checkTool checks the start of a tool: a new use, the same use again after a crash, or
// another attempt.
func (w *Monitor) checkTool(m *machine.Machine, f *followed, e *fsm.RunTool) {
	i := indexOf(m.View().Handles, f.id)
	if i < 0 {
		return // a handle that runs a tool although it has ended is caught elsewhere
	}
	inf, l := &m.View().Handles[i].Inf, &m.View().Config.Limits
	known := slices.IndexFunc(f.starts, func(s start) bool { return s.key == e.Key })
	n := inf.Next + max(inf.Reading(e.Call), 0)
	if known < 0 && n >= l.MaxCallsPerAnswer {
		w.violate("INV-3", "handle %d runs call %d of an answer, of %d", f.id, n+1, l.MaxCallsPerAnswer)
	}
	if known < 0 && inf.Ran > l.MaxToolCalls {
		w.violate("INV-3", "handle %d runs call %d of an inference, of %d", f.id, inf.Ran, l.MaxToolCalls)
	}
	if decl, ok := m.View().Config.Tool(e.Name); !ok || decl.Effects != e.Effects {
		w.violate("INV-6", "handle %d runs %q with effects %q, which is declared with %q", f.id, e.Name, e.Effects, decl.Effects)
	}
	w.checkApproved(m, f, e, inf.Calls[n], known < 0)
	if len(f.calls) > 1 && (!e.Effects.Repeatable() || known < 0 && (e.Effects != fsm.EffectsNone || len(f.calls) > l.ReadsAtOnce)) {
		w.violate("INV-14", "handle %d runs %q with effects %q beside %d other calls, of at most %d at once", f.id, e.Name, e.Effects, len(f.calls)-1, l.ReadsAtOnce)
	}
	s := start{key: e.Key, call: e.Call, n: n, args: e.Args, attempt: e.Attempt}
	if known < 0 {
		if e.Attempt != 1 {
			w.violate("INV-6", "handle %d begins a use of %q with attempt %d", f.id, e.Name, e.Attempt)
		}
		f.starts = append(f.starts[:len(f.starts):len(f.starts)], s)
		return
	}
	if last := f.starts[known]; !e.Effects.Repeatable() && !last.resumes(e) && (e.Attempt != last.attempt+1 || !last.nothing) {
		w.violate("INV-6", "handle %d starts attempt %d of the unsafe call %q after attempt %d, which did not report that nothing happened", f.id, e.Attempt, e.Name, last.attempt)
	}
	if e.Waits && !f.starts[known].resumes(e) {
		w.violate("INV-6", "handle %d waits for attempt %d of call %s, which is not known to be in progress", f.id, e.Attempt, e.Key)
	}
	f.starts = slices.Clone(f.starts)
	f.starts[known] = s
}

// checkAudit checks that the calls of an answer are recorded in the order asked (INV-14).
// It knows nothing of builtin tools' calls.
func (w *Monitor) checkAudit(f *followed, key string, edition int) {
	i := slices.IndexFunc(f.starts, func(s start) bool { return s.key == key })
	if i < 0 {
		return
	}
	switch {
	case i < f.audited:
		w.violate("INV-14", "handle %d records call %s out of the order asked, or twice", f.id, key)
	case i > f.audited:
		w.checkAudited(f, i, edition)
	}
	f.audited = i + 1
}

// checkAudited checks that the first n calls of an answer that were started are recorded. The
// first editions record no call that is given up.
func (w *Monitor) checkAudited(f *followed, n, edition int) {
	if f.audited < n && edition >= fsm.FourthEdition {
		w.violate("INV-14", "handle %d has started call %s and does not record it", f.id, f.starts[f.audited].key)
	}
	f.audited = n
}

// checkResults checks that no call of the last answer has the result of another (INV-14).
// A result that differs from what its tool answered has been shortened, or is a stand-in.
func (w *Monitor) checkResults(f *followed, talk []fsm.Message) {
	asked := -1
	for i := range talk {
		if len(talk[i].Calls) > 0 {
			asked = i
		}
	}
	other := func(s start) bool { return s.n >= len(talk[asked].Calls) || talk[asked].Calls[s.n].Args != s.args }
	if asked < 0 || slices.ContainsFunc(f.starts, other) {
		return // the last answer has left the conversation, or is not in what is asked about it
	}
	for i := range f.starts {
		s, at := &f.starts[i], asked+1+f.starts[i].n
		if s.text == "" || s.failed || at >= len(talk) || talk[at].Text == s.text {
			continue
		}
		for k := range f.starts {
			if o := &f.starts[k]; o.text == talk[at].Text && !o.failed {
				w.violate("INV-14", "handle %d gives call %s the result of call %s", f.id, s.key, o.key)
			}
		}
	}
}
