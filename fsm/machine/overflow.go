package machine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/state"
)

// overflows reports whether a session's history is too long for the handle's turn, or is
// about to be cleared (SES-9, SES-10, SES-14), and messages would leave it.
func (m *Machine) overflows(h *state.Handle, s *fsm.Session) bool {
	if m.s.Config.Edition < fsm.SecondEdition {
		return m.tooLong(h, s)
	}
	with := *h
	with.Sess = *s
	return m.tooLong(h, s) && len(m.departing(&with)) > 0
}

func (m *Machine) tooLong(h *state.Handle, s *fsm.Session) bool {
	n := len(s.History)
	over := n > m.s.Config.Limits.MaxHistory || h.Command == commandNew && n > 0 || n > 0 && fit.Outgrows(&m.s.Config, h, s) && !m.hopeless(h, s, fit.Question(h), h.Toolset())
	switch m.s.Config.Switches.Overflow {
	case fsm.OverflowSummarize:
		return over
	case fsm.OverflowConsolidate:
		return over || len(s.Pending) > 0
	default:
		return false
	}
}

// stays returns how many of the newest messages a consolidation leaves.
func (m *Machine) stays(h *state.Handle) int {
	window := m.s.Config.Limits.MaxHistory
	switch {
	case h.Command == commandNew:
		return 0
	case m.s.Config.Switches.Overflow == fsm.OverflowSummarize:
		return fit.StaysWithin(&m.s.Config, h, window)
	default:
		return fit.StaysWithin(&m.s.Config, h, min(max(window/2, 2), 10))
	}
}

// compact asks the model what should remain of the messages that leave. It has a time limit
// of its own: if it takes longer, the turn loses only that time (SES-11).
func (m *Machine) compact(i int) firing {
	h := &m.s.Handles[i]
	var talk fsm.Conversation
	h.Portion, talk = m.asked(h)
	return m.infer(i, fsm.PurposeCompact, talk, fsm.NoTools)
}

// asked returns how the model is asked about as many of these messages as fit (CTX-13), and how
// many those are.
func (m *Machine) asked(h *state.Handle) (int, fsm.Conversation) {
	p := &m.s.Config.Prompts
	ask := p.Overflow
	if m.s.Config.Switches.Overflow == fsm.OverflowConsolidate {
		ask = p.Consolidate
	}
	portion, shown := fit.Portion(&m.s.Config, h, m.departing(h), ask)
	return portion, fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: m.overflowing(h, ask, shown)})
}

// askLess asks about fewer of these messages, after the prompt was longer than the session's
// estimate, which has been corrected; the others are left to a further call (CTX-12, CTX-13). It
// returns false if that does not make the prompt shorter.
func (m *Machine) askLess(h *state.Handle) (firing, bool) {
	portion, talk := m.asked(h)
	shown := func(h *state.Handle) { h.Portion, h.Inf.Talk = portion, talk }
	return refitted(h.Sess.Ratio).after(shown), talk.Tokens < h.Inf.Talk.Tokens
}

// departing returns the messages that leave a session, the oldest first: those pending
// since an earlier consolidation failed, and those of the history beyond what stays.
func (m *Machine) departing(h *state.Handle) []fsm.Message {
	cut := fsm.CutAt(h.Sess.History, m.stays(h))
	return slices.Concat(h.Sess.Pending, h.Sess.History[:cut])
}

// partOf returns how many of them the model was shown. A compaction that an older build
// began showed all.
func (m *Machine) partOf(h *state.Handle) int {
	if h.Portion == 0 {
		return len(m.departing(h))
	}
	return h.Portion
}

// overflowing returns what the model is shown of them.
func (m *Machine) overflowing(h *state.Handle, ask, conversation string) string {
	c := &m.s.Config
	if !c.Fits() {
		return m.word(fsm.WordOverflow, "ask", ask, "memory", h.Sess.Memory, "conversation", conversation)
	}
	words := strconv.Itoa(c.MemoryRoom() / 2)
	return m.word(fsm.WordOverflowSized, "ask", ask, "words", words, "memory", c.Words.Shorten(h.Sess.Memory, c.MemoryRoom()), "conversation", conversation)
}

