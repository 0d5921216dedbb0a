package fsm

import (
	"slices"
	"strconv"
	"strings"
)

// clippedBytes is what is left of an old tool result (CTX-4).
const clippedBytes = 120

// condense shortens the running conversation before it is sent, if it is over the
// threshold (CTX-3), or in any case where the model has said that it does not fit
// (CTX-8). It reports whether anything can be done.
func (m *Machine) condense(h *Handle, force bool) (firing, bool) {
	c := &m.s.Config
	if !c.Switches.Compress || !h.answers() || h.Inf.Compactions >= c.Limits.MaxCompactions { // CTX-9
		return firing{}, false
	}
	if !force {
		tokens := h.Sess.corrected(c.estimate(m.system(h), h.Inf.Talk, m.offered(h)))
		if tokens*100 <= c.Limits.ContextTokens*c.Limits.CompressPercent {
			return firing{}, false
		}
	}
	cut := cutAt(h.Inf.Talk.Messages, c.Limits.KeepMessages)
	if old := h.leaving(cut); len(old) == 0 || len(old) == 1 && old[0].Role == RoleSystem {
		return firing{}, false // nothing would leave, or only a summary, for another
	}
	return firing{on: OnCondense, write: func(h *Handle) {
		h.Inf.Compactions++
		h.Condensed = true
		m.clipResults(h, cut)
		m.unload(h, append(slices.Clone(h.Inf.Talk.Messages[cut:]), h.Inf.Talk.Messages[h.TurnAt]))
		h.Inf.Cut = cut
	}}, true
}

// clipResults puts short extracts in place of old tool results (CTX-4).
func (m *Machine) clipResults(h *Handle, cut int) {
	msgs := slices.Clone(h.Inf.Talk.Messages)
	for n := range msgs[:cut] {
		if msg := &msgs[n]; msg.Role == RoleTool && len(msg.Text) > clippedBytes {
			msg.Text = m.word(WordOldResult, "bytes", strconv.Itoa(len(msg.Text)), "start", clip(msg.Text, clippedBytes))
		}
	}
	h.Inf.Talk = Conversation{}.add(msgs...)
}

// unload drops loaded skills that neither the newest messages nor the present
// question mention (CTX-6).
func (m *Machine) unload(h *Handle, newest []Message) {
	var kept []LoadedSkill
	for _, s := range h.Sess.Skills {
		if mentioned(s.Name, newest) {
			kept = append(kept, s)
		}
	}
	h.Sess.Skills = kept
}

func mentioned(name string, msgs []Message) bool {
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

// leaving returns the messages before a cut. The present question stays whatever
// happens, so it is not among them.
func (h *Handle) leaving(cut int) []Message {
	old := slices.Clone(h.Inf.Talk.Messages[:cut])
	if h.TurnAt < cut {
		old = slices.Delete(old, h.TurnAt, h.TurnAt+1)
	}
	return old
}

// askCondensed asks for a summary of the messages that leave (CTX-5).
func (m *Machine) askCondensed(i int) firing {
	h := &m.s.Handles[i]
	talk := Conversation{}.add(h.leaving(h.Inf.Cut)...).add(Message{Role: RoleUser, Text: m.s.Config.Prompts.Compress})
	m.ask(h, PurposeCompact, m.s.Config.Prompts.Identity, talk, NoTools)
	return firing{}
}

// condensed puts the summary in place of what it stands for; without one, whole old
// turns are left out (CTX-7). The originals are in the session's archive.
func (m *Machine) condensed(summary string) firing {
	return firing{on: OnCondensed, write: func(h *Handle) {
		talk, cut := h.Inf.Talk.Messages, h.Inf.Cut
		var msgs []Message
		if s := strings.TrimSpace(withoutMarker(summary)); s != "" {
			msgs = append(msgs, Message{Role: RoleSystem, Text: m.word(WordEarlierSummary, "summary", s)})
		} else {
			cut = nextTurn(talk, cut, h.TurnAt)
		}
		switch {
		case h.TurnAt >= cut:
			h.TurnAt += len(msgs) - cut
		case canary == CanaryEatenQuestion:
			h.TurnAt = 0
		default:
			question := talk[h.TurnAt]
			h.TurnAt = len(msgs)
			msgs = append(msgs, question)
		}
		h.Inf.Talk = Conversation{}.add(append(msgs, talk[cut:]...)...)
		h.Inf.Cut = 0
	}}
}

// uncondensed is the end of the time for a summary (CTX-7).
func (m *Machine) uncondensed(*Handle) firing { return m.condensed("") }

// nextTurn returns where the next turn begins at or behind cut, so that nothing is
// left of the one that cut stands in; behind the present question that is cut.
func nextTurn(talk []Message, cut, question int) int {
	for n := cut; n <= question && n < len(talk); n++ {
		if talk[n].Role == RoleUser && !talk[n].Aside {
			return n
		}
	}
	return cut
}
