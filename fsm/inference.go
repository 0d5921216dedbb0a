package fsm

import (
	"slices"
	"strconv"
	"strings"
)

// Inference states.
const (
	Thinking   State = "thinking"
	Acting     State = "acting"
	BackingOff State = "backing_off"
	Retrying   State = "retrying"
	Condensing State = "compacting"
	Completed  State = "completed"
	Exhausted  State = "exhausted"
	Broken     State = "failed"
	Aborted    State = "aborted"
)

// Inference events.
const (
	OnToolsAsked Event = "tools_asked" // stop reason tool_use
	OnRan        Event = "ran"         // a call has its result, and others may follow
	OnResults    Event = "results"     // every call has its result
	OnUnusable   Event = "unusable"    // there is nothing to use in the answer, and the model is asked again
	OnEndTurn    Event = "end_turn"    // stop reason end_turn
	OnMaxTokens  Event = "max_tokens"  // stop reason max_tokens
	OnError      Event = "error"       // the model failed for good, or its answers are empty
	OnLimit      Event = "limit"       // a cap is met
	OnBackOff    Event = "back_off"    // the model failed, and is asked again later
	OnRetry      Event = "retry"       // the wait is over
	OnToolFailed Event = "tool_failed" // a tool failed, and is started again later
	OnCondense   Event = "condense"    // the conversation is too long
	OnCondensed  Event = "condensed"   // it is shorter
	OnGiveUp     Event = "give_up"     // its caller has given up
)

// InferenceTable is the table of one inference, the smallest unit: it asks the
// model, runs the tools it asks for, and asks again.
var InferenceTable = Table{
	Name:    "inference",
	Initial: Thinking,
	Final:   []State{Completed, Exhausted, Broken, Aborted},
	Rows: []Row{
		{Thinking, OnToolsAsked, Acting, "INF-2"},
		{Thinking, OnEndTurn, Completed, "INF-3"},
		{Thinking, OnMaxTokens, Broken, "INF-5"},
		{Thinking, OnError, Broken, "INF-6"},
		{Thinking, OnLimit, Exhausted, "INF-7"},
		{Thinking, OnBackOff, BackingOff, "INF-15"},
		{Thinking, OnUnusable, Thinking, "INF-20"},
		{Thinking, OnCondense, Condensing, "CTX-3"},
		{Thinking, OnGiveUp, Aborted, "INF-11"},
		{Acting, OnRan, Acting, "INF-4"},
		{Acting, OnResults, Thinking, "INF-4"},
		{Acting, OnToolFailed, Retrying, "INF-16"},
		{Acting, OnLimit, Exhausted, "INF-17"},
		{Acting, OnGiveUp, Aborted, "INF-11"},
		{BackingOff, OnRetry, Thinking, "INF-15"},
		{BackingOff, OnGiveUp, Aborted, "INF-11"},
		{Retrying, OnRetry, Acting, "INF-16"},
		{Retrying, OnGiveUp, Aborted, "INF-11"},
		{Condensing, OnCondensed, Thinking, "CTX-5"},
		{Condensing, OnGiveUp, Aborted, "INF-11"},
	},
}

// Inference is one run of the inference loop. It does not know who asked for it
// or why: it has messages, and ends with a result or a reason (INF-14).
type Inference struct {
	State   State        `json:"state,omitempty"`
	Purpose Purpose      `json:"purpose,omitempty"`
	Tools   Toolset      `json:"tools,omitempty"` // its caller wants these offered
	Talk    Conversation `json:"talk,omitzero"`

	Rounds      int `json:"rounds,omitempty"`      // rounds that ran tools
	Iterations  int `json:"iterations,omitempty"`  // answers of the model
	Ran         int `json:"ran,omitempty"`         // tool calls begun
	Empty       int `json:"empty,omitempty"`       // answers in a row with nothing to use
	Waits       int `json:"waits,omitempty"`       // waits since the last answer
	Compactions int `json:"compactions,omitempty"` // compactions begun
	Cut         int `json:"cut,omitempty"`         // compacting: the messages that leave

	Calls   []ToolCall  `json:"calls,omitempty"`   // of the last answer
	Next    int         `json:"next,omitempty"`    // the call that runs
	Effects ToolEffects `json:"effects,omitempty"` // of that call
	Attempt int         `json:"attempt,omitempty"` // its starts; 0: not begun
	Began   Millis      `json:"began,omitempty"`   // its first start
	Nothing bool        `json:"nothing,omitempty"` // its last attempt says that nothing happened
	Cleared bool        `json:"cleared,omitempty"` // a person lets it run
	Told    string      `json:"told,omitempty"`    // what a person said instead of its result
	Capped  bool        `json:"capped,omitempty"`  // max_tool_calls was met in this answer
	Seen    []uint64    `json:"seen,omitempty"`    // the last calls with their results, hashed

	Said    string  `json:"said,omitempty"` // the texts of the answers so far
	Outcome Outcome `json:"outcome,omitempty"`
	Result  string  `json:"result,omitempty"` // the text, or why there is none
}

