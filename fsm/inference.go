package fsm

import (
	"strconv"
	"strings"
)

// Inference states.
const (
	Thinking  State = "thinking"
	Acting    State = "acting"
	Completed State = "completed"
	Exhausted State = "exhausted"
	Broken    State = "failed"
	Aborted   State = "aborted"
)

// Inference events.
const (
	OnToolsAsked Event = "tools_asked" // stop reason tool_use
	OnResults    Event = "results"     // every call has its result
	OnEndTurn    Event = "end_turn"    // stop reason end_turn
	OnMaxTokens  Event = "max_tokens"  // stop reason max_tokens
	OnError      Event = "error"       // the model failed, or its answer is empty
	OnLimit      Event = "limit"       // tools asked for beyond max_tool_rounds
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
		{Thinking, OnGiveUp, Aborted, "INF-11"},
		{Acting, OnResults, Thinking, "INF-4"},
		{Acting, OnGiveUp, Aborted, "INF-11"},
	},
}

// Inference is one run of the inference loop. It does not know who asked for it
// or why: it has messages, and ends with a result or a reason (INF-14).
type Inference struct {
	State   State        `json:"state,omitempty"`
	Purpose Purpose      `json:"purpose,omitempty"`
	Tools   bool         `json:"tools,omitempty"` // its caller wants tools offered
	Talk    Conversation `json:"talk,omitzero"`
	Rounds  int          `json:"rounds,omitempty"` // rounds that ran tools
	Calls   []ToolCall   `json:"calls,omitempty"`  // of the last answer
	Next    int          `json:"next,omitempty"`   // the call that runs
	Effects ToolEffects  `json:"effects,omitempty"`
	Result  string       `json:"result,omitempty"` // the text, or why there is none
}

// UnknownOutcome is the result of a tool that may have run: it was started, and
// its process was lost before it answered.
const UnknownOutcome = "interrupted, outcome unknown: check before repeating"

const (
	emptyAnswer = "the model gave an empty answer"
	cutAnswer   = "the model's answer was cut at its token limit (max_tokens)"
)

// infer begins an inference over talk.
func (m *Machine) infer(h *Handle, purpose Purpose, talk Conversation, tools bool) {
	h.Inf = Inference{State: Thinking, Purpose: purpose, Tools: tools, Talk: talk}
	m.think(h)
}

// think asks the model (INF-1).
func (m *Machine) think(h *Handle) {
	call := m.await(h, CallBrain)
	m.emit(AskBrain{
		Call:         call,
		Handle:       h.ID,
		Session:      h.Session,
		Purpose:      h.Inf.Purpose,
		Conversation: h.Inf.Talk.fork(),
		Tools:        m.offers(h),
	})
}

// offers reports whether the running inference offers tools: its caller wants
// them, and the present epoch declares some.
func (m *Machine) offers(h *Handle) bool { return h.Inf.Tools && len(m.s.Config.Tools) > 0 }

// answered takes the model's answer by its stop reason.
func (m *Machine) answered(i int, in BrainAnswered) {
	h := &m.s.Handles[i]
	if !m.offers(h) {
		in.Calls = nil // INF-12: calls that were not offered are not taken
	}
	h.Inf.Talk = h.Inf.Talk.add(Message{Role: RoleAssistant, Text: in.Text, Thinking: in.Thinking, Calls: in.Calls})
	switch {
	case in.Stop == StopMaxTokens:
		m.endInference(i, OnMaxTokens, cutAnswer)
	case len(in.Calls) > 0 && h.Inf.Rounds >= m.s.Config.Limits.MaxToolRounds:
		m.endInference(i, OnLimit, "the model still asked for tools after "+
			strconv.Itoa(h.Inf.Rounds)+" rounds (max_tool_rounds)")
	case len(in.Calls) > 0:
		h.Inf.Rounds++
		h.Inf.Calls, h.Inf.Next = in.Calls, 0
		m.moveInference(h, OnToolsAsked)
		m.act(i)
	case strings.TrimSpace(in.Text) == "":
		m.endInference(i, OnError, emptyAnswer) // INF-9
	default:
		m.endInference(i, OnEndTurn, strings.TrimSpace(in.Text))
	}
}

