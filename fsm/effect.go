package fsm

// Effect is what the world must now do. The set is closed.
type Effect interface {
	kind() effectKind
	hash(*Hasher)
}

// Call is an effect that wants an answer: a fact that names it, see [Answer].
type Call interface {
	Effect
	Identity() Asked
}

// Asked is what a call begins with: its identity, and the handle that it is for.
type Asked struct {
	Call   CallID   `json:"call"`
	Handle HandleID `json:"handle"`
}

// Identity returns what a call begins with.
func (a Asked) Identity() Asked { return a }

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
)

// AskBrain asks the model; [BrainAnswered] or [BrainFailed] answers.
type AskBrain struct {
	Asked
	Session      string       `json:"session,omitempty"`
	Purpose      Purpose      `json:"purpose"`
	System       string       `json:"system,omitempty"` // the system prompt, before the conversation
	Conversation Conversation `json:"conversation"`
	Tools        Toolset      `json:"tools,omitempty"`
	Offer        Offer        `json:"offer,omitzero"` // what of them is shown
	Options      Options      `json:"options,omitzero"`
	Tokens       int          `json:"tokens,omitempty"`       // the estimate of the whole prompt, where a budget is kept
	ThinkTokens  int          `json:"think_tokens,omitempty"` // of thinking, at which the answer is cut; 0: any
	NoThinking   bool         `json:"no_thinking,omitempty"`  // the model is not to think
}

// Messages returns all that the model is sent: the system prompt, then the
// conversation.
func (e AskBrain) Messages() []Message {
	if e.System == "" {
		return e.Conversation.Messages
	}
	all := make([]Message, 0, len(e.Conversation.Messages)+1)
	return append(append(all, Message{Role: RoleSystem, Text: e.System}), e.Conversation.Messages...)
}

// RunTool starts a tool; [ToolAnswered] answers. The step that emits it is the
// start marker of an unsafe tool.
type RunTool struct {
	Asked
	Session string      `json:"session,omitempty"`
	Name    string      `json:"name"`
	Args    string      `json:"args"`
	Effects ToolEffects `json:"effects"`
	Origin  Origin      `json:"origin,omitzero"`
	Attempt int         `json:"attempt,omitempty"` // from 1; a start after a crash is the same attempt
	Key     string      `json:"key"`               // names this use of the tool; the same when it is started again after a crash (TOL-8)
	Keep    Keep        `json:"keep,omitzero"`     // what becomes of a long result (TXT-1)

	Approved bool `json:"approved,omitempty"` // a person or a grant lets this call run (APR-19)
}

// RunProbe asks a tool what became of a call whose outcome is unknown (INF-52); [Probed]
// answers. It changes nothing, and is asked only when nothing works on the call any more.
type RunProbe struct {
	Asked
	Session string `json:"session,omitempty"`
	Name    string `json:"name"`
	Args    string `json:"args"`
	Key     string `json:"key"`     // the call's, as in [RunTool]
	Attempt int    `json:"attempt"` // of the call, that was started last
}

// AbortCall gives up a call. An aborted tool is answered by [ToolStopped]; any
// other aborted call needs no answer.
type AbortCall struct {
	Call CallID `json:"call"`
}

// Recall looks into memory; [Recalled] answers.
type Recall struct {
	Asked
	Session string `json:"session,omitempty"`
	Need    string `json:"need"`
	TopK    int    `json:"top_k"`
	Own     bool   `json:"own,omitempty"`   // entries of Session alone
	Spare   bool   `json:"spare,omitempty"` // by keyword alone, if the need's vector would cost the chat model its place
}

// Embed turns a text into a vector; [Embedded] answers.
type Embed struct {
	Asked
	Text  string `json:"text"`
	Spare bool   `json:"spare,omitempty"` // not now, if it would cost the chat model its place
}

// Entry is one whole memory.
type Entry struct {
	ID      string `json:"id"` // one handle, one entry: storing it twice is storing it once
	Kind    Kind   `json:"kind"`
	Session string `json:"session,omitempty"`
	At      Millis `json:"at"`
	Summary string `json:"summary"`
	Text    string `json:"text"`
	Vector  []byte `json:"vector,omitempty"` // float32, little-endian; empty: found by keyword only
	Model   string `json:"model,omitempty"`  // the vector's model
	Source  Source `json:"source,omitzero"`  // of what it was derived from
}

// Store writes a memory entry, whole or not at all; [Stored] answers.
type Store struct {
	Asked
	Entry Entry `json:"entry"`
}

// LoadSession reads a session; [SessionLoaded] answers.
type LoadSession struct {
	Asked
	Session string `json:"session"`
}

