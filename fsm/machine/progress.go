package machine

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// A model call has a deadline by its progress (INF-50): to its first token, from what must
// be read and how fast, and from there to its end. Each stage that it comes to sets the
// next. Without the switch a call has no deadline but its handle's.

// paced is the pace as it is known now.
func (m *Machine) paced() fsm.Pace {
	p := m.s.Config.Pace
	p.Reads, p.Writes = m.s.Reads, m.s.Writes
	return p
}

// pace takes over the speeds that a boot names; the others stay as they were learnt.
func (m *Machine) pace() {
	if n := m.s.Config.Pace.Reads; n > 0 {
		m.s.Reads = n
	}
	if n := m.s.Config.Pace.Writes; n > 0 {
		m.s.Writes = n
	}
}

// measure notes what a call that is about to be made has to have read. What should be
// cached is the prompt sent last, if this one begins with it, or what stands before its
// conversation (INF-51).
func (m *Machine) measure(h *state.Handle, ask *fsm.AskBrain) {
	if !m.s.Config.Switches.Progress {
		return
	}
	c := &m.s.Config
	inf := &h.Inf
	inf.Stage, inf.Prompt = "", h.Sess.Corrected(c.Estimate(*ask))
	now := state.Sent{
		Before: before(ask), Fixed: h.Sess.Corrected(c.EstimateOf(ask.System, fsm.Conversation{}, ask.Tools)),
		Messages: len(ask.Conversation.Messages), Hash: ask.Conversation.Hash, Tokens: inf.Prompt,
	}
	if n := now.Messages - 1; n >= 0 {
		now.Prior = ask.Conversation.HashAt(n)
		now.PriorTokens = now.Tokens - h.Sess.Corrected(fsm.TextTokens(ask.Conversation.Messages[n].Text))
	}
	inf.Anew = max(inf.Prompt-cached(&m.s.Cached, &now, ask), 1)
	m.s.Cached = now
}

// cached is what of a prompt should not be read again after another: as much of that as it
// begins with.
func cached(last, now *state.Sent, ask *fsm.AskBrain) int {
	n := last.Messages
	switch {
	case last.Before != now.Before:
		return 0
	case n <= now.Messages && ask.Conversation.HashAt(n) == last.Hash:
		return last.Tokens
	case n > 0 && n-1 <= now.Messages && ask.Conversation.HashAt(n-1) == last.Prior:
		return last.PriorTokens
	default:
		return last.Fixed
	}
}

// before is the hash of what stands before a conversation.
func before(ask *fsm.AskBrain) uint64 {
	x := fsm.NewHasher(0)
	x.Str(ask.System)
	x.Str(string(ask.Tools))
	return x.Sum()
}

// answerTimeout is how long the model call of a handle may take to its next stage.
func answerTimeout(m *Machine, h *state.Handle) fsm.Millis {
	c := &m.s.Config
	if !c.Switches.Progress || !h.Inf.Running() || h.State == state.Compacting { // whose own wait bounds it
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

// summaryTokens are those of a summary or consolidation, at the most that a good one has.
const summaryTokens = 1024

// asideTokens is how long the answer of a call about a conversation may be.
func (m *Machine) asideTokens() int {
	if m.s.Config.Fits() {
		return m.s.Config.AnswerRoom()
	}
	return summaryTokens
}

// compactTimeout is how long a compaction may take to its next stage: its own time or, on a
// machine that is known to need longer for what it has to read or write, that.
func compactTimeout(m *Machine, h *state.Handle) fsm.Millis {
	limit, p := m.s.Config.Limits.CompactTimeout, m.paced()
	if !m.s.Config.Switches.Progress || p.Reads == 0 || p.Writes == 0 {
		return limit
	}
	if h.Inf.Stage == fsm.StageWriting {
		return max(limit, p.Rest(m.asideTokens()))
	}
	if h.Inf.Stage != fsm.StageLoading {
		p.Load = 0
	}
	return max(limit, p.FirstToken(h.Inf.Anew, h.Inf.Prompt))
}

// progressed takes note of a stage, and gives the call the time of the next.
func (m *Machine) progressed(in fsm.BrainProgress) {
	i := m.find(in.Call, fsm.CallBrain)
	if i < 0 || !m.s.Config.Switches.Progress || !in.Stage.Beyond(m.s.Handles[i].Inf.Stage) {
		m.s.Ignored.Progress++
		return
	}
	h := &m.s.Handles[i]
	h.Inf.Stage = in.Stage
	if in.Stage == fsm.StageLoading {
		h.Inf.Anew = h.Inf.Prompt // a model that was not loaded holds nothing
	}
	p := Awaits(h)
	if p.Wait.Purpose == "" {
		return
	}
	m.clearWait(h)
	if d := p.Wait.For(m, h); d > 0 {
		m.wait(h, p.Wait.Purpose, d)
	}
}

// silent is the end of the time that a call had to its next stage. The model is asked once
// more, after the longest wait: whoever is silent twice will be the third time.
func (m *Machine) silent(h *state.Handle) firing {
	last := len(m.s.Config.Limits.Backoff)
	in := fsm.BrainFailed{Class: fsm.BrainTimeout, Reason: m.word(fsm.WordNoProgress, "after", answerTimeout(m, h).String(), "setting", settingOf(h))}
	m.s.Cached = state.Sent{}
	f := m.brainFailed(h, in)
	if f.on == state.OnBackOff {
		return f.after(func(h *state.Handle) { h.Inf.Waits = max(h.Inf.Waits, last-1) })
	}
	return f
}

// outOfTime is what a client is told of a request whose time is over: why, by which setting,
// and what was done in it (HND-61).
func (m *Machine) outOfTime(h *state.Handle, why string) string {
	if !m.s.Config.Switches.Progress {
		return why
	}
	done := m.word(fsm.WordDoneNothing)
	if h.Uses > 0 {
		done = m.word(fsm.WordDoneCalls, "calls", strconv.Itoa(h.Uses), "tools", strings.Join(h.Used, ", "))
	}
	if said := h.Inf.Said; said != "" && h.Answers() {
		done += m.word(fsm.WordDoneSaid, "said", fsm.Clip(said, saidBytes))
	}
	return m.word(fsm.WordTimedOutDone, "why", why, "setting", h.TimeoutSetting(), "done", done)
}

// saidBytes is what is repeated of what the model has said on the way.
const saidBytes = 400

// settingOf is the setting that bounds the stage that a call is in.
func settingOf(h *state.Handle) string {
	if h.Inf.Stage == fsm.StageWriting {
		return "brain.timeouts.idle"
	}
	return "brain.timeouts.load"
}

// learnPace corrects the speeds by what an answer says of them.
func (m *Machine) learnPace(h *state.Handle, t fsm.Tokens) {
	if !m.s.Config.Switches.Progress {
		return
	}
	anew := h.Inf.Anew
	if t.Prompt > 0 {
		anew = min(t.Prompt, max(t.Prompt-(h.Inf.Prompt-h.Inf.Anew), 1))
	}
	m.s.Reads = fsm.Learn(m.s.Reads, anew, t.Reading)
	m.s.Writes = fsm.Learn(m.s.Writes, t.Answer, t.Writing)
}
