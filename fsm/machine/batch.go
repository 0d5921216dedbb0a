package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/reading"
	"shelly/fsm/state"
)

// together starts the calls from Next on that may run at the same time, if there are at
// least two (INF-44), and reports whether it did.
func (m *Machine) together(h *state.Handle) bool {
	batch := m.batchAt(h)
	if batch == nil {
		return false
	}
	h.Inf.Batch = batch
	for k := range batch {
		if r := &batch[k]; !r.Shares() {
			decl, _ := m.declared(h, h.Inf.Calls[h.Inf.Next+k].Name)
			countCall(h, &decl)
			m.startRead(h, k, &decl)
		}
	}
	return true
}

// batchAt returns the batch that begins at Next, cut by the limits in the order asked, or
// nil if at most one of its calls would run.
func (m *Machine) batchAt(h *state.Handle) []state.Read {
	l := &m.s.Config.Limits
	if l.ReadsAtOnce < 2 || h.Stop || h.Inf.Told != "" || h.Inf.Cleared || h.Inf.Asked {
		return nil
	}
	var batch []state.Read
	starts := 0
	for n := h.Inf.Next; n < min(len(h.Inf.Calls), l.MaxCallsPerAnswer) && starts < l.ReadsAtOnce; n++ {
		decl, ok := m.readAt(h, n)
		if !ok {
			break
		}
		if _, equal := firstEqual(h, n); equal && m.shared(&decl) {
			batch = append(batch, state.Read{})
			continue
		}
		if h.Inf.Ran+starts >= l.MaxToolCalls { // INF-18
			break
		}
		starts++
		batch = append(batch, state.Read{Use: h.Uses + starts, Attempt: 1, Began: m.s.Now})
	}
	if starts < 2 {
		return nil
	}
	return batch
}

// readAt returns the declaration of the tool that the call of the answer at n names, or
// false if the call may not run together with others.
func (m *Machine) readAt(h *state.Handle, n int) (fsm.ToolDecl, bool) {
	c := h.Inf.Calls[n]
	decl, known := m.declared(h, c.Name)
	_, twice := reading.GivesTwice(&m.s.Config, c)
	return decl, known && !twice && decl.Effects == fsm.EffectsNone && !decl.Builtin && !m.needsApproval(h, &decl, c)
}

// countCall counts a call that is about to start.
func countCall(h *state.Handle, decl *fsm.ToolDecl) {
	h.Inf.Ran++
	h.Uses++
	if !slices.Contains(h.Used, decl.Name) {
		h.Used = append(h.Used, decl.Name)
	}
}

// startTool starts the call of the answer at n, on behalf of its own session and chat
// (INF-24).
func (m *Machine) startTool(h *state.Handle, call fsm.CallID, decl *fsm.ToolDecl, n, use, attempt int) {
	c := h.Inf.Calls[n]
	m.emit(fsm.RunTool{
		Asked:   fsm.Asked{Call: call, Handle: h.ID},
		Session: h.Session,
		Origin:  h.Origin,
		Name:    decl.Name,
		Args:    c.Args,
		Effects: decl.Effects,
		Attempt: attempt,
		Key:     h.KeyOf(c, use),
		Keep:    m.keep(h),

		Approved: h.Inf.Cleared || m.granted(h, decl, c),
		Source:   m.derived(h, h.Inf.Talk.Messages),
		Waits:    h.Inf.Works,
	})
}

// startRead starts the call at k of the batch.
func (m *Machine) startRead(h *state.Handle, k int, decl *fsm.ToolDecl) {
	r := &h.Inf.Batch[k]
	r.Call = fsm.CallID(m.next())
	m.startTool(h, r.Call, decl, h.Inf.Next+k, r.Use, r.Attempt)
}

