package machine

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/prompt"
	"shelly/fsm/queue"
	"shelly/fsm/state"
)

// ask sends a conversation to the model.
func (m *Machine) ask(h *state.Handle, purpose fsm.Purpose, system string, talk fsm.Conversation, tools fsm.Toolset) {
	if aside(purpose) {
		talk = m.fitAside(h, system, talk, tools)
	}
	ask := fsm.AskBrain{
		Asked:        fsm.Asked{Call: m.await(h, fsm.CallBrain), Handle: h.ID},
		Session:      h.Session,
		Purpose:      purpose,
		System:       system,
		Conversation: talk.Fork(),
		Tools:        tools,
		Offer:        h.Sess.Offer,
		Options:      m.options(purpose),
		ThinkTokens:  m.s.Config.ThinkRoom(),
		NoThinking:   h.Inf.Unthinking,
	}
	if tools == fsm.NoTools {
		ask.Offer = fsm.Offer{}
	}
	if m.s.Config.Switches.Compress || m.s.Config.Fits() {
		ask.Tokens = h.Sess.Corrected(m.s.Config.EstimateOf(system, talk, tools, &h.Sess.Offer))
	}
	m.measure(h, &ask)
	queue.AskedFor(&m.s, h.Session)
	m.emit(ask)
}

// offer chooses what the session's model calls show of the tools, if no choice was made yet
// or the tools have changed since (TOL-61).
func (m *Machine) offer(h *state.Handle, system string, tools fsm.Toolset) {
	c := &m.s.Config
	if tools == fsm.NoTools || offer.Holds(c, tools, system, &h.Sess.Offer) {
		return
	}
	h.Sess.Offer = m.offered(h, h.Inf.Talk.Messages)
}

// offered returns that choice for a conversation.
func (m *Machine) offered(h *state.Handle, talk []fsm.Message) fsm.Offer {
	c := &m.s.Config
	var used []string
	for _, msg := range slices.Backward(talk) {
		for _, call := range slices.Backward(msg.Calls) {
			used = append(used, call.Name)
		}
	}
	return offer.Build(c, prompt.Tools(c, h), prompt.System(c, h), used)
}

// countAnswer counts an answer of the model to a prompt of the given number of tokens.
func (m *Machine) countAnswer(h *state.Handle, prompt int) {
	m.learnTokens(h, prompt)
	h.Inf.Iterations++
	h.Inf.Waits = 0
}

// say adds messages to the running inference, and to the turn if it is one of the handle's
// own.
func (m *Machine) say(h *state.Handle, msgs ...fsm.Message) {
	for i := range msgs {
		msgs[i].Source |= m.sourceOf(h, &msgs[i])
	}
	h.Inf.Talk = h.Inf.Talk.Add(msgs...)
	if h.Loaded && h.Answers() {
		h.Turn = append(h.Turn, msgs...)
	}
}

// said collects what the model says along the way.
func said(inf *state.Inference, text string) {
	text = strings.TrimSpace(text)
	if _, marked := fsm.Need(text); text == "" || marked {
		return
	}
	if inf.Said != "" {
		inf.Said += "\n"
	}
	inf.Said += text
}

// repeats reports whether the last calls and their results are the same, or the
// same few in turn, often enough to conclude that this leads nowhere (INF-21).
func repeats(seen []uint64, times int) bool {
	for period := 1; period <= cycleMax; period++ {
		n := period * times
		if len(seen) < n || times < 2 {
			continue
		}
		tail := seen[len(seen)-n:]
		if slices.Equal(tail[period:], tail[:n-period]) {
			return true
		}
	}
	return false
}

// learnTokens corrects the estimate by what the model counted for the prompt that it has
// just answered.
func (m *Machine) learnTokens(h *state.Handle, counted int) {
	if !m.s.Config.Switches.Compress && !m.s.Config.Fits() || counted <= 0 || !h.Answers() {
		return
	}
	h.Sess.Learn(m.s.Config.EstimateOf(prompt.System(&m.s.Config, h), h.Inf.Talk, prompt.Tools(&m.s.Config, h), &h.Sess.Offer), counted)
}

// cycleMax is the longest cycle of calls that counts as repetition.
const cycleMax = 4

// iterationsOf returns how many answers of the model an inference of the handle may take.
func iterationsOf(l *fsm.Limits, h *state.Handle) int {
	if h.Kind == fsm.KindSubagent {
		return min(l.MaxIterations, l.SubagentIterations)
	}
	return l.MaxIterations
}

// paced returns the pace as it is known now.
func (m *Machine) paced() fsm.Pace {
	p := m.s.Config.Pace
	p.Reads, p.Writes = m.s.Reads, m.s.Writes
	return p
}

