package machine

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/prompt"
	"shelly/fsm/reading"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// clippedBytes is how much is left of an old tool result (CTX-4).
const clippedBytes = 120

// condense shortens the running conversation before it is sent, if it is over the threshold
// (CTX-3) or, with force, because the model's server said that it does not fit (CTX-8). It
// reports whether anything can be done.
func (m *Machine) condense(h *state.Handle, force bool) (firing, bool) {
	c := &m.s.Config
	if !c.Switches.Compress || !h.Answers() || h.Inf.Compactions >= c.Limits.MaxCompactions { // CTX-9
		return firing{}, false
	}
	if !force && !m.overlong(h) {
		return firing{}, false
	}
	cut := fit.Condensable(&m.s.Config, h, fsm.CutAt(h.Inf.Talk.Messages, c.Limits.KeepMessages))
	if old := leaving(h, cut); len(old) == 0 || len(old) == 1 && m.s.Config.Summed(h.Inf.Talk.Messages) {
		return firing{}, false // nothing would leave, or only an earlier summary
	}
	appended := !force && m.condensesAppended(h, cut)
	return firing{on: state.OnCondense, write: func(h *state.Handle) {
		h.Inf.Compactions++
		h.Condensed = true
		h.Inf.Cut, h.Inf.Appended = cut, appended
		if !appended {
			m.clipResults(h, cut)
			m.unload(h, newestAt(h, cut))
		}
	}}, true
}

// overlong reports whether the running conversation is over the threshold (CTX-3), or is to be
// shortened before it is (HND-67).
func (m *Machine) overlong(h *state.Handle) bool {
	if h.Compacts {
		return !h.Ahead && h.Inf.Compactions == 0
	}
	return fit.Overlong(&m.s.Config, h, h.Inf.Talk, prompt.Tools(&m.s.Config, h))
}

// condenseLess asks for the summary again after its prompt was longer than estimated: for a
// summary of fewer messages, and by itself if it was asked for after the conversation
// (CTX-12). If that does not make the prompt shorter, there is no summary, and what was
// learnt counts for the next prompt.
func (m *Machine) condenseLess(h *state.Handle, in fsm.BrainFailed) firing {
	c, learnt := &m.s.Config, h.Sess
	system, talk, tools := m.condensePrompt(h)
	talk = m.fitAside(h, system, talk, tools)
	estimate := c.EstimateOf(system, talk, tools, &h.Sess.Offer)
	if m.refused(&learnt, estimate); learnt.Corrected(estimate) <= c.PromptRoom() {
		return m.condensed(h, "", m.whyFailed(in))
	}
	with := *h
	with.Sess = learnt
	cut := fit.Condensable(c, &with, fsm.CutAt(h.Inf.Talk.Messages, c.Limits.KeepMessages))
	less := func(h *state.Handle) {
		if h.Inf.Appended {
			m.clipResults(h, cut)
			m.unload(h, newestAt(h, cut))
		}
		h.Inf.Cut, h.Inf.Appended = cut, false
	}
	less(&with)
	system, part, tools := m.condensePrompt(&with)
	if h.Inf.Refits >= refitsMax || m.fitAside(&with, system, part, tools).Tokens >= talk.Tokens {
		return m.condensed(h, "", m.whyFailed(in)).after(func(h *state.Handle) { h.Sess.Ratio = learnt.Ratio })
	}
	return refitted(learnt.Ratio).after(less)
}

// newestAt returns the messages that stay at a cut.
func newestAt(h *state.Handle, cut int) []fsm.Message {
	return append(slices.Clone(h.Inf.Talk.Messages[cut:]), h.Inf.Talk.Messages[h.TurnAt])
}

// condensesAppended reports whether the summary of what leaves is asked for after the
// conversation as it is, so that the model's server need not read it again (CTX-20). It is,
// if that leaves an eighth of context_tokens for the answer.
func (m *Machine) condensesAppended(h *state.Handle, cut int) bool {
	c := &m.s.Config
	if c.Switches.SideCalls != fsm.SideAppended {
		return false
	}
	return fit.Appendable(c, h, prompt.System(c, h), m.condensing(h, cut), prompt.Tools(c, h))
}

// condensing returns the part of the conversation that leaves, or the part that the model
// knows if that is longer, with the request for its summary.
func (m *Machine) condensing(h *state.Handle, cut int) fsm.Conversation {
	talk := h.Inf.Talk
	if m.s.Config.Edition >= fsm.EighthEdition {
		talk = fsm.Conversation{}.Add(talk.Messages[:max(cut, known(h))]...)
	}
	return talk.With(fsm.Message{Role: fsm.RoleUser, Text: m.s.Config.Prompts.Compress})
}

// known returns how many messages of the running conversation the model knows: those that it
// was last sent, and its answer to them, unless the answer consists of calls, whose results
// it has not seen.
func known(h *state.Handle) int {
	talk := h.Inf.Talk.Messages
	for n := len(talk) - 1; n > h.TurnAt; n-- {
		switch {
		case talk[n].Role != fsm.RoleAssistant:
		case len(talk[n].Calls) > 0:
			return n
		default:
			return n + 1
		}
	}
	return h.TurnAt
}