// infer begins an inference over talk: it enters the table's initial state.
func (m *Machine) infer(i int, purpose Purpose, talk Conversation, tools Toolset) firing {
	m.s.Handles[i].Inf = Inference{State: Thinking, Purpose: purpose, Tools: tools, Talk: talk}
	return m.enter(m.inference.phase(Thinking), i, false)
}

// think asks the model (INF-1), unless this is where a cancelled handle ends
// (HND-32) or the conversation has to be shortened first (CTX-3).
func (m *Machine) think(i int) firing {
	h := &m.s.Handles[i]
	if h.Stop {
		return m.drop(h, OutcomeCancelled, m.word(WordCancelled))
	}
	if f, ok := m.condense(h, false); ok {
		return f
	}
	m.ask(h, h.Inf.Purpose, m.system(h), h.Inf.Talk, m.offered(h))
	return firing{}
}

// ask sends a conversation to the model.
func (m *Machine) ask(h *Handle, purpose Purpose, system string, talk Conversation, tools Toolset) {
	ask := AskBrain{
		Asked:        Asked{Call: m.await(h, CallBrain), Handle: h.ID},
		Session:      h.Session,
		Purpose:      purpose,
		System:       system,
		Conversation: talk.fork(),
		Tools:        tools,
		Options:      m.s.Config.Options,
	}
	if m.s.Config.Switches.Compress {
		ask.Tokens = h.Sess.corrected(m.s.Config.estimate(system, talk, tools))
	}
	m.emit(ask)
}

// offered is the set of tools that the running inference offers: its caller wants
// it, and the present configuration declares some of it.
func (m *Machine) offered(h *Handle) Toolset {
	for i := range m.s.Config.Tools {
		if m.s.Config.offers(h.Inf.Tools, &m.s.Config.Tools[i]) {
			return h.Inf.Tools
		}
	}
	return NoTools
}

// answered takes the model's answer: it is used, or nothing in it can be.
func (m *Machine) answered(h *Handle, in BrainAnswered) firing {
	if h.Inf.State == Condensing {
		return m.condensed(in.Text)
	}
	calls, text := m.s.Config.CallsOf(m.offered(h), in, h.Inf.Iterations+1)
	switch nothing := len(calls) == 0 && in.Stop != StopMaxTokens; {
	case nothing && strings.TrimSpace(text) == "":
		return m.unusable(h, in.Tokens.Prompt, m.s.Config.Prompts.Empty, m.word(WordEmptyAnswer))
	case nothing && m.s.Config.Unrunnable(m.offered(h), text):
		return m.unusable(h, in.Tokens.Prompt, m.word(WordActionAsText), m.word(WordActionAnswer))
	case in.Stop == StopMaxTokens:
		calls = nil // INF-5: a call may have lost its end
	}
	thinking, prompt := in.Thinking, in.Tokens.Prompt // the rest of the answer is let go
	return m.usable(h, in.Stop, calls, text).after(func(h *Handle) {
		m.countAnswer(h, prompt)
		h.Inf.Empty = 0
		m.say(h, Message{Role: RoleAssistant, Text: text, Thinking: thinking, Calls: calls})
		h.Inf.said(text)
	})
}

// countAnswer counts an answer of the model to a prompt of so many tokens.
func (m *Machine) countAnswer(h *Handle, prompt int) {
	m.learnTokens(h, prompt)
	h.Inf.Iterations++
	h.Inf.Waits = 0
}

// usable goes on from an answer by its stop reason.
func (m *Machine) usable(h *Handle, stop Stop, calls []ToolCall, text string) firing {
	switch {
	case stop == StopMaxTokens:
		return endInference(OnMaxTokens, OutcomeCut, m.word(WordCutAnswer))
	case len(calls) == 0:
		return endInference(OnEndTurn, OutcomeAnswered, strings.TrimSpace(text))
	case h.Inf.Rounds >= m.s.Config.Limits.MaxToolRounds:
		f := endInference(OnLimit, OutcomeExhausted, m.word(WordOverRounds, "rounds", strconv.Itoa(h.Inf.Rounds)))
		return f.after(func(h *Handle) {
			for _, c := range calls {
				m.say(h, Message{Role: RoleTool, Text: m.word(WordNotRunRounds), Tool: c.Name, ToolCall: c.ID})
			}
		})
	default:
		return firing{on: OnToolsAsked, write: func(h *Handle) {
			h.Inf.Rounds++
			h.Inf.Calls, h.Inf.Next, h.Inf.Attempt = calls, 0, 0
		}}
	}
}

