package machine

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/reading"
	"shelly/fsm/state"
)

// act runs the calls of the last answer in order (INF-4), or together if they only read
// (INF-44), itself answers those that cannot run (INF-8, INF-10), and goes on once every
// call has its result. Before that it starts a failed call once more, settles one whose
// probe could not tell, and waits for one that is still being worked on.
func (m *Machine) act(i int) firing {
	h := &m.s.Handles[i]
	if !m.actTogether(h) {
		return firing{}
	}
	switch {
	case h.Inf.Probed:
		if f, over := m.unknown(h); !over {
			return f
		}
		settle(&h.Inf)
	case h.Inf.Works:
		m.waitAgain(h)
		return firing{}
	case h.Inf.Attempt > 0:
		if !m.attemptAgain(h) {
			return firing{}
		}
		settle(&h.Inf)
	}
	return m.runCalls(i)
}

// runCalls runs the calls from Next on.
func (m *Machine) runCalls(i int) firing {
	for {
		h := &m.s.Handles[i]
		if h.Inf.Next >= len(h.Inf.Calls) {
			return m.acted(h)
		}
		if m.together(h) {
			return firing{}
		}
		if f, settled := m.begin(i); !settled {
			return f
		}
		settle(&m.s.Handles[i].Inf)
	}
}

// begin begins the call at Next. It returns true if the call has its result already. If the
// result or a person is awaited, it returns false, with what to fire.
func (m *Machine) begin(i int) (firing, bool) {
	h := &m.s.Handles[i]
	c, l := h.Inf.Calls[h.Inf.Next], &m.s.Config.Limits
	decl, known := m.declared(h, c.Name)
	asks := h.Inf.Asked || m.needsApproval(h, &decl, c) // APR-15
	key, twice := reading.GivesTwice(&m.s.Config, c)
	shared, shares := m.sharedResult(h, &decl)
	switch {
	case h.Stop:
		m.notRun(h, m.word(fsm.WordNotRunCancelled))
	case h.Inf.Told != "":
		m.notRun(h, h.Inf.Told)
	case h.Inf.Next >= l.MaxCallsPerAnswer:
		m.notRun(h, m.word(fsm.WordNotRunPerAnswer, "limit", strconv.Itoa(l.MaxCallsPerAnswer)))
	case shares:
		m.result(h, shared)
	case h.Inf.Ran >= l.MaxToolCalls: // INF-18
		h.Inf.Capped = true
		m.notRun(h, m.word(fsm.WordNotRunCalls, "limit", strconv.Itoa(l.MaxToolCalls)))
	case !known:
		m.notRun(h, m.word(fsm.WordError, "reason", m.unknownTool(h, c.Name)))
	case twice:
		m.notRun(h, m.word(fsm.WordError, "reason", m.word(fsm.WordArgumentTwice, "argument", fsm.Clip(key, 100))))
	case asks && !h.Inf.Cleared && !h.Inf.Asked && !h.MayWait(m.s.Config.Switches.Unattended):
		m.notRun(h, m.word(fsm.WordNotRunUnattended)) // APR-4
	case asks && !h.Inf.Cleared:
		return m.askApproval(""), false
	case decl.Builtin:
		m.beginCall(h, &decl)
		return firing{}, m.builtin(i, decl.Name)
	default:
		m.beginCall(h, &decl)
		m.run(h, decl)
		return firing{}, false
	}
	return firing{}, true
}

// beginCall counts the call at Next, which is about to start.
func (m *Machine) beginCall(h *state.Handle, decl *fsm.ToolDecl) {
	countCall(h, decl)
	h.Inf.Attempt, h.Inf.Began, h.Inf.Effects = 1, m.s.Now, decl.Effects
	h.Inf.Asked, h.Inf.Why = false, ""
}

// run starts the call at Next in the world.
func (m *Machine) run(h *state.Handle, decl fsm.ToolDecl) {
	h.Inf.Effects = decl.Effects
	m.startTool(h, m.await(h, fsm.CallTool), &decl, h.Inf.Next, h.Uses, h.Inf.Attempt)
}

// acted goes on once every call of an answer has its result: to an end if a cap was
// reached, to the model otherwise.
func (m *Machine) acted(h *state.Handle) firing {
	l := &m.s.Config.Limits
	iterations := iterationsOf(l, h)
	h.Inf.Capped = h.Inf.Capped || m.s.Config.Switches.StopAtCalls && h.Inf.Ran >= l.MaxToolCalls // INF-31
	f := firing{on: state.OnResults}
	switch reflection := m.s.Config.Prompts.Reflection; {
	case h.Stop:
		f = m.drop(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))
	case h.Inf.Iterations >= iterations:
		f = endInference(state.OnLimit, fsm.OutcomeExhausted, m.word(fsm.WordOverIterations, "limit", strconv.Itoa(iterations)))
	case h.Inf.Capped:
		f = endInference(state.OnLimit, fsm.OutcomeExhausted, m.word(fsm.WordOverCalls, "limit", strconv.Itoa(l.MaxToolCalls)))
	case repeats(h.Inf.Seen, l.MaxRepeats):
		f = endInference(state.OnLimit, fsm.OutcomeExhausted, m.word(fsm.WordOverRepeats))
	case reflection != "":
		f.write = func(h *state.Handle) { m.say(h, fsm.Message{Role: fsm.RoleUser, Text: reflection, Aside: true}) } // INF-22
	}
	h.Inf.Calls, h.Inf.Next = nil, 0
	return f
}

