package fsm

import "strconv"

// Input is what the machine is told: a fact, and when it was observed. The time is
// for records and prompts; no decision compares times (LIM-3).
type Input struct {
	At   Millis
	Fact Fact
}

// Fact is what an input says. The set is closed.
type Fact interface{ kind() factKind }

// Answer is a fact that answers a call.
type Answer interface {
	Fact
	CallOf() CallID
}

// Answered is what an answer begins with: the call that it names.
type Answered struct {
	Call CallID `json:"call"`
}

// To returns the beginning of an answer to a call.
func To(call CallID) Answered { return Answered{call} }

// CallOf returns the call that an answer names.
func (a Answered) CallOf() CallID { return a.Call }

func (a *Answered) name(call CallID) { a.Call = call }

// CallID names one asked call or armed timer. It is never used again, in no
// epoch of the journal.
type (
	CallID   uint64
	TimerID  uint64
	HandleID uint64
)

// RequestKey identifies a request to its sender. Ids of two principals or two
// channels never meet.
type RequestKey struct {
	Principal string `json:"principal,omitempty"`
	Channel   string `json:"channel,omitempty"`
	ID        string `json:"id,omitempty"`
}

// Boot begins an epoch: a process has started. It carries the whole effective
// configuration.
type Boot struct {
	Config Config  `json:"config"`
	Doubts []Doubt `json:"doubts,omitempty"`
}

// Doubt names a handle whose journal replays differently with today's code, so that
// it does not go on before a person has looked at it (JRN-6).
type Doubt struct {
	Handle HandleID `json:"handle"`
	Text   string   `json:"text"` // the record, the hash expected, the hash got
}

// Configured replaces the configuration of the running epoch. What runs goes on
// under the new one; the profile's switches hold from the next decision on.
type Configured struct {
	Config Config `json:"config"`
}

// Origin is where a conversation takes place: a channel, and a chat in it.
type Origin struct {
	Channel string `json:"channel,omitempty"`
	Chat    string `json:"chat,omitempty"`
}

// Requested is a user's request that has been accepted. A session left out is that
// of the origin, channel:chat, and without one cli:direct (SES-1).
type Requested struct {
	Request RequestKey `json:"request"`
	Session string     `json:"session,omitempty"`
	Origin  Origin     `json:"origin,omitzero"`
	Text    string     `json:"text"`
	Images  [][]byte   `json:"images,omitempty"`  // as the sender encoded them
	Context []Message  `json:"context,omitempty"` // the caller's own history, in place of the session's
}

// CancelRequested asks to end an unfinished request.
type CancelRequested struct {
	Request RequestKey `json:"request"`
}

// Decided is a person's decision about a tool call that waits for approval. Key is
// that of [AskPerson], so that a late decision cannot meet a later call.
type Decided struct {
	Handle  HandleID `json:"handle"`
	Key     string   `json:"key"`
	Approve bool     `json:"approve,omitempty"`
	By      string   `json:"by,omitempty"`

	Grant GrantScope `json:"grant,omitempty"` // which later calls an approval is for, too (APR-12)
}

// Revoked takes a grant back (APR-17).
type Revoked struct {
	Grant string `json:"grant"` // its id
	By    string `json:"by,omitempty"`
}

// Resolved is a person's word on a handle that is held, for a tool whose outcome is
// unknown or after too many crashes. Text is what the model is told of the tool.
type Resolved struct {
	Handle HandleID `json:"handle"`
	Text   string   `json:"text,omitempty"`
}

// SessionLoaded answers [LoadSession]. A session never saved has version 0.
type SessionLoaded struct {
	Answered
	Session Session `json:"session"`
	Error   string  `json:"error,omitempty"`
}

// SessionSaved answers [SaveSession]. With Conflict nothing was written and Session
// is what stands there now.
type SessionSaved struct {
	Answered
	Conflict bool    `json:"conflict,omitempty"`
	Session  Session `json:"session,omitzero"`
	Error    string  `json:"error,omitempty"`
}

