package fsm

// AskBrain asks the model; [BrainAnswered] or [BrainFailed] answers.
type AskBrain struct {
	Asked
	Session      string       `json:"session,omitempty"`
	Purpose      Purpose      `json:"purpose"`
	System       string       `json:"system,omitempty"` // the system prompt, before the conversation
	Conversation Conversation `json:"conversation"`
	Tools        Toolset      `json:"tools,omitempty"`
	Offer        Offer        `json:"offer,omitzero"` // how much of them is shown
	Options      Options      `json:"options,omitzero"`
	Tokens       int          `json:"tokens,omitempty"`       // the estimate of the whole prompt, where a budget is kept
	ThinkTokens  int          `json:"think_tokens,omitempty"` // of thinking, beyond which the answer is cut; 0: no limit
	NoThinking   bool         `json:"no_thinking,omitempty"`  // the model must not think
}

// Messages returns everything that is sent to the model: the system prompt, then the
// conversation.
func (e AskBrain) Messages() []Message {
	if e.System == "" {
		return e.Conversation.Messages
	}
	all := make([]Message, 0, len(e.Conversation.Messages)+1)
	return append(append(all, Message{Role: RoleSystem, Text: e.System}), e.Conversation.Messages...)
}

// Before returns the hash of what precedes the conversation: system prompt and tools.
func (e *AskBrain) Before() uint64 {
	x := NewHasher(0)
	x.Str(e.System)
	x.Str(string(e.Tools))
	e.Offer.hash(&x)
	return x.Sum()
}

func (e AskBrain) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(string(e.Purpose))
	x.Str(e.System)
	x.Word(e.Conversation.Hash)
	x.Str(string(e.Tools))
	x.Int(e.Options.Temperature)
	x.Int(e.Options.MaxTokens)
	x.Int(e.Tokens)
	e.Offer.hash(x)
	if e.ThinkTokens != 0 || e.NoThinking { // older records have neither
		x.Int(e.ThinkTokens)
		x.Bool(e.NoThinking)
	}
}

// Purpose says what a model call is for.
type Purpose string

// The purposes of a model call.
const (
	PurposeAnswer   Purpose = "answer"
	PurposeInit     Purpose = "init"
	PurposeFarewell Purpose = "farewell"
	PurposeSummary  Purpose = "summary"
	PurposeCompact  Purpose = "compact"
	PurposeSubagent Purpose = "subagent"
	PurposePrefill  Purpose = "prefill" // the prompt is to be read; the answer is not used
)

// BrainAnswered answers [AskBrain].
type BrainAnswered struct {
	Answered
	Stop     Stop       `json:"stop"`
	Text     string     `json:"text,omitempty"`
	Thinking string     `json:"thinking,omitempty"`
	Calls    []ToolCall `json:"calls,omitempty"`
	Tokens   Tokens     `json:"tokens,omitzero"`
	Model    Model      `json:"model,omitzero"`
	AsText   bool       `json:"as_text,omitempty"` // the model has no calls of its own: it writes them into Text (BRN-16)
}

// Stop is why a model's answer ended.
type Stop string

// The stop reasons of the inference loop, but for the fourth, an error, which is a
// [BrainFailed].
const (
	StopToolUse   Stop = "tool_use"
	StopEndTurn   Stop = "end_turn"
	StopMaxTokens Stop = "max_tokens"
)

// Model identifies the model that gave an answer. No decision depends on it.
type Model struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"` // of its manifest, in hex; empty if the server does not report it
}

// String returns the model's name and the beginning of its digest.
func (m Model) String() string {
	if m.Digest == "" {
		return m.Name
	}
	return m.Name + " (" + m.Digest[:min(12, len(m.Digest))] + ")"
}

// Tokens is what the model's server counted.
type Tokens struct {
	Prompt int `json:"prompt,omitempty"`
	Read   int `json:"read,omitempty"` // the part of the prompt that its cache did not hold; 0: it does not say (BRN-47)
	Answer int `json:"answer,omitempty"`

	Reading Millis `json:"reading,omitempty"` // only of that part
	Writing Millis `json:"writing,omitempty"`
}

// Untimed reports whether it is not known how long the prompt took to read.
func (t Tokens) Untimed() bool { return t.Prompt > 0 && t.Reading == 0 }

