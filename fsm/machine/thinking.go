package machine

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// overthought reports whether an answer was cut before anything but thinking was written
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

// announced is a handle's answer as whoever asked gets it: with a word that there was no
// thinking where there was to be some.
func (m *Machine) announced(h *state.Handle) string {
	if !h.Unthought || h.Answer == "" {
		return h.Answer
	}
	notice := m.word(fsm.WordUnthought, "tokens", strconv.Itoa(m.s.Config.ThinkRoom()))
	return joinText(h.Answer, notice)
}