// unusable asks again after an answer in which there was nothing to use (INF-20, INF-29).
func (m *Machine) unusable(h *Handle, tokens int, prompt, reason string) firing {
	l := &m.s.Config.Limits
	f := firing{on: OnUnusable, write: func(h *Handle) {
		m.say(h, Message{Role: RoleUser, Text: prompt, Aside: true})
	}}
	switch {
	case h.Stop:
		f = m.drop(h, OutcomeCancelled, m.word(WordCancelled)) // HND-32
	case h.Inf.Empty+1 >= l.MaxAnswerAttempts, h.Inf.Iterations+1 >= l.iterations(h):
		f = endInference(OnError, OutcomeFailed, reason) // INF-9
	}
	return f.after(func(h *Handle) {
		m.countAnswer(h, tokens)
		h.Inf.Empty++
	})
}

// CallsOf returns the calls of an answer where a set of tools was offered, those
// written as text among them, and what is left of its text. Calls that were not
// offered are not taken (INF-12). Answer is the answer's number in its inference; calls
// written as text are named after it.
func (c *Config) CallsOf(set Toolset, in BrainAnswered, answer int) ([]ToolCall, string) {
	if set == NoTools {
		return nil, in.Text
	}
	if len(in.Calls) == 0 && c.Switches.TextCalls {
		if calls, ok := c.textCalls(set, in.Text, answer); ok {
			return calls, ""
		}
	}
	return in.Calls, in.Text
}

// Unrunnable reports whether a text is a call that was meant and cannot be run
// (INF-29).
func (c *Config) Unrunnable(set Toolset, text string) bool {
	return c.Switches.TextCalls && set != NoTools && c.actionCall(set, text)
}

// brainFailed waits and asks again where that can help (INF-15); otherwise it ends
// the inference, and its caller decides what that means.
func (m *Machine) brainFailed(h *Handle, in BrainFailed) firing {
	switch {
	case h.Inf.State == Condensing:
		return m.condensed("")
	case h.Stop: // HND-32: it would only be asked again to end there
		return m.drop(h, OutcomeCancelled, m.word(WordCancelled))
	case in.Class == BrainContextTruncated:
		if f, ok := m.condense(h, true); ok {
			return f
		}
	case in.Class.Retryable() && h.Inf.Waits < len(m.s.Config.Limits.Backoff) && h.State != Compacting: // the next turn tries again
		return firing{on: OnBackOff, write: func(h *Handle) {
			if canary != CanaryUnboundedRetry {
				h.Inf.Waits++
			}
		}}
	}
	return endInference(OnError, OutcomeFailed, m.word(WordBrainFailed, "class", string(in.Class), "reason", in.Reason))
}

// Retryable reports whether asking again can help without anybody doing anything.
func (c BrainClass) Retryable() bool {
	switch c {
	case BrainUnreachable, BrainLoading, BrainBusy, BrainCutStream, BrainGarbage, BrainTimeout:
		return true
	default:
		return false
	}
}

// say adds messages to the running inference, and to the turn where it is one of
// the handle's own.
func (m *Machine) say(h *Handle, msgs ...Message) {
	h.Inf.Talk = h.Inf.Talk.add(msgs...)
	if h.Loaded && h.answers() {
		h.Turn = append(h.Turn, msgs...)
	}
}

// said gathers what the model has said on the way.
func (inf *Inference) said(text string) {
	text = strings.TrimSpace(text)
	if _, marked := Need(text); text == "" || marked {
		return
	}
	if inf.Said != "" {
		inf.Said += "\n"
	}
	inf.Said += text
}

// resumeInference goes on with an inference that was parked, or whose process
// was lost: the model is asked again, a tool that may be started again is, and the
// outcome of any other is named unknown (INF-13).
func (m *Machine) resumeInference(i int) firing {
	return m.enter(m.inference.phase(m.s.Handles[i].Inf.State), i, true)
}

// endInference ends an inference. Its result goes to the handle that asked for it.
func endInference(on Event, outcome Outcome, result string) firing {
	return firing{on: on, write: func(h *Handle) { h.Inf.Result, h.Inf.Outcome = result, outcome }}
}

// giveUp ends a running inference that nobody waits for any more (INF-11).
func (m *Machine) giveUp(h *Handle) {
	if !h.Inf.running() {
		return
	}
	r := m.routes[OnGiveUp]
	if r == nil || !r.from(h.Inf.State, OnGiveUp).ok {
		m.s.Ignored.Moves++
		return
	}
	m.move(r, h.ID, OnGiveUp, r.from(h.Inf.State, OnGiveUp), &h.Inf.State)
}

func (inf *Inference) running() bool {
	return inf.State != "" && !slices.Contains(InferenceTable.Final, inf.State)
}

// repeats reports whether the last calls and their results are the same, or the
// same few in turn, often enough to say that this leads nowhere (INF-21).
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

// cycleMax is the longest cycle of calls that counts as repetition.
const cycleMax = 4
