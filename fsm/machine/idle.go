package machine

import (
	"shelly/fsm"
	"shelly/fsm/prompt"
	"shelly/fsm/queue"
	"shelly/fsm/state"
)

// quiet returns how long nobody may come before a memory handle asks for its summary
// (HND-66): as long as the model's server takes to read it and then again the conversation
// that it displaces; 0 if it displaces none, or if the server's speed is not known.
func quiet(m *Machine, h *state.Handle) fsm.Millis {
	c, held := &m.s.Config, &m.s.Cached
	if !c.Switches.Progress || held.Session == "" || held.IsOf(h) || m.s.Crowded() {
		return 0
	}
	talk, tools, asks := m.recap(h)
	if !asks {
		return 0
	}
	ask := fsm.AskBrain{System: prompt.System(c, h), Conversation: talk, Tools: tools, Offer: h.Sess.Offer}
	both := 0 // tokens with which the two begin alike
	if held.Before == ask.Before() {
		both = held.Fixed
	}
	return m.paced().Reading(h.Sess.Corrected(c.Estimate(ask)-both) + h.Sess.Corrected(held.Tokens-both))
}

// idled ends the wait: the summary is asked for, unless another handle runs by now.
func (m *Machine) idled(h *state.Handle) firing {
	if queue.HasPlace(&m.s, h) {
		return firing{on: state.OnSummarize}
	}
	return firing{on: state.OnYield}
}

// foresee queues the compression of a session's conversation if another turn as long as the
// one that has ended would exceed the threshold (HND-67). One that waits is of a conversation
// that the model's server does not hold any more, or has become longer.
func (m *Machine) foresee(h *state.Handle) {
	c := &m.s.Config
	if c.Edition < fsm.NinthEdition || !c.Switches.Compress {
		return
	}
	next, due := m.compression(h)
	for i := range m.s.Handles {
		if job := &m.s.Handles[i]; job.Compacts && job.State == state.Queued {
			m.fire(i, firing{on: state.OnFinish})
			break // there is no other
		}
	}
	if due {
		m.admit(next)
	}
}

// compression returns the handle that compresses the conversation of a turn, or false if that, as
// the model was last sent it, and with its answer, leaves room for another turn as long as this one.
func (m *Machine) compression(h *state.Handle) (next state.Handle, due bool) {
	c, held, talk := &m.s.Config, &m.s.Cached, h.Conversation().Messages
	if !h.Loaded || held.Session != h.Session || held.Version != h.Sess.Version+1 || len(talk) <= h.TurnAt {
		return next, false
	}
	more := fsm.Counted(talk[h.TurnAt:], talk[len(talk)-1:]).Tokens
	return state.Handle{
		Accepted:    state.Accepted{Kind: fsm.KindMemory, Session: h.Session, Origin: h.Origin, Input: m.word(fsm.WordNextInput), Source: fsm.FromOperator, Compacts: true},
		SessionTurn: state.SessionTurn{Sess: fsm.Session{Version: h.Sess.Version + 1}},
	}, h.Sess.Corrected(held.Tokens+more)*100 > c.Limits.ContextTokens*c.Limits.CompressPercent
}

// prefilled saves the conversation whose prompt has been read.
func (m *Machine) prefilled(tokens int) firing {
	return endInference(state.OnEndTurn, fsm.OutcomeAnswered, "").after(func(h *state.Handle) { m.countAnswer(h, tokens) })
}

// uncompressed ends a compression, and leaves the session as it was.
func (m *Machine) uncompressed() firing { return firing{on: state.OnFinish, write: m.giveUp} }

// hurryCompression ends a compression because somebody waits: without its summary, or, if only
// its reading is not over, with it.
func (m *Machine) hurryCompression() {
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		switch {
		case !h.Compacts || h.State != state.Execution:
			continue
		case h.Inf.State == state.Condensing:
			m.fire(i, m.uncompressed())
		default:
			m.fire(i, firing{on: state.OnKeep, write: m.giveUp})
		}
		return
	}
}
