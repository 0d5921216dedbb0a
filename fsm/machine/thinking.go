package machine

import (
	"cmp"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/prompt"
	"shelly/fsm/reading"
	"shelly/fsm/state"
)

// think asks the model (INF-1), unless this is where a cancelled handle ends
// (HND-32) or the conversation has to be shortened first (CTX-3).
func (m *Machine) think(i int) firing {
	h, c := &m.s.Handles[i], &m.s.Config
	if m.standsBack(h) {
		return firing{} // it returns to the queue in this step
	}
	system, tools := prompt.System(c, h), prompt.Tools(c, h) // they depend on the handle and its session, which stay as they are below
	m.offer(h, system, tools)
	if h.Stop {
		return m.drop(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))
	}
	if m.begun(h, system, tools) {
		return m.uncompressed().after(m.spare)
	}
	switch f, ok := m.condense(h, false); {
	case ok && !m.hopeless(h, &h.Sess, h.Inf.Talk.Messages[h.TurnAt], tools):
		return f
	case h.Compacts && !h.Ahead && h.Inf.Compactions == 0:
		return m.uncompressed() // nothing would leave
	}
	if f, ok := m.fit(h, system, tools); !ok {
		return f
	}
	m.ask(h, h.Inf.Purpose, system, h.Inf.Talk, tools)
	return firing{}
}

// answered takes the model's answer: it is used, or the model is asked again if it cannot
// be.
func (m *Machine) answered(h *state.Handle, in fsm.BrainAnswered) firing {
	m.learnPace(h, in)
	switch {
	case h.Inf.State == state.Condensing:
		return m.condensed(h, m.condensedText(h, in), m.word(fsm.WordUpkeepUseless))
	case h.Compacts:
		return m.prefilled(in.Tokens.Prompt)
	}
	read := reading.Understand(&m.s.Config, prompt.Tools(&m.s.Config, h), h.Inf.Talk, in, h.Inf.Iterations+1)
	calls, text := read.Calls, read.Text
	if h.Answers() {
		text = reading.NeedText(&m.s.Config, text, h.State == state.Cognition)
	}
	if h.Prefixed() && len(calls) > 0 { // HND-49: the tools are offered only to keep the prompt as it was
		if calls = nil; strings.TrimSpace(text) == "" {
			return endInference(state.OnError, fsm.OutcomeFailed, m.word(fsm.WordEmptyAnswer)).after(func(h *state.Handle) { m.countAnswer(h, in.Tokens.Prompt) })
		}
	}
	switch nothing := len(calls) == 0 && in.Stop != fsm.StopMaxTokens; {
	case nothing && strings.TrimSpace(text) == "" && !m.takesNothing(h):
		return m.empty(h, in)
	case nothing && read.Unrunnable:
		hint, reason := m.unrunnable(in)
		return m.unusable(h, in.Tokens.Prompt, hint, reason)
	case m.overthought(h, in, text):
		return m.unthinking(h, in.Tokens.Prompt)
	case in.Stop == fsm.StopMaxTokens:
		if f, ok := m.cramped(h, in.Tokens.Prompt); ok {
			return f
		}
		calls = nil // INF-5: a call may have lost its end
	}
	thinking, prompt := in.Thinking, in.Tokens.Prompt // the rest of the answer is not retained
	return m.usable(h, in.Stop, calls, text).after(func(h *state.Handle) {
		m.countAnswer(h, prompt)
		h.Inf.Empty = 0
		m.say(h, fsm.Message{Role: fsm.RoleAssistant, Text: text, Thinking: thinking, Calls: calls})
		said(&h.Inf, text)
	})
}

// unrunnable returns what the model reads about a call that cannot be run, and what a
// person reads in the end.
func (m *Machine) unrunnable(in fsm.BrainAnswered) (hint, reason string) {
	switch {
	case m.s.Config.Switches.Reading != fsm.ReadingCareful:
		return m.word(fsm.WordActionAsText), m.word(fsm.WordActionAnswer)
	case in.AsText:
		return m.word(fsm.WordCallUnread), m.word(fsm.WordActionAnswer)
	default:
		return m.word(fsm.WordCallUntaken), m.word(fsm.WordUntakenAnswer)
	}
}