// SaveSession writes a session over the version that State names, whole or not at
// all; [SessionSaved] answers. The same Turn written again changes nothing.
type SaveSession struct {
	Asked
	Session string    `json:"session"`
	Turn    string    `json:"turn"`              // one handle, one turn
	State   Session   `json:"state"`             // Version and MemoryHash are those that were loaded
	Archive []Message `json:"archive,omitempty"` // the turn's own messages, kept whole whatever becomes of the history
	Notes   []string  `json:"notes,omitempty"`   // entries of HISTORY.md, appended once for each turn
	Memory  bool      `json:"memory,omitempty"`  // State.Memory replaces MEMORY.md
}

// LoadSkill reads a skill's instructions, or one of its references; [SkillLoaded]
// answers.
type LoadSkill struct {
	Asked
	Skill     string `json:"skill"`
	Reference string `json:"reference,omitempty"`
}

// ReadText reads on in a kept result (TXT-5); [TextRead] answers.
type ReadText struct {
	Asked
	Owner  string `json:"owner"`
	Ref    string `json:"ref"`
	From   int    `json:"from,omitempty"` // a byte of the text
	Tokens int    `json:"tokens"`         // the most that is read, as estimated
}

// SendMessage delivers a text to a chat outside any request. It is written with
// the step that emits it, so it is neither lost nor sent by a step that was.
type SendMessage struct {
	Handle  HandleID `json:"handle"`
	Key     string   `json:"key"` // names this message
	Session string   `json:"session,omitempty"`
	To      Origin   `json:"to"`
	Text    string   `json:"text"`
	IsError bool     `json:"is_error,omitempty"`
}

// ArmSchedule asks for the slot of a schedule that [ArmSchedule.Next] names;
// [ScheduleDue] answers when it has come, at once where it has passed already.
// Exactly one of Every, Cron and Once is set.
type ArmSchedule struct {
	Schedule string `json:"schedule"`
	Every    Millis `json:"every,omitempty"` // slots at From + n × Every
	Cron     string `json:"cron,omitempty"`  // as [fsm/cron] reads it
	Once     Millis `json:"once,omitempty"`  // the one slot
	From     Millis `json:"from"`
	Zone     Zone   `json:"zone,omitzero"` // of the times of Cron
}

// DisarmSchedule ends a schedule.
type DisarmSchedule struct {
	Schedule string `json:"schedule"`
}

// Question is what a person is asked about a handle.
type Question string

// May this tool run; what did this tool do; shall this handle go on after it was
// active in several crashes; or whose journal replays differently: shall it go on.
const (
	QuestionApprove Question = "approve"
	QuestionUnknown Question = "unknown"
	QuestionCrashes Question = "crashes"
	QuestionDoubt   Question = "doubt"
)

// AskPerson tells whoever may decide that a handle waits for a person. [Decided]
// answers an approval, [Resolved] the others; without either the handle's timer
// does.
type AskPerson struct {
	Handle   HandleID   `json:"handle"`
	Request  RequestKey `json:"request,omitzero"`
	Session  string     `json:"session,omitempty"`
	Question Question   `json:"question"`
	Tool     string     `json:"tool,omitempty"`
	Args     string     `json:"args,omitempty"`
	Key      string     `json:"key,omitempty"`
	Text     string     `json:"text,omitempty"` // why, where the question does not say it
}

// Audit is the record of one tool call that has ended (TOL-9).
type Audit struct {
	Handle   HandleID    `json:"handle"`
	Session  string      `json:"session,omitempty"`
	Key      string      `json:"key"`
	Tool     string      `json:"tool"`
	Args     string      `json:"args"`
	Message  string      `json:"message"` // the handle's input
	Result   string      `json:"result"`
	Failed   bool        `json:"failed,omitempty"`
	Unknown  bool        `json:"unknown,omitempty"` // nobody knows whether it ran
	Probe    ProbeAnswer `json:"probe,omitempty"`   // what a probe has said of it
	Attempts int         `json:"attempts"`
	Duration Millis      `json:"duration"` // from the first start to the end

	Contained string `json:"contained,omitempty"` // what contained the processes of its last attempt (TOL-43)
}

// TimerPurpose says what a timer bounds.
type TimerPurpose string

