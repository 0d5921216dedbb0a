package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// foresee queues the compression of a session's conversation if another turn as long as the
// one that has ended would exceed the threshold (HND-67). A compression that still waits
// ends, because its conversation has become longer or is no longer the one that the model's
// server holds.
func (m *Machine) foresee(h *state.Handle) {
	if m.s.Config.Edition < fsm.NinthEdition || !m.s.Config.Switches.Compress {
		return
	}
	next, due := m.compression(h)
	for i := range m.s.Handles {
		if job := &m.s.Handles[i]; job.Compacts && job.State == state.Queued {
			m.fire(i, firing{on: state.OnFinish})
			break // one that is parked ends when it starts: the model was asked since
		}
	}
	if due {
		m.admit(next)
	}
}

// compression returns the handle that compresses the conversation of a turn, or false if the
// conversation leaves room for another turn as long as this one. The handle will not begin
// if the model has been asked for something else by then.
func (m *Machine) compression(h *state.Handle) (next state.Handle, due bool) {
	if !h.Loaded {
		return next, false
	}
	c, talk := &m.s.Config, h.Conversation().Messages
	tokens := m.s.Cached.Fixed + unthought(talk) + unthought(talk[h.TurnAt:])
	return state.Handle{
		Accepted:    state.Accepted{Kind: fsm.KindMemory, Session: h.Session, Origin: h.Origin, Input: m.word(fsm.WordNextInput), Source: fsm.FromOperator, Compacts: true},
		SessionTurn: state.SessionTurn{Sess: fsm.Session{Version: h.Sess.Version + 1}},
	}, h.Sess.Corrected(tokens)*100 > c.Limits.ContextTokens*c.Limits.CompressPercent
}

// unthought returns the tokens of messages as a later turn finds them: without thinking.
func unthought(msgs []fsm.Message) int {
	n := 0
	for _, msg := range msgs {
		msg.Thinking = ""
		n += fsm.MessageTokens(msg)
	}
	return n
}

// readAhead has the model's server read what the next question will probably come after: the
// conversation in which a person asked last, or what any begins with (HND-71). If anything else is to be
// done, the model reads for that; and without an initial inference at any start, it is asked nothing.
func (m *Machine) readAhead() {
	if c := &m.s.Config; readsAtStart(c) && c.Switches.Progress && m.s.Idle() {
		m.readNext(m.s.LastChat, false)
	}
}

func readsAtStart(c *fsm.Config) bool { return readsAhead(c) && c.Init != fsm.InitOff }

func readsAhead(c *fsm.Config) bool {
	return c.Switches.ReadAhead && c.Edition >= fsm.SeventeenthEdition
}

// readNext queues the reading of what the next question in a session comes after.
func (m *Machine) readNext(session string, typed bool) {
	m.admit(state.Handle{Accepted: state.Accepted{
		Kind: fsm.KindMemory, Session: session, Input: m.word(fsm.WordNextInput), Source: fsm.FromOperator, Compacts: true, Ahead: true, Typed: typed,
	}})
}

// ReadsFor reports whether the model's server should read what a question in a session comes
// after while a person writes it (HND-72): if nothing else is to be done that a memory handle would give way
// to, and the server does not hold it.
func (m *Machine) ReadsFor(in fsm.Typing) bool {
	c, held := &m.s.Config, &m.s.Cached
	if !readsAhead(c) || c.Edition < fsm.EighteenthEdition || !c.Switches.Progress || m.s.Lifecycle != state.Serving {
		return false
	}
	if !in.Unloaded && (held.Read && held.Session == in.Session || held.Opened && held.Spared == in.Session && in.Session != "") {
		return false
	}
	for i := range m.s.Handles {
		switch h := &m.s.Handles[i]; {
		case h.Suspended() || h.State == state.Parked:
		case h.Beside && (h.State == state.Queued || h.State == state.Idling) && c.Edition >= fsm.TwentyFirstEdition:
		case h.Kind != fsm.KindMemory, h.Ahead && h.Session == in.Session:
			return false
		}
	}
	return true
}

// typing reads ahead for a person who writes. What is read for another session ends.
func (m *Machine) typing(in fsm.Typing) {
	if !m.ReadsFor(in) {
		return
	}
	if in.Unloaded {
		m.s.Cached = state.Sent{}
	}
	m.unqueueReading()
	m.readNext(in.Session, true)
}

// begun reports whether a person writes the first question of a conversation, and the model's server holds
// what any begins with. Reading that would only displace the conversation that it holds.
func (m *Machine) begun(h *state.Handle, system string, tools fsm.Toolset) bool {
	ask := fsm.AskBrain{System: system, Tools: tools, Offer: h.Sess.Offer}
	return h.Typed && m.s.Cached.Opened && len(h.Inf.Talk.Messages) <= 1 && ask.Before() == m.s.Cached.Before
}

// spare notes, if a person writes, that nothing is to be read for that. The session is not loaded again to
// see that.
func (m *Machine) spare(h *state.Handle) {
	if h.Typed {
		m.s.Cached.Spared = h.Session
	}
}

// unqueueReading ends what waits to be read ahead.
func (m *Machine) unqueueReading() {
	if i := m.s.ReadingWaits(); i >= 0 {
		m.fire(i, m.uncompressed())
	}
}

// hurryCompression ends a compression because another handle waits.
func (m *Machine) hurryCompression() {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Compacts && h.State == state.Execution {
			m.fire(i, m.hurried(h))
			break // there is no other
		}
	}
}

// hurried ends a compression: with its summary if only the reading is unfinished, else
// without it. What is read ahead has no summary.
func (m *Machine) hurried(h *state.Handle) firing {
	if h.Ahead {
		return m.unread()
	}
	if h.Inf.State == state.Condensing {
		return m.uncompressed()
	}
	return firing{on: state.OnKeep, write: m.giveUp}
}

// unread ends what is read ahead before all of it has been read.
func (m *Machine) unread() firing { return m.uncompressed().after(m.readUntilNow) }

// readUntilNow notes how much of what is read ahead the model's server can have read by now at its
// known speed. At an unknown one all counts as read: a speed that is learnt from too many tokens would be
// too high.
func (m *Machine) readUntilNow(h *state.Handle) {
	if m.s.Reads <= 0 || h.Inf.Prompt <= 0 {
		return
	}
	read := h.Inf.Prompt - h.Inf.Anew
	if h.Inf.Stage != fsm.StageLoading {
		read += m.s.Reads * int((m.s.Now-h.Armed)/fsm.Second)
	}
	m.s.Cached.Upto(read, h.Inf.Prompt)
}

// uncompressed ends a compression, and leaves the session as it was.
func (m *Machine) uncompressed() firing { return firing{on: state.OnFinish, write: m.giveUp} }

// prefilled saves the conversation whose prompt has been read.
func (m *Machine) prefilled(tokens int) firing {
	return endInference(state.OnEndTurn, fsm.OutcomeAnswered, "").after(func(h *state.Handle) { m.countAnswer(h, tokens) })
}