// takesNothing reports whether an empty answer is accepted (INF-32): as the handle's own,
// but not as a summary or a compaction.
func (m *Machine) takesNothing(h *state.Handle) bool {
	return h.Answers() && m.s.Config.Switches.EmptyAnswers
}

// usable goes on from an answer by its stop reason.
func (m *Machine) usable(h *state.Handle, stop fsm.Stop, calls []fsm.ToolCall, text string) firing {
	switch {
	case stop == fsm.StopMaxTokens:
		return endInference(state.OnMaxTokens, fsm.OutcomeCut, m.word(fsm.WordCutAnswer))
	case len(calls) == 0:
		return endInference(state.OnEndTurn, fsm.OutcomeAnswered, strings.TrimSpace(text))
	case h.Inf.Rounds >= m.s.Config.Limits.MaxToolRounds:
		f := endInference(state.OnLimit, fsm.OutcomeExhausted, m.word(fsm.WordOverRounds, "rounds", strconv.Itoa(h.Inf.Rounds)))
		return f.after(func(h *state.Handle) {
			for _, c := range calls {
				m.say(h, fsm.Message{Role: fsm.RoleTool, Text: m.word(fsm.WordNotRunRounds), Tool: c.Name, ToolCall: c.ID})
			}
		})
	default:
		return firing{on: state.OnToolsAsked, write: func(h *state.Handle) {
			h.Inf.Rounds++
			h.Inf.Calls, h.Inf.Next, h.Inf.Attempt = calls, 0, 0
		}}
	}
}

// empty asks again after an empty answer; if it has thinking, without any (INF-20).
func (m *Machine) empty(h *state.Handle, in fsm.BrainAnswered) firing {
	f := m.unusable(h, in.Tokens.Prompt, m.s.Config.Prompts.Empty, m.word(fsm.WordEmptyAnswer))
	if in.Thinking == "" || m.s.Config.Edition < fsm.EleventhEdition {
		return f
	}
	return f.after(func(h *state.Handle) { h.Inf.Unthinking = true })
}

// unusable asks again after an answer with nothing usable in it (INF-20, INF-29).
func (m *Machine) unusable(h *state.Handle, tokens int, prompt, reason string) firing {
	l := &m.s.Config.Limits
	f := firing{on: state.OnUnusable, write: func(h *state.Handle) {
		m.say(h, fsm.Message{Role: fsm.RoleUser, Text: prompt, Aside: true})
	}}
	switch {
	case h.Stop:
		f = m.drop(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled)) // HND-32
	case h.Inf.Empty+1 >= l.MaxAnswerAttempts, h.Inf.Iterations+1 >= iterationsOf(l, h):
		f = endInference(state.OnError, fsm.OutcomeFailed, reason) // INF-9
	}
	return f.after(func(h *state.Handle) {
		m.countAnswer(h, tokens)
		h.Inf.Empty++
	})
}

// overthought reports whether an answer was cut before it had any text
// (INF-33). A model that was told not to think is not told again.
func (m *Machine) overthought(h *state.Handle, in fsm.BrainAnswered, text string) bool {
	return m.s.Config.Limits.ThinkPercent > 0 && !h.Inf.Unthinking && in.Stop == fsm.StopMaxTokens &&
		in.Thinking != "" && strings.TrimSpace(text) == ""
}

// unthinking asks again, without thinking.
func (m *Machine) unthinking(h *state.Handle, tokens int) firing {
	f := firing{on: state.OnUnusable, write: func(h *state.Handle) {
		h.Inf.Unthinking = true
		h.Unthought = h.Unthought || h.Answers()
	}}
	switch {
	case h.Stop:
		f = m.drop(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled)) // HND-32
	case h.Inf.Iterations+1 >= iterationsOf(&m.s.Config.Limits, h):
		f = endInference(state.OnMaxTokens, fsm.OutcomeCut, m.word(fsm.WordCutAnswer))
	}
	return f.after(func(h *state.Handle) { m.countAnswer(h, tokens) })
}