// The purposes of a timer.
const (
	TimerHandle   TimerPurpose = "handle"   // a handle's whole time
	TimerAbort    TimerPurpose = "abort"    // an aborted tool's time to stop
	TimerGrace    TimerPurpose = "grace"    // active handles' time at shutdown
	TimerBackoff  TimerPurpose = "backoff"  // the wait before the model is asked again
	TimerRetry    TimerPurpose = "retry"    // the wait before a tool is started again
	TimerCompact  TimerPurpose = "compact"  // a compaction or consolidation
	TimerApproval TimerPurpose = "approval" // a person's time to decide
	TimerHold     TimerPurpose = "hold"     // a person's time to say what a tool did
	TimerProbe    TimerPurpose = "probe"    // a probe's time to say what became of a call
	TimerAnswer   TimerPurpose = "answer"   // a model call, to its next stage or its end
)

// SetTimer arms a timer; [TimerFired] answers unless it is cleared first.
type SetTimer struct {
	Timer   TimerID      `json:"timer"`
	Handle  HandleID     `json:"handle,omitempty"`
	Purpose TimerPurpose `json:"purpose"`
	After   Millis       `json:"after"`
}

// ClearTimer disarms a timer that has not fired.
type ClearTimer struct {
	Timer TimerID `json:"timer"`
}

// Reply is the one terminal answer to a request.
type Reply struct {
	Handle  HandleID   `json:"handle"`
	Request RequestKey `json:"request"`
	Text    string     `json:"text"`
	IsError bool       `json:"is_error,omitempty"`
	Outcome Outcome    `json:"outcome"`
}

// Outcome says in one word how a handle ended.
type Outcome string

// The outcomes. All but answered, exhausted and cut are errors; the two come with
// a text where the profile says so.
const (
	OutcomeAnswered  Outcome = "answered"
	OutcomeExhausted Outcome = "exhausted" // a cap on rounds, iterations, calls or repetition was met
	OutcomeCut       Outcome = "cut"       // the answer was cut at its token limit
	OutcomeFailed    Outcome = "failed"
	OutcomeTimeout   Outcome = "timeout"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeRefused   Outcome = "refused" // it was never taken in
)

// Notice is a word to a client that is not its reply.
type Notice string

// NoticeDeferred tells a client that shelly is going down and that its request
// is kept and will be answered after the next start.
const NoticeDeferred Notice = "deferred"

// NoticeQueued tells a client how many go before it.
const NoticeQueued Notice = "queued"

// NoticeHeld tells a client that its request waits for a person.
const NoticeHeld Notice = "held"

// Notify sends a client a notice.
type Notify struct {
	Handle  HandleID   `json:"handle"`
	Request RequestKey `json:"request"`
	Notice  Notice     `json:"notice"`
	Ahead   int        `json:"ahead,omitempty"` // queued: the handles before it
}

// Report tells the operator of something that no client waits for.
type Report struct {
	Handle HandleID `json:"handle"`
	Kind   Kind     `json:"of"`
	Text   string   `json:"text"`
}

// ExitCode is how the process should end.
type ExitCode string

// The epoch ended with its farewell, or was cut short by a second signal or by
// the farewell's time-out.
const (
	ExitClean   ExitCode = "clean"
	ExitTimeout ExitCode = "timeout"
	ExitForced  ExitCode = "forced"
)

// Exit tells the driver that the machine has stopped.
type Exit struct {
	Code ExitCode `json:"code"`
}

func (AskBrain) kind() effectKind       { return effectAskBrain }
func (RunTool) kind() effectKind        { return effectRunTool }
func (RunProbe) kind() effectKind       { return effectRunProbe }
func (AbortCall) kind() effectKind      { return effectAbortCall }
func (Recall) kind() effectKind         { return effectRecall }
func (Embed) kind() effectKind          { return effectEmbed }
func (Store) kind() effectKind          { return effectStore }
func (SetTimer) kind() effectKind       { return effectSetTimer }
func (ClearTimer) kind() effectKind     { return effectClearTimer }
func (Reply) kind() effectKind          { return effectReply }
func (Notify) kind() effectKind         { return effectNotify }
func (Report) kind() effectKind         { return effectReport }
func (Exit) kind() effectKind           { return effectExit }
func (LoadSession) kind() effectKind    { return effectLoadSession }
func (SaveSession) kind() effectKind    { return effectSaveSession }
func (LoadSkill) kind() effectKind      { return effectLoadSkill }
func (ReadText) kind() effectKind       { return effectReadText }
func (SendMessage) kind() effectKind    { return effectSendMessage }
func (ArmSchedule) kind() effectKind    { return effectArmSchedule }
func (DisarmSchedule) kind() effectKind { return effectDisarmSchedule }
func (AskPerson) kind() effectKind      { return effectAskPerson }
func (Audit) kind() effectKind          { return effectAudit }