// Uncounted reports whether it is not known how much of the prompt was read.
func (t Tokens) Uncounted() bool { return t.Prompt > 0 && t.Read == 0 }

// Add adds the counts and times of o.
func (t *Tokens) Add(o Tokens) {
	t.Prompt += o.Prompt
	t.Read += o.Read
	t.Answer += o.Answer
	t.Reading += o.Reading
	t.Writing += o.Writing
}

// Spent is what a model's server counted of some calls.
type Spent struct {
	Calls     int `json:"calls"`
	Untimed   int `json:"untimed,omitempty"`   // of Calls: it is not known how long their prompts took to read (BRN-18)
	Uncounted int `json:"uncounted,omitempty"` // of Calls: it is not known how much of their prompts was read (BRN-47)
	Tokens
}

// Take adds a call.
func (s *Spent) Take(t Tokens) {
	s.Calls++
	if t.Untimed() {
		s.Untimed++
	}
	if t.Uncounted() {
		s.Uncounted++
	}
	s.Add(t)
}

// BrainFailed answers [AskBrain] with the stop reason "error".
type BrainFailed struct {
	Answered
	Class  BrainClass `json:"class"`
	Reason string     `json:"reason"`
}

// Topic is what distinguishes a failure from others.
func (f BrainFailed) Topic() string { return string(f.Class) }

// BrainClass sorts a model's failures by what a person can do about them.
type BrainClass string

// The classes of brain failure.
const (
	BrainUnreachable      BrainClass = "unreachable"       // no server answers
	BrainLoading          BrainClass = "loading"           // the model did not load in time
	BrainBusy             BrainClass = "busy"              // the server's queue is full
	BrainMissingModel     BrainClass = "missing_model"     // the server does not have the model
	BrainNoTools          BrainClass = "no_tools"          // the model cannot call tools
	BrainNoChat           BrainClass = "no_chat"           // the model cannot chat
	BrainContextTruncated BrainClass = "context_truncated" // the conversation does not fit the window
	BrainCutStream        BrainClass = "cut_stream"        // the answer ended without its last line
	BrainCrashed          BrainClass = "crashed"           // the process that runs the model died, or the server itself failed
	BrainGarbage          BrainClass = "garbage"           // the answer could not be read
	BrainBadCall          BrainClass = "bad_call"          // the server could not read the call that the model wrote
	BrainTimeout          BrainClass = "timeout"           // no answer in time
	BrainCancelled        BrainClass = "cancelled"         // the call was given up
	BrainError            BrainClass = "error"             // anything else the server reports
)

// BrainClasses returns the classes of failures of model calls, in a fixed order.
func BrainClasses() []BrainClass {
	return []BrainClass{
		BrainUnreachable, BrainLoading, BrainBusy, BrainMissingModel, BrainNoTools, BrainNoChat, BrainContextTruncated,
		BrainCutStream, BrainCrashed, BrainGarbage, BrainBadCall, BrainTimeout, BrainCancelled, BrainError,
	}
}

// Retryable reports whether asking again can help without intervention.
func (c BrainClass) Retryable() bool {
	switch c {
	case BrainUnreachable, BrainLoading, BrainBusy, BrainCutStream, BrainCrashed, BrainGarbage, BrainTimeout:
		return true
	default:
		return false
	}
}

// BrainProgress reports that a model call has reached a stage. Each stage of a call is
// reported at most once, and none before ProgressAfter; a stage that the call has left by
// then is not reported, unless it is loading and the call reads its prompt (INF-50).
type BrainProgress struct {
	Call  CallID `json:"call"`
	Stage Stage  `json:"stage"`
}

// Stage is how far a model call has got.
type Stage string

// The stages in order: the model is being loaded; the server has the call and reads its
// prompt, perhaps after others; the first token is written.
const (
	StageLoading  Stage = "loading"
	StageAccepted Stage = "accepted"
	StageWriting  Stage = "writing"
)

// ProgressAfter is how long a call runs before its progress is reported: most calls have
// ended by then.
const ProgressAfter = 2 * Second

// Beyond reports whether a stage comes after another; every stage comes after the empty
// one.
func (s Stage) Beyond(other Stage) bool { return s.order() > other.order() }

func (s Stage) order() int {
	switch s {
	case StageLoading:
		return 1
	case StageAccepted:
		return 2
	case StageWriting:
		return 3
	default:
		return 0
	}
}