// toolAnswered gives the running call its result, or starts it again later (INF-16): an
// unsafe one only if it says that nothing happened (INV-6). A failure is a result that the
// model sees. What becomes of a tool that a crash interrupted is decided in resumeActing
// (INF-13).
func (m *Machine) toolAnswered(h *state.Handle, in fsm.ToolAnswered) firing {
	if len(h.Inf.Batch) > 0 {
		return m.readAnswered(h, in)
	}
	if in.Asks != "" && !h.Inf.Cleared && !h.Stop {
		return m.toolAsks(h, in)
	}
	m.unsafe = !h.Inf.Effects.Repeatable()
	// INF-16, INV-6: here an unsafe tool that answered is kept from starting twice.
	again := in.Failed && !in.Invalid && in.Asks == "" && (in.Nothing || h.Inf.Effects.Repeatable())
	if again && h.Inf.Attempt < m.s.Config.Limits.MaxToolAttempts && !h.Stop {
		return firing{on: state.OnToolFailed, write: func(h *state.Handle) { h.Inf.Nothing, h.Inf.Works = in.Nothing, false }}
	}
	if in.Failed && in.Invalid {
		in.Text = m.explained(h, in.Text)
	}
	text, sess, shown := m.admitted(h, in)
	return m.ran(text, in.Failed).after(func(h *state.Handle) {
		h.Sess, h.Inf.Shows, h.Inf.Contained = sess, shown, in.Contained
	})
}

// retry ends the wait before another attempt, or before the model is asked again.
func (m *Machine) retry(*state.Handle) firing { return firing{on: state.OnRetry} }

// resumeRetry ends the wait at once (INF-13).
func (m *Machine) resumeRetry(int) firing { return firing{on: state.OnRetry} }

// attemptAgain starts the failed call at Next once more (INF-16). If the tool's declaration
// has changed, so that another start might repeat what the first did (INV-6), it gives the
// call its result instead, and returns true.
func (m *Machine) attemptAgain(h *state.Handle) bool {
	decl, ok := m.repeatable(h, h.Inf.Next, h.Inf.Nothing)
	switch third := m.s.Config.Edition >= fsm.ThirdEdition; {
	case !ok && third && h.Inf.Nothing:
		m.ranWith(h, m.word(fsm.WordError, "reason", m.unknownTool(h, h.Inf.Calls[h.Inf.Next].Name)), true)
		return true
	case !ok:
		m.ranWith(h, m.word(fsm.WordUnknownOutcome), true)
		return true
	case third:
		h.Inf.Nothing = false // which is not known of this attempt
	}
	h.Inf.Attempt++
	h.Inf.Asked, h.Inf.Why, h.Inf.Works = false, "", false
	m.run(h, decl)
	return false
}

// resumeActing goes on with the call at Next after its process was lost, or after a
// person's decision. A call that was started has an unknown outcome. It is started again
// only if it may be repeated. If not, its tool or a person is asked, or the model learns
// that the outcome is unknown (INF-13, INV-6).
func (m *Machine) resumeActing(i int) firing {
	h := &m.s.Handles[i]
	if len(h.Inf.Batch) > 0 {
		if f, over := m.resumeTogether(h); !over {
			return f
		}
		return m.runCalls(i)
	}
	decl, ok := m.declared(h, h.Inf.Calls[h.Inf.Next].Name)
	switch {
	case h.Inf.Attempt == 0:
		return m.runCalls(i)
	case h.Inf.Told != "":
		m.ranWith(h, h.Inf.Told, true)
	case h.Inf.Asked && !ok && m.s.Config.Edition >= fsm.SecondEdition: // APR-15; it asked, so it has done nothing
		m.ranWith(h, m.word(fsm.WordError, "reason", m.unknownTool(h, h.Inf.Calls[h.Inf.Next].Name)), true)
	case h.Inf.Asked && !h.Inf.Cleared: // APR-15
		return m.askApproval(h.Inf.Why)
	case h.Inf.Asked: // APR-19
		if !m.attemptAgain(h) {
			return firing{}
		}
	// INF-13, INV-6: here an unsafe tool that a crash interrupted is kept from starting
	// twice. It was declared repeatable when it was started, and it still is.
	case h.Inf.Effects.Repeatable() && ok && decl.Effects.Repeatable() && !m.mustEnd(h):
		if !decl.Builtin {
			m.run(h, decl)
			return firing{}
		}
		if !m.builtin(i, decl.Name) {
			return firing{}
		}
	default:
		if f, over := m.unknown(h); !over {
			return f
		}
	}
	settle(&m.s.Handles[i].Inf)
	return m.runCalls(i)
}

func (m *Machine) unknownTool(h *state.Handle, name string) string {
	o := &h.Sess.Offer
	var names []string
	for _, t := range m.s.Config.Shown(&fsm.AskBrain{Tools: h.Inf.Tools, Offer: *o}) {
		names = append(names, t.Name)
	}
	if offer.Gone(o, name) { // TOL-63
		return m.word(fsm.WordToolGone, "tool", strconv.Quote(fsm.Clip(name, 100)))
	}
	if name == "" {
		return m.word(fsm.WordNamelessTool, "tools", strings.Join(names, ", "))
	}
	return m.word(fsm.WordUnknownTool, "tool", strconv.Quote(fsm.Clip(name, 100)), "tools", strings.Join(names, ", "))
}