// brainFailed waits and asks again if that can help (INF-15). Otherwise it ends the
// inference, and the caller decides what that means.
func (m *Machine) brainFailed(h *state.Handle, in fsm.BrainFailed) firing {
	switch {
	case h.Inf.State == state.Condensing && in.Class == fsm.BrainContextTruncated && m.s.Config.Edition >= fsm.FifthEdition && !h.Stop:
		return m.condenseLess(h, in)
	case h.Inf.State == state.Condensing:
		return m.condensed(h, "", m.whyFailed(in))
	case h.Compacts: // the summary is there
	case h.Stop: // HND-32: asking again would only end it there
		return m.drop(h, fsm.OutcomeCancelled, m.word(fsm.WordCancelled))
	case in.Class == fsm.BrainBadCall: // INF-43: the same prompt would bring the same call
		return m.unusable(h, 0, m.word(fsm.WordBadCall, "reason", in.Reason), m.whyFailed(in))
	case in.Class == fsm.BrainContextTruncated:
		s, grown := m.outgrown(h)
		if f, ok := m.condense(h, true); ok && !grown {
			return f
		} else if ok {
			return f.after(func(h *state.Handle) { h.Sess.Ratio = s.Ratio })
		}
		if f, ok := m.refit(h); ok {
			return f
		}
	case in.Class.Retryable() && h.Inf.Waits < len(m.s.Config.Limits.Backoff) && h.State != state.Compacting: // the next turn tries again
		if f, ok := m.backOff(); ok {
			return f.after(func(h *state.Handle) { h.Inf.Waits++ })
		}
	case (in.Class.Retryable() || in.Class == fsm.BrainMissingModel) && h.MayBePostponed() && h.Postponed < len(m.s.Config.Limits.Postpone):
		return m.postpone(h, m.whyFailed(in))
	}
	return endInference(state.OnError, fsm.OutcomeFailed, m.whyFailed(in))
}

// backOff waits before the model is asked again, if there is time for that: a shutdown leaves it to
// the next boot, and a farewell has none (LIF-16).
func (m *Machine) backOff() (f firing, ok bool) {
	switch late := m.s.Config.Edition >= fsm.TenthEdition; {
	case late && m.s.Lifecycle == state.Draining:
		return m.deferral(), true
	case late && m.s.Lifecycle == state.Farewell:
		return firing{}, false
	default:
		return firing{on: state.OnBackOff}, true
	}
}

// postpone gives back a handle's place until the model may be in reach again (HND-69). A
// shutdown leaves it to the next boot, and that wait counts as well.
func (m *Machine) postpone(h *state.Handle, reason string) firing {
	f := firing{on: state.OnPostpone, write: func(h *state.Handle) { h.Resume = h.State }}
	if m.s.Lifecycle != state.Serving {
		f = m.deferral()
	}
	return f.after(func(h *state.Handle) {
		h.Inf.Waits = 0
		if h.Postponed++; h.Postponed == 1 && h.Tells() {
			m.tellLater(h, reason)
		}
	})
}

// tellLater sends a message that a handle's answer comes later, to the chat that the answer
// would go to.
func (m *Machine) tellLater(h *state.Handle, reason string) {
	what := cmp.Or(h.Happened, fsm.Clip(h.Input, happenedBytes))
	m.send(h, fsm.SendMessage{Key: h.ID.Entry() + fsm.LaterKey, To: h.Origin, Text: m.word(fsm.WordPostponed, "what", what, "reason", reason)})
}

// resumed ends the wait of a postponed handle.
func (m *Machine) resumed(*state.Handle) firing { return firing{on: state.OnResume} }

// reached ends the waits of all postponed handles, as the model has answered.
func (m *Machine) reached() {
	for i := range m.s.Handles {
		if m.s.Handles[i].State == state.Postponed {
			m.fire(i, firing{on: state.OnResume})
		}
	}
}

// whyFailed returns what a person reads about a failure of the model.
func (m *Machine) whyFailed(in fsm.BrainFailed) string {
	if in.Class == fsm.BrainError {
		return m.word(fsm.WordBrainError, "reason", in.Reason)
	}
	return m.word(fsm.WordBrainFailed, "class", string(in.Class), "reason", in.Reason)
}