// SkillLoaded answers [LoadSkill].
type SkillLoaded struct {
	Answered
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// TextRead answers [ReadText].
type TextRead struct {
	Answered
	Text  string `json:"text,omitempty"`
	From  int    `json:"from,omitempty"` // the byte that Text begins at
	Gone  bool   `json:"gone,omitempty"` // the result is no longer kept
	Error string `json:"error,omitempty"`
}

// ScheduleDue says that a schedule's slot has come. Slot is the wall time that the
// schedule names, which may have passed while no process ran.
type ScheduleDue struct {
	Schedule string `json:"schedule"`
	Slot     Millis `json:"slot"`
}

// EventRaised is a system event.
type EventRaised struct {
	Source  string `json:"source"`            // who saw it: "disk", "http", …
	Subject string `json:"subject,omitempty"` // what it is about: "/var", a unit's name, …
	Event   string `json:"event"`             // what happened: "full", "failed", …
	Detail  string `json:"detail,omitempty"`
}

// Stop is why a model's answer ended.
type Stop string

// The four stop reasons of the inference loop; the fourth is a [BrainFailed].
const (
	StopToolUse   Stop = "tool_use"
	StopEndTurn   Stop = "end_turn"
	StopMaxTokens Stop = "max_tokens"
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

// Model is which model gave an answer. No decision is made by it.
type Model struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"` // of its manifest, in hex, as far as the server says
}

// String is the model in words: its name and the beginning of its digest.
func (m Model) String() string {
	if m.Digest == "" {
		return m.Name
	}
	return m.Name + " (" + m.Digest[:min(12, len(m.Digest))] + ")"
}

// Tokens is what the model's server counted.
type Tokens struct {
	Prompt int `json:"prompt,omitempty"`
	Answer int `json:"answer,omitempty"`

	Reading Millis `json:"reading,omitempty"` // what of the prompt its cache did not hold
	Writing Millis `json:"writing,omitempty"`
}

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
	BrainCrashed          BrainClass = "crashed"           // the process that runs the model died, or the server failed by itself
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

// BrainFailed answers [AskBrain] with the stop reason "error".
type BrainFailed struct {
	Answered
	Class  BrainClass `json:"class"`
	Reason string     `json:"reason"`
}

// ToolAnswered answers [RunTool].
type ToolAnswered struct {
	Answered
	Text    string `json:"text,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Nothing bool   `json:"nothing,omitempty"` // it failed and says that nothing happened, so another attempt is safe
	Invalid bool   `json:"invalid,omitempty"` // it failed because the call is wrong, so another attempt is pointless
	Asks    string `json:"asks,omitempty"`    // it did nothing, and a person has to approve it first, for this reason (APR-19)
	Kept    Kept   `json:"kept,omitzero"`     // Text is its beginning, or all of it (TXT-2)

	Contained string `json:"contained,omitempty"` // what contained the processes that the tool started (TOL-43)
}

// ToolStopped says that an aborted tool has stopped, whatever it had done.
type ToolStopped struct {
	Answered
}

// ProbeAnswer is what a probe says of a call whose outcome is unknown (INF-53).
type ProbeAnswer string

// The call has done its work; it has done nothing and will not; or nobody can tell.
const (
	ProbeDone   ProbeAnswer = "done"
	ProbeNever  ProbeAnswer = "never"
	ProbeUnsure ProbeAnswer = "unsure"
)

// Probed answers [RunProbe]. An answer that is none of the three is [ProbeUnsure].
type Probed struct {
	Answered
	Answer ProbeAnswer `json:"answer"`
	Text   string      `json:"text,omitempty"`   // done: the call's result; otherwise why the answer is this one
	Failed bool        `json:"failed,omitempty"` // done: the tool has failed
}

// Memory is a recalled entry, best first.
type Memory struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Source  Source `json:"source,omitzero"` // as the entry has it
}

// Recalled answers [Recall]. Error is empty when the recall worked.
type Recalled struct {
	Answered
	Entries []Memory `json:"entries,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Embedded answers [Embed]. An Error leaves the entry to keyword search.
type Embedded struct {
	Answered
	Vector []byte `json:"vector,omitempty"` // float32, little-endian
	Model  string `json:"model,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Stored answers [Store]. Error is empty when the entry is written; it is durable
// with the next barrier (MEM-1).
type Stored struct {
	Answered
	Error string `json:"error,omitempty"`
}

// TimerFired says that an armed timer has run out.
type TimerFired struct {
	Timer TimerID `json:"timer"`
}

// Signalled is SIGTERM or SIGINT.
type Signalled struct {
	Name string `json:"name"`
}

func (Probed) kind() factKind          { return factProbed }
func (Boot) kind() factKind            { return factBoot }
func (Requested) kind() factKind       { return factRequested }
func (EventRaised) kind() factKind     { return factEventRaised }
func (BrainAnswered) kind() factKind   { return factBrainAnswered }
func (BrainFailed) kind() factKind     { return factBrainFailed }
func (ToolAnswered) kind() factKind    { return factToolAnswered }
func (ToolStopped) kind() factKind     { return factToolStopped }
func (Recalled) kind() factKind        { return factRecalled }
func (Embedded) kind() factKind        { return factEmbedded }
func (Stored) kind() factKind          { return factStored }
func (TimerFired) kind() factKind      { return factTimerFired }
func (Signalled) kind() factKind       { return factSignalled }
func (Configured) kind() factKind      { return factConfigured }
func (CancelRequested) kind() factKind { return factCancelRequested }
func (Decided) kind() factKind         { return factDecided }
func (Resolved) kind() factKind        { return factResolved }
func (Revoked) kind() factKind         { return factRevoked }
func (SessionLoaded) kind() factKind   { return factSessionLoaded }
func (SessionSaved) kind() factKind    { return factSessionSaved }
func (SkillLoaded) kind() factKind     { return factSkillLoaded }
func (TextRead) kind() factKind        { return factTextRead }
func (ScheduleDue) kind() factKind     { return factScheduleDue }

// Kind is what a handle was accepted for.
type Kind string

// The kinds of handle.
const (
	KindUser     Kind = "user"
	KindEvent    Kind = "event"
	KindInit     Kind = "init"
	KindFarewell Kind = "farewell"
	KindSystem   Kind = "system"   // a subagent's report
	KindSchedule Kind = "schedule" // a schedule's slot
	KindSubagent Kind = "subagent"
	KindMemory   Kind = "memory" // writes a session's turns to memory
)

// Alternates reports whether handles of this kind take turns with others.
func (k Kind) Alternates() bool { return k == KindUser || k == KindEvent }

// Entry is the id of the memory entry that a handle writes.
func (id HandleID) Entry() string { return "h" + strconv.FormatUint(uint64(id), 10) }

// Key is the session of an origin.
func (o Origin) Key() string { return o.Channel + ":" + o.Chat }

// Retryable reports whether asking again can help without anybody doing anything.
func (c BrainClass) Retryable() bool {
	switch c {
	case BrainUnreachable, BrainLoading, BrainBusy, BrainCutStream, BrainCrashed, BrainGarbage, BrainTimeout:
		return true
	default:
		return false
	}
}
