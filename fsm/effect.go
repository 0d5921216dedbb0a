package fsm

// Effect is what the world must now do. The set is closed.
type Effect interface {
	kind() string
	hash(*hasher)
}

// Purpose says what a model call is for.
type Purpose string

// The purposes of a model call.
const (
	PurposeAnswer   Purpose = "answer"
	PurposeInit     Purpose = "init"
	PurposeFarewell Purpose = "farewell"
	PurposeSummary  Purpose = "summary"
)

// AskBrain asks the model; [BrainAnswered] or [BrainFailed] answers.
type AskBrain struct {
	Call         CallID       `json:"call"`
	Handle       HandleID     `json:"handle"`
	Session      string       `json:"session,omitempty"`
	Purpose      Purpose      `json:"purpose"`
	Conversation Conversation `json:"conversation"`
	Tools        bool         `json:"tools,omitempty"` // offer the tools of the configuration
}

// RunTool starts a tool; [ToolAnswered] answers. The step that emits it is the
// start marker of an unsafe tool.
type RunTool struct {
	Call    CallID      `json:"call"`
	Handle  HandleID    `json:"handle"`
	Session string      `json:"session,omitempty"`
	Name    string      `json:"name"`
	Args    string      `json:"args"`
	Effects ToolEffects `json:"effects"`
	Key     string      `json:"key"` // names this use of the tool; the same when it is started again after a crash (TOL-8)
}

// AbortCall gives up a call. An aborted tool is answered by [ToolStopped]; any
// other aborted call needs no answer.
type AbortCall struct {
	Call CallID `json:"call"`
}

// Recall looks into memory; [Recalled] answers.
type Recall struct {
	Call    CallID   `json:"call"`
	Handle  HandleID `json:"handle"`
	Session string   `json:"session,omitempty"`
	Need    string   `json:"need"`
	TopK    int      `json:"top_k"`
}

// Embed turns a text into a vector; [Embedded] answers.
type Embed struct {
	Call   CallID   `json:"call"`
	Handle HandleID `json:"handle"`
	Text   string   `json:"text"`
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
}

// Store writes a memory entry, whole or not at all; [Stored] answers.
type Store struct {
	Call   CallID   `json:"call"`
	Handle HandleID `json:"handle"`
	Entry  Entry    `json:"entry"`
}

// TimerPurpose says what a timer bounds.
type TimerPurpose string

// The purposes of a timer.
const (
	TimerHandle TimerPurpose = "handle" // a handle's whole time
	TimerAbort  TimerPurpose = "abort"  // an aborted tool's time to stop
	TimerGrace  TimerPurpose = "grace"  // active handles' time at shutdown
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
}

// Notice is a word to a client that is not its reply.
type Notice string

// NoticeDeferred tells a client that shelly is going down and that its request
// is kept and will be answered after the next start.
const NoticeDeferred Notice = "deferred"

// Notify sends a client a notice.
type Notify struct {
	Handle  HandleID   `json:"handle"`
	Request RequestKey `json:"request"`
	Notice  Notice     `json:"notice"`
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

func (AskBrain) kind() string   { return "ask_brain" }
func (RunTool) kind() string    { return "run_tool" }
func (AbortCall) kind() string  { return "abort_call" }
func (Recall) kind() string     { return "recall" }
func (Embed) kind() string      { return "embed" }
func (Store) kind() string      { return "store" }
func (SetTimer) kind() string   { return "set_timer" }
func (ClearTimer) kind() string { return "clear_timer" }
func (Reply) kind() string      { return "reply" }
func (Notify) kind() string     { return "notify" }
func (Report) kind() string     { return "report" }
func (Exit) kind() string       { return "exit" }
