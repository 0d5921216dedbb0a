package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// A model call has deadlines by its progress (INF-50): one for its first token, from how
// much must be read and how fast, and from there one for its end. Each stage that it
// reaches sets the next deadline. Without the switch a call has no deadline but its
// handle's.

// answerTimeout returns how long the model call of a handle may take to its next stage.
func answerTimeout(m *Machine, h *state.Handle) fsm.Millis {
	c := &m.s.Config
	if !c.Switches.Progress || !h.Inf.Running() || h.State == state.Compacting { // a compaction's own wait bounds it
		return 0
	}
	p := m.paced()
	if h.Inf.Stage != fsm.StageWriting {
		return p.FirstToken(h.Inf.Anew, h.Inf.Prompt)
	}
	longest := c.Options.MaxTokens
	if longest <= 0 {
		longest = c.Limits.ContextTokens
	}
	return p.Rest(longest)
}

// summaryTokens is the most tokens that a good summary or consolidation has.
const summaryTokens = 1024

// asideTokens returns how long the answer of a call about a conversation may be.
func (m *Machine) asideTokens() int {
	if m.s.Config.Fits() {
		return m.s.Config.AnswerRoom()
	}
	return summaryTokens
}

// compactTimeout returns how long a compaction may take to its next stage: its own time or,
// if the machine is known to need longer to read and write so much, that.
func compactTimeout(m *Machine, h *state.Handle) fsm.Millis {
	limit, p := m.s.Config.Limits.CompactTimeout, m.paced()
	writing := h.Inf.Stage == fsm.StageWriting
	if !m.s.Config.Switches.Progress || p.Writes == 0 || p.Reads == 0 && !writing {
		return limit
	}
	if writing {
		return max(limit, p.Rest(m.asideTokens()))
	}
	if h.Inf.Stage != fsm.StageLoading {
		p.Load = 0
	}
	return max(limit, p.FirstToken(h.Inf.Anew, h.Inf.Prompt))
}

// progressed notes a stage, and gives the call the time for the next.
func (m *Machine) progressed(in fsm.BrainProgress) {
	i := m.find(in.Call, fsm.CallBrain)
	if i < 0 || !m.s.Config.Switches.Progress || !in.Stage.Beyond(m.s.Handles[i].Inf.Stage) {
		m.s.Ignored.Progress++
		return
	}
	h := &m.s.Handles[i]
	h.Inf.Stage = in.Stage
	if in.Stage == fsm.StageLoading {
		h.Inf.Anew, m.s.Cached.Opened = h.Inf.Prompt, false // a model that was not loaded holds nothing
	}
	if in.Stage == fsm.StageWriting {
		m.wholeRead(h)
	}
	p := m.awaiting(h) // it has a wait, like every phase in which the model is awaited
	m.clearWait(h)
	if d := p.Wait.For(m, h); d > 0 {
		m.wait(h, p.Wait.Purpose, d)
	}
}

// silent handles a call that did not reach its next stage in time. The model is asked once
// more, after the longest wait and with more time: one that is silent twice would be silent a
// third time.
func (m *Machine) silent(h *state.Handle) firing {
	last := len(m.s.Config.Limits.Backoff)
	in := fsm.BrainFailed{Class: fsm.BrainTimeout, Reason: m.word(fsm.WordNoProgress, "after", answerTimeout(m, h).String(), "setting", settingOf(h))}
	m.s.Cached = state.Sent{}
	if m.s.Config.Edition >= fsm.SeventhEdition {
		p := m.paced().Doubt(h.Inf.Stage)
		m.s.Reads, m.s.Writes = p.Reads, p.Writes
	}
	f := m.brainFailed(h, in)
	if f.on == state.OnBackOff || f.on == state.OnPark {
		return f.after(func(h *state.Handle) { h.Inf.Waits = max(h.Inf.Waits, last-1) })
	}
	return f
}

// settingOf returns the setting that bounds the stage that a call is in.
func settingOf(h *state.Handle) string {
	if h.Inf.Stage == fsm.StageWriting {
		return "brain.timeouts.idle"
	}
	return "brain.timeouts.load"
}