// clipResults puts short extracts in place of old tool results (CTX-4).
func (m *Machine) clipResults(h *state.Handle, cut int) {
	msgs := slices.Clone(h.Inf.Talk.Messages)
	for n := range msgs[:cut] {
		if msg := &msgs[n]; msg.Role == fsm.RoleTool && len(msg.Text) > clippedBytes {
			msg.Text = m.word(fsm.WordOldResult, "bytes", strconv.Itoa(len(msg.Text)), "start", fsm.Clip(msg.Text, clippedBytes))
		}
	}
	h.Inf.Talk = fsm.Conversation{}.Add(msgs...)
}

// unload drops loaded skills that neither the newest messages nor the present
// question mention (CTX-6).
func (m *Machine) unload(h *state.Handle, newest []fsm.Message) {
	var kept []fsm.LoadedSkill
	for _, s := range h.Sess.Skills {
		if mentioned(s.Name, newest) {
			kept = append(kept, s)
		}
	}
	h.Sess.Skills = kept
}

func mentioned(name string, msgs []fsm.Message) bool {
	for _, msg := range msgs {
		if strings.Contains(msg.Text, name) {
			return true
		}
		for _, c := range msg.Calls {
			if strings.Contains(c.Args, name) {
				return true
			}
		}
	}
	return false
}

// leaving returns the messages before a cut. The present question always stays, so it is
// not among them.
func leaving(h *state.Handle, cut int) []fsm.Message {
	old := slices.Clone(h.Inf.Talk.Messages[:cut])
	if h.TurnAt < cut {
		old = slices.Delete(old, h.TurnAt, h.TurnAt+1)
	}
	return old
}

// askCondensed asks for a summary of the messages that leave (CTX-5).
func (m *Machine) askCondensed(i int) firing {
	h := &m.s.Handles[i]
	system, talk, tools := m.condensePrompt(h)
	m.ask(h, fsm.PurposeCompact, system, talk, tools)
	return firing{}
}

// condensePrompt returns the prompt for the summary, before it is made to fit (CTX-14).
func (m *Machine) condensePrompt(h *state.Handle) (string, fsm.Conversation, fsm.Toolset) {
	if h.Inf.Appended {
		return prompt.System(&m.s.Config, h), m.condensing(h, h.Inf.Cut), prompt.Tools(&m.s.Config, h)
	}
	talk := fsm.Conversation{}.Add(leaving(h, h.Inf.Cut)...).Add(fsm.Message{Role: fsm.RoleUser, Text: m.s.Config.Prompts.Compress})
	return m.s.Config.Prompts.Identity, talk, fsm.NoTools
}

// condensedText returns the summary in an answer. A tool call in the answer is not run, and
// is not part of the summary: the tools are offered only to keep the prompt as it was.
func (m *Machine) condensedText(h *state.Handle, in fsm.BrainAnswered) string {
	if !h.Inf.Appended {
		return in.Text
	}
	return reading.Understand(&m.s.Config, prompt.Tools(&m.s.Config, h), h.Inf.Talk, in, 0).Text // its calls, which are named by the number, are not taken
}

// condensed puts the summary in place of the messages that it sums up; without one, whole
// old turns are left out (CTX-7), and why tells people the reason. The originals are in the
// session's archive.
func (m *Machine) condensed(h *state.Handle, summary, why string) firing {
	s := strings.TrimSpace(fsm.WithoutNeed(summary))
	if s == "" && h.Compacts {
		return m.uncompressed().after(func(h *state.Handle) { m.upkeepFailed(h, fsm.WordNotSummedUp, why) })
	}
	return firing{on: state.OnCondensed, write: func(h *state.Handle) {
		talk, cut := h.Inf.Talk.Messages, h.Inf.Cut
		if h.Sess.Offer.Made() { // TOL-61: by what was used until now
			h.Sess.Offer = m.offered(h, talk)
		}
		if h.Inf.Appended { // until now the system prompt had to stay
			m.unload(h, newestAt(h, cut))
			h.Inf.Appended = false
		}
		var msgs []fsm.Message
		if s != "" {
			msgs = append(msgs, turn.Summary(&m.s.Config, m.word(fsm.WordEarlierSummary, "summary", s), m.derived(h, talk[:cut])))
		} else {
			cut = fsm.NextTurn(talk, cut, h.TurnAt)
			if m.s.Config.Edition < fsm.SixthEdition {
				why = m.noUse(h) // which is of an inference that has ended
			}
			m.upkeepFailed(h, fsm.WordNotSummedUp, why)
		}
		if h.TurnAt >= cut {
			h.TurnAt += len(msgs) - cut
		} else {
			question := talk[h.TurnAt]
			h.TurnAt = len(msgs)
			msgs = append(msgs, question)
		}
		h.Inf.Talk = fsm.Conversation{}.Add(turn.ImagesLeft(&m.s.Config, append(msgs, talk[cut:]...), h.TurnAt)...)
	}}
}

// uncondensed goes on when the time for a summary is up (CTX-7).
func (m *Machine) uncondensed(h *state.Handle) firing {
	return m.condensed(h, "", m.word(fsm.WordUpkeepLate))
}