// readAnswered takes the answer to a call of the batch. After the last one the calls get
// their results, or the failed ones are started again after one wait for all (INF-46).
func (m *Machine) readAnswered(h *state.Handle, in fsm.ToolAnswered) firing {
	k := h.Inf.Reading(in.Call)
	r := h.Inf.Batch[k]
	r.Call, r.Done, r.Took = 0, true, max(m.s.Now-r.Began, 0)
	if in.Failed && in.Invalid {
		in.Text = m.explainedAt(h, h.Inf.Next+k, in.Text)
	}
	r.Text, r.Failed, r.Nothing, r.Contained = m.resultText(in), in.Failed, in.Nothing, in.Contained
	if in.Kept.Ref != "" { // it is worded later, with its number, in the order asked
		r.Text, r.Kept = in.Text, in.Kept
	}
	r.Again = in.Failed && !in.Invalid && in.Asks == "" && r.Attempt < m.s.Config.Limits.MaxToolAttempts
	last := h.Inf.Reads() == 1
	if last && !h.Stop && (r.Again || m.failsAgain(h)) {
		return firing{on: state.OnToolFailed, write: func(h *state.Handle) { h.Inf.Batch[k] = r }}
	}
	return firing{on: state.OnRan, write: func(h *state.Handle) {
		h.Inf.Batch[k] = r
		for k := range h.Inf.Batch { // a cancel leaves no other attempt (INF-47)
			h.Inf.Batch[k].Again = h.Inf.Batch[k].Again && !last
		}
	}}
}

// failsAgain reports whether a call of the batch has failed and, under today's limit, is
// started again.
func (m *Machine) failsAgain(h *state.Handle) bool {
	return slices.ContainsFunc(h.Inf.Batch, func(r state.Read) bool { return r.Again && r.Attempt < m.s.Config.Limits.MaxToolAttempts })
}

// forgetAgain makes a failure final if its call is not started again under today's limit.
func (m *Machine) forgetAgain(h *state.Handle) {
	for k := range h.Inf.Batch {
		r := &h.Inf.Batch[k]
		r.Again = r.Again && r.Attempt < m.s.Config.Limits.MaxToolAttempts
	}
}

// actTogether goes on with a batch, if there is one: calls in flight are waited for, and
// failed ones are started again. It reports whether no batch is left.
func (m *Machine) actTogether(h *state.Handle) bool {
	if h.Inf.Reads() > 0 {
		return false
	}
	if m.readAgain(h); h.Inf.Reads() > 0 {
		return false
	}
	m.settleBatch(h)
	return true
}

// readAgain starts the failed calls of the batch once more (INF-46). A call whose tool is
// declared differently by now gets the result that its outcome is unknown.
func (m *Machine) readAgain(h *state.Handle) {
	m.forgetAgain(h)
	for k := range h.Inf.Batch {
		r := &h.Inf.Batch[k]
		if !r.Again {
			continue
		}
		decl, ok := m.repeatable(h, h.Inf.Next+k, false) // nothing with effects runs beside others, whatever it has done (INV-14)
		if !ok {
			if r.Again = false; !r.Nothing {
				r.Text = m.word(fsm.WordUnknownOutcome)
			}
			continue
		}
		*r = state.Read{Use: r.Use, Attempt: r.Attempt + 1, Began: r.Began}
		m.startRead(h, k, &decl)
	}
}

// resumeTogether goes on with a batch after its process was lost: the calls without an
// answer are started again, and no others (INF-49). It returns true if the batch is over,
// and what to fire if it is not.
func (m *Machine) resumeTogether(h *state.Handle) (firing, bool) {
	for k := range h.Inf.Batch {
		r := &h.Inf.Batch[k]
		if r.Done || r.Shares() {
			continue
		}
		if decl, ok := m.repeatable(h, h.Inf.Next+k, false); ok && !m.mustEnd(h) {
			m.startRead(h, k, &decl)
			continue
		}
		r.Done, r.Failed, r.Took, r.Text = true, true, max(m.s.Now-r.Began, 0), m.word(fsm.WordUnknownOutcome)
	}
	switch {
	case h.Inf.Reads() > 0:
		return firing{}, false
	case m.failsAgain(h) && !m.mustEnd(h):
		return firing{on: state.OnToolFailed}, false
	default:
		m.settleBatch(h)
		return firing{}, true
	}
}

// settleBatch audits the calls of the batch and gives them their results, in the order
// asked (INF-45), and moves Next past them.
func (m *Machine) settleBatch(h *state.Handle) {
	m.auditReads(h)
	batch := h.Inf.Batch
	h.Inf.Batch = nil
	for k := range batch {
		text := batch[k].Text
		if first, ok := firstEqual(h, h.Inf.Next); ok && batch[k].Shares() {
			earlier := earlierResult(h, first)
			text, batch[k].Shows = earlier.Text, earlier.Part
		}
		h.Inf.Shows = batch[k].Shows
		m.result(h, text)
		settle(&h.Inf)
	}
}
