package machine

import (
	"strconv"

	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// fit makes the conversation of an answering inference fit before it is sent (CTX-10). What
// is shortened here stays so, so that later prompts continue this one; therefore it is made
// shorter than it must be. fit returns false, with how the inference ends, if the request
// alone does not fit (CTX-11).
func (m *Machine) fit(h *state.Handle, system string, tools fsm.Toolset) (firing, bool) {
	c := &m.s.Config
	if !c.Fits() || !h.Answers() {
		return firing{}, true
	}
	room := fit.Room(&m.s.Config, h, system, tools)
	if asked := fsm.MessageTokens(h.Inf.Talk.Messages[h.TurnAt]); asked > room {
		tokens := h.Sess.Corrected(asked + c.EstimateOf(system, fsm.Conversation{}, tools, &h.Sess.Offer))
		if c.Edition >= fsm.NinthEdition {
			h.Inf.Talk = turn.Refused(c, h.Inf.Talk, h.TurnAt)
		}
		return endInference(state.OnError, fsm.OutcomeFailed, m.word(fsm.WordRequestTooLong, "tokens", strconv.Itoa(tokens),
			"room", strconv.Itoa(c.PromptRoom()), "window", strconv.Itoa(c.Limits.ContextTokens))), false
	}
	if h.Inf.Talk.Tokens <= room {
		return firing{}, true
	}
	h.Inf.Talk, h.TurnAt = fit.Answer(c.Words, h.Sess.Texts, h.Inf.Talk, h.TurnAt, room)
	h.Condensed = true
	return firing{}, true
}

// hopeless reports whether a question is too long however short the rest becomes, so that the
// model need not be asked for a summary first (CTX-11).
func (m *Machine) hopeless(h *state.Handle, s *fsm.Session, question fsm.Message, tools fsm.Toolset) bool {
	return m.s.Config.Edition >= fsm.SecondEdition && fit.Alone(&m.s.Config, h, s, question, tools)
}

// fitAside returns a conversation that ends with a message about it, as far as it fits: any
// of its texts is shortened, then the oldest messages are left out (CTX-14).
func (m *Machine) fitAside(h *state.Handle, system string, talk fsm.Conversation, tools fsm.Toolset) fsm.Conversation {
	room := fit.Room(&m.s.Config, h, system, tools)
	if !m.s.Config.Fits() || talk.Tokens <= room || len(talk.Messages) == 0 {
		return talk
	}
	if (h.Inf.Appended || h.Prefixed()) && fit.Appendable(&m.s.Config, h, system, talk, tools) {
		return talk
	}
	return fit.Aside(m.s.Config.Words, h.Sess.Texts, talk, room)
}

// refitsMax bounds how often one inference learns that a prompt was longer than estimated.
// Each time the estimate grows by a quarter or more, and it can grow to four times at most.
const refitsMax = 8

// refit sends a conversation again, shorter, after the server has found that it does not
// fit (CTX-12). It returns false if there is nothing to shorten.
func (m *Machine) refit(h *state.Handle) (firing, bool) {
	s, ok := m.outgrown(h)
	if !ok || h.Inf.Refits >= refitsMax {
		return firing{}, false
	}
	if m.s.Config.Edition < fsm.FifthEdition {
		return refitted(s.Ratio), true
	}
	return m.shorter(h, s)
}

// refitted asks again with the ratio that was learnt.
func refitted(ratio int) firing {
	return firing{on: state.OnRefit, write: func(h *state.Handle) {
		h.Sess.Ratio = ratio
		h.Inf.Refits++
	}}
}

// cramped asks again, shorter, if an answer was cut because the prompt had more tokens than
// estimated and took the answer's room (CTX-12).
func (m *Machine) cramped(h *state.Handle, prompt int) (firing, bool) {
	c, s := &m.s.Config, h.Sess
	if !c.Fits() || prompt <= c.PromptRoom() || h.Inf.Refits >= refitsMax {
		return firing{}, false
	}
	system, talk, tools := m.prompt(h)
	s.Learn(c.EstimateOf(system, talk, tools, &h.Sess.Offer), prompt)
	if c.Edition < fsm.SecondEdition {
		return refitted(s.Ratio), true
	}
	return m.shorter(h, s)
}

// shorter asks again with what the session has learnt, if that makes the prompt shorter. The
// prompt of a summary does not become shorter if the server holds the conversation (CTX-14).
func (m *Machine) shorter(h *state.Handle, learnt fsm.Session) (firing, bool) {
	with := *h
	with.Sess = learnt
	if less := m.handle.phase(h.State).less; less != nil && m.s.Config.Edition >= fsm.FifthEdition {
		return less(m, &with)
	}
	system, talk, tools := m.prompt(h)
	if h.Answers() {
		return refitted(learnt.Ratio), talk.Tokens > fit.Room(&m.s.Config, &with, system, tools)
	}
	return refitted(learnt.Ratio), m.fitAside(&with, system, talk, tools).Tokens < talk.Tokens
}

// outgrown returns the session with what a refusal has taught. It returns false if prompts are
// not kept within the window, or if the corrected estimate still fits.
func (m *Machine) outgrown(h *state.Handle) (fsm.Session, bool) {
	c, s := &m.s.Config, h.Sess
	if !c.Fits() {
		return s, false
	}
	system, talk, tools := m.prompt(h)
	estimate := c.EstimateOf(system, talk, tools, &h.Sess.Offer)
	m.refused(&s, estimate)
	return s, s.Corrected(estimate) > c.PromptRoom()
}

// refused corrects later estimates after a prompt with the given estimate was too long: that
// prompt has more tokens than the window and, if it was made for a larger window, no fewer
// than expected.
func (m *Machine) refused(s *fsm.Session, estimate int) {
	l := &m.s.Config.Limits
	if l.ContextTokens > s.Corrected(estimate) || m.s.Config.Edition < fsm.SixthEdition {
		s.Learn(estimate, l.ContextTokens)
	}
}

// prompt returns what the running inference has sent.
func (m *Machine) prompt(h *state.Handle) (string, fsm.Conversation, fsm.Toolset) {
	system, tools := prompt.System(&m.s.Config, h), prompt.Tools(&m.s.Config, h)
	if h.Answers() {
		return system, h.Inf.Talk, tools
	}
	return system, m.fitAside(h, system, h.Inf.Talk, tools), tools
}

// options returns the options of a model call. An answer about a conversation has a limit
// of its own (CTX-14).
func (m *Machine) options(purpose fsm.Purpose) fsm.Options {
	c := &m.s.Config
	o := c.Options
	if c.Fits() && aside(purpose) {
		o.MaxTokens = c.AnswerRoom()
	}
	if purpose == fsm.PurposePrefill {
		o.MaxTokens = 1 // none would be no bound
	}
	return o
}

// aside reports whether a model call is about a conversation rather than part of it.
func aside(purpose fsm.Purpose) bool {
	return purpose == fsm.PurposeSummary || purpose == fsm.PurposeCompact
}