// brainFailed ends the inference: its caller decides what a failure means.
func (m *Machine) brainFailed(i int, in BrainFailed) {
	m.endInference(i, OnError, string(in.Class)+": "+in.Reason)
}

// act runs the calls of the last answer one at a time in order (INF-4), answers
// those that cannot run itself (INF-8, INF-10), and asks the model again once
// every call has its result.
func (m *Machine) act(i int) {
	h := &m.s.Handles[i]
	limit := m.s.Config.Limits.MaxCallsPerAnswer
	for ; h.Inf.Next < len(h.Inf.Calls); h.Inf.Next++ {
		c := h.Inf.Calls[h.Inf.Next]
		if h.Inf.Next >= limit {
			m.result(h, "not run: at most "+strconv.Itoa(limit)+" calls of one answer are (max_calls_per_answer)")
			continue
		}
		decl, ok := m.s.Config.Tool(c.Name)
		if !ok {
			m.result(h, "error: "+m.s.Config.unknownTool(c.Name))
			continue
		}
		h.Inf.Effects = decl.Effects
		m.emit(RunTool{
			Call:    m.await(h, CallTool),
			Handle:  h.ID,
			Session: h.Session,
			Name:    c.Name,
			Args:    c.Args,
			Effects: decl.Effects,
			Key:     h.useKey(c),
		})
		return
	}
	h.Inf.Calls, h.Inf.Next = nil, 0
	m.moveInference(h, OnResults)
	m.think(h)
}

// useKey names the use of a tool that starts now (TOL-8). Handle and place in the
// conversation do not suffice: a crash may lose a start that was not synced, and
// then another call stands at its place, or another handle has its number.
func (h *Handle) useKey(c ToolCall) string {
	x := newHasher(0)
	x.str(h.Input)
	x.str(c.Name)
	x.str(c.Args)
	return h.ID.entry() + "." + strconv.Itoa(len(h.Inf.Talk.Messages)) + "." + strconv.FormatUint(x.sum(), 36)
}

// toolAnswered gives the running call its result. A failure is a result that
// the model sees.
func (m *Machine) toolAnswered(i int, in ToolAnswered) {
	h := &m.s.Handles[i]
	text := in.Text
	if in.Failed {
		text = "error: " + text
	}
	m.result(h, text)
	h.Inf.Next++
	m.act(i)
}

// result adds the result of the call at Next to the conversation.
func (m *Machine) result(h *Handle, text string) {
	c := h.Inf.Calls[h.Inf.Next]
	h.Inf.Talk = h.Inf.Talk.add(Message{Role: RoleTool, Text: text, Tool: c.Name, ToolCall: c.ID})
}

// continueInference goes on with an inference whose process was lost: the model
// is asked again, a tool that may be started again is, and the outcome of any
// other is named unknown (INF-13).
func (m *Machine) continueInference(i int) {
	h := &m.s.Handles[i]
	if h.Inf.State != Acting {
		m.think(h)
		return
	}
	decl, ok := m.s.Config.Tool(h.Inf.Calls[h.Inf.Next].Name)
	if !h.Inf.Effects.Repeatable() || ok && !decl.Effects.Repeatable() {
		m.result(h, UnknownOutcome)
		h.Inf.Next++
	}
	m.act(i)
}

// endInference ends the handle's inference and hands the result to its caller.
func (m *Machine) endInference(i int, on Event, result string) {
	h := &m.s.Handles[i]
	h.Inf.Result = result
	m.moveInference(h, on)
	m.inferred(i)
}

// giveUp ends a running inference that nobody waits for any more (INF-11).
func (m *Machine) giveUp(h *Handle) {
	if h.Inf.State == Thinking || h.Inf.State == Acting {
		m.moveInference(h, OnGiveUp)
	}
}

func (c Config) unknownTool(name string) string {
	names := make([]string, len(c.Tools))
	for i, t := range c.Tools {
		names[i] = t.Name
	}
	return "there is no tool " + strconv.Quote(name) + "; the tools are: " + strings.Join(names, ", ")
}