// pace adopts the speeds that a boot names; the others stay as they were learnt.
func (m *Machine) pace() {
	if n := m.s.Config.Pace.Reads; n > 0 {
		m.s.Reads = n
	}
	if n := m.s.Config.Pace.Writes; n > 0 {
		m.s.Writes = n
	}
}

// measure notes how many tokens of a prompt about to be sent the model's server has to
// read. The server should have cached the last prompt and its answer, if this one begins
// with them, or else what comes before the conversation (INF-51).
func (m *Machine) measure(h *state.Handle, ask *fsm.AskBrain) {
	if !m.s.Config.Switches.Progress {
		return
	}
	c := &m.s.Config
	inf := &h.Inf
	// What was sent is kept as it was estimated: its correction may change before it is compared.
	kept, looked := &fsm.Session{}, &h.Sess
	if c.Edition < fsm.SeventhEdition {
		kept, looked = looked, kept
	}
	estimate := c.Estimate(*ask)
	inf.Stage, inf.Prompt = "", h.Sess.Corrected(estimate)
	now := state.Sent{
		Before: ask.Before(), Fixed: kept.Corrected(c.EstimateOf(ask.System, fsm.Conversation{}, ask.Tools, &h.Sess.Offer)),
		Messages: len(ask.Conversation.Messages), Hash: ask.Conversation.Hash, Tokens: kept.Corrected(estimate),
	}
	if n := now.Messages - 1; n >= 0 {
		now.Prior = ask.Conversation.HashAt(n)
		now.PriorTokens = now.Tokens - kept.Corrected(fsm.TextTokens(ask.Conversation.Messages[n].Text))
	}
	cached := m.s.Cached.Begins(&now, ask)
	if msg, ok := m.s.Cached.Answer(&now, ask); ok {
		cached += kept.Corrected(fsm.MessageTokens(msg))
	}
	inf.Anew = max(inf.Prompt-looked.Corrected(cached), 1)
	if c.Edition >= fsm.SeventhEdition {
		now.Session, now.Version, now.Typed = h.Session, h.Sess.Version, h.Typed
		if h.Kind != fsm.KindMemory || h.Compacts && !h.Ahead { // it is about to be saved
			now.Version++
		}
	}
	now.Opened = m.s.Cached.Opened && m.s.Cached.Before == now.Before
	m.s.Cached = now
}

// wholeRead notes that an answer has begun, so that the model's server has read all of the prompt (HND-72).
func (m *Machine) wholeRead(h *state.Handle) {
	if m.s.Config.Edition >= fsm.EighteenthEdition && m.s.Cached.Session == h.Session {
		m.s.Cached.Opened, m.s.Cached.Read = true, true
	}
}

// learnPace corrects the speeds by what an answer says about them.
func (m *Machine) learnPace(h *state.Handle, in fsm.BrainAnswered) {
	if !m.s.Config.Switches.Progress {
		return
	}
	m.s.Cached.Thought = in.Thinking != ""
	m.wholeRead(h)
	t := in.Tokens
	anew := h.Inf.Anew
	switch whole := h.Inf.Prompt; {
	case t.Prompt <= 0:
	case m.s.Config.Edition >= fsm.FifteenthEdition && t.Read > 0:
		anew = t.Read
	case m.s.Config.Edition < fsm.SeventhEdition: // what was not estimated was taken to be read
		anew = min(t.Prompt, max(t.Prompt-(whole-anew), 1))
	case whole > 0:
		anew = t.Prompt * anew / whole
	}
	m.s.Reads = fsm.Learn(m.s.Config.Edition, m.s.Reads, anew, t.Reading)
	m.s.Writes = fsm.Learn(m.s.Config.Edition, m.s.Writes, t.Answer, t.Writing)
}

// sourceOf returns where a message of the running inference comes from (MSG-1, MSG-2): an
// answer from the model and all that it was asked about; a result from its tool, and from a
// person, too, if one has spoken in its place; anything else from the operator.
func (m *Machine) sourceOf(h *state.Handle, msg *fsm.Message) fsm.Source {
	switch msg.Role {
	case fsm.RoleAssistant:
		return m.derived(h, h.Inf.Talk.Messages)
	case fsm.RoleTool:
		decl, _ := m.declared(h, msg.Tool)
		if h.Inf.Told != "" {
			return decl.SourceOf() | fsm.FromPerson
		}
		return decl.SourceOf()
	default:
		return fsm.FromOperator
	}
}

// derived returns the sources of a text that a model makes from messages.
func (m *Machine) derived(h *state.Handle, msgs []fsm.Message) fsm.Source {
	return h.Derived(&m.s.Config, msgs)
}