// compacted takes what the model made of them, one part after another (CTX-13). If that is
// useless, or its time was up, nothing is lost: the messages stay and the next turn tries
// again (SES-11).
func (m *Machine) compacted(h *state.Handle) firing {
	text := fsm.WithoutNeed(h.Inf.Result)
	ok := h.Inf.State == state.Completed && m.consolidates(text)
	on := m.begins(h)
	switch {
	case ok && m.partOf(h) < len(m.departing(h)):
		on = state.OnAgain
	case h.Command == commandNew:
		on = state.OnSave
	}
	return firing{on: on, write: func(h *state.Handle) {
		m.giveUp(h)
		if ok {
			m.consolidate(h, text)
		} else {
			m.unconsolidated(h)
		}
		if h.Command == commandNew && on != state.OnAgain {
			m.renew(h)
		}
	}}
}

// unconsolidated keeps what could not be consolidated.
func (m *Machine) unconsolidated(h *state.Handle) {
	if h.Command == commandNew {
		h.Sess.Pending = append(h.Sess.Pending[:len(h.Sess.Pending):len(h.Sess.Pending)], h.Sess.History...)
		h.Sess.History = nil
	}
	m.shed(h)
	m.upkeepFailed(h, fsm.WordNotConsolidatedNow, m.noUse(h))
}

// consolidation is what a model answers to the prompt `consolidate`.
type consolidation struct {
	Entry  string `json:"history_entry"`
	Memory string `json:"memory_update"`
}

// consolidates reports whether a text can take the place of messages.
func (m *Machine) consolidates(text string) bool {
	if m.s.Config.Switches.Overflow == fsm.OverflowConsolidate {
		var c consolidation
		return readObject(text, &c) && strings.TrimSpace(c.Entry) != ""
	}
	return strings.TrimSpace(text) != ""
}

// consolidate takes such a text into MEMORY.md, and into HISTORY.md if the profile keeps
// one, and drops the messages that it stands for.
func (m *Machine) consolidate(h *state.Handle, text string) {
	part := m.partOf(h)
	leaving := part - len(h.Sess.Pending)
	all := m.departing(h)
	from := h.Sess.MemorySource | fsm.Joined(all[:min(part, len(all))]) | fsm.FromModel // MSG-2
	if m.s.Config.Switches.Overflow == fsm.OverflowConsolidate {
		var c consolidation
		readObject(text, &c)
		m.note(h, m.stamped(c.Entry))
		if update := strings.TrimSpace(c.Memory); update != "" && update != h.Sess.Memory {
			if m.s.Config.Fits() && fsm.TextTokens(h.Sess.Memory) > m.s.Config.MemoryRoom() { // the model has not seen all of it
				m.note(h, m.stamped(m.word(fsm.WordMemoryReplaced, "memory", h.Sess.Memory)))
			}
			h.Sess.Memory, h.Sess.MemorySource, h.Learnt = update, from, update
		}
	} else {
		h.Learnt = joinText(h.Learnt, strings.TrimSpace(text))
		h.Sess.Memory, h.Sess.MemorySource = joinText(h.Sess.Memory, strings.TrimSpace(text)), from
	}
	h.Sess.Pending = append([]fsm.Message(nil), h.Sess.Pending[min(part, len(h.Sess.Pending)):]...)
	h.Sess.History = m.s.Config.Words.Mend(h.Sess.History[max(leaving, 0):])
	m.upkeepDone()
}

// readObject reads the JSON object in a model's answer, whatever text is around it.
func readObject(text string, v any) bool {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	return from >= 0 && to > from && json.Unmarshal([]byte(text[from:to+1]), v) == nil
}
