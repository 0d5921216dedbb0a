package fsm

// Handle states. A handle is one accepted piece of work.
const (
	Queued      State = "queued"
	Loading     State = "loading"
	Cognition   State = "cognition"
	Recalling   State = "recalling"
	Execution   State = "execution"
	Summarizing State = "summarizing"
	Embedding   State = "embedding"
	Storing     State = "storing"
	Stopping    State = "stopping"
	Parked      State = "parked"
	Compacting  State = "compacting"
	Approving   State = "waiting_approval"
	Held        State = "held"
	Saving      State = "saving"
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
)

// Handle events.
const (
	OnStart      Event = "start"      // its turn has come
	OnAgain      Event = "again"      // what was asked of the store has failed, and is tried again
	OnAsk        Event = "ask"        // ask the cognition question, or go on with it
	OnRecall     Event = "recall"     // go on with a recall
	OnAct        Event = "act"        // infer without the question, or go on with it
	OnCompact    Event = "compact"    // the history, or the conversation, is too long
	OnSave       Event = "save"       // go on with the save, or save without a turn
	OnSummarize  Event = "summarize"  // go on with the summary
	OnEmbed      Event = "embed"      // go on with the embedding
	OnStore      Event = "store"      // go on with the store
	OnNeed       Event = "need"       // the answer describes an information need
	OnRecalled   Event = "recalled"   // memory has answered, rounds are left
	OnEnough     Event = "enough"     // memory has answered, no round is left
	OnApproval   Event = "approval"   // a tool waits for a person's leave
	OnDecided    Event = "decided"    // the person has decided, or is out of time
	OnHold       Event = "hold"       // a tool's outcome is unknown, and a person shall say it
	OnResolved   Event = "resolved"   // the person has said it, or is out of time
	OnAnswer     Event = "answer"     // the answer is final, memory is next
	OnKeep       Event = "keep"       // the turn goes to its session, whatever came of it
	OnReport     Event = "report"     // the initial inference has its report
	OnSaved      Event = "saved"      // the session is saved, memory is next
	OnSummarized Event = "summarized" // a summary, or its stand-in
	OnEmbedded   Event = "embedded"   // a vector, or none
	OnStored     Event = "stored"     // stored, or given up
	OnFinish     Event = "finish"     // nothing is left to do
	OnSkip       Event = "skip"       // the time is up: the rest is skipped
	OnYield      Event = "yield"      // a memory handle gives way
	OnFail       Event = "fail"       // there is no answer
	OnTimeout    Event = "timeout"    // the time is up before there is an answer
	OnCancel     Event = "cancel"     // its client has taken it back
	OnAbort      Event = "abort"      // given up while a tool runs
	OnStopped    Event = "stopped"    // the tool has stopped, or its time to do so is up
	OnPark       Event = "park"       // kept for the next boot
	OnResume     Event = "resume"     // back in the queue
	OnAbandon    Event = "abandon"    // an initial inference or farewell that is not kept
)

// HandleTable is the table of one handle.
var HandleTable = Table{
	Name:    "handle",
	Initial: Queued,
	Final:   []State{Done, Failed, Cancelled},
	Rows: []Row{
		{Queued, OnStart, Loading, "HND-2"},
		{Queued, OnCompact, Compacting, "HND-24"},
		{Queued, OnAsk, Cognition, "HND-24"},
		{Queued, OnRecall, Recalling, "HND-24"},
		{Queued, OnAct, Execution, "HND-24"},
		{Queued, OnSave, Saving, "HND-24"},
		{Queued, OnSummarize, Summarizing, "HND-24"},
		{Queued, OnEmbed, Embedding, "HND-24"},
		{Queued, OnStore, Storing, "HND-24"},
		{Queued, OnPark, Parked, "LIF-6"},
		{Queued, OnCancel, Cancelled, "HND-34"},
		{Parked, OnResume, Queued, "LIF-11"},
		{Parked, OnCancel, Cancelled, "HND-34"},

		{Loading, OnAsk, Cognition, "HND-4"},
		{Loading, OnAct, Execution, "LIF-3"},
		{Loading, OnCompact, Compacting, "SES-10"},
		{Loading, OnSave, Saving, "SES-14"},
		{Loading, OnFinish, Done, "SES-14"},
		{Loading, OnAgain, Loading, "SES-8"},
		{Loading, OnFail, Failed, "SES-8"},
		{Loading, OnTimeout, Failed, "HND-18"},
		{Loading, OnCancel, Cancelled, "HND-33"},
		{Loading, OnPark, Parked, "LIF-8"},

		{Compacting, OnAsk, Cognition, "SES-10"},
		{Compacting, OnAct, Execution, "SES-10"},
		{Compacting, OnSave, Saving, "SES-14"},
		{Compacting, OnKeep, Saving, "SES-5"},
		{Compacting, OnPark, Parked, "LIF-8"},

		{Cognition, OnAnswer, Summarizing, "HND-6"},
		{Cognition, OnKeep, Saving, "SES-3"},
		{Cognition, OnFinish, Done, "HND-30"},
		{Cognition, OnNeed, Recalling, "HND-7"},
		{Cognition, OnApproval, Approving, "APR-1"},
		{Cognition, OnHold, Held, "APR-5"},
		{Cognition, OnFail, Failed, "HND-16"},
		{Cognition, OnTimeout, Failed, "HND-18"},
		{Cognition, OnCancel, Cancelled, "HND-33"},
		{Cognition, OnAbort, Stopping, "HND-19"},
		{Cognition, OnPark, Parked, "LIF-8"},
		{Cognition, OnAbandon, Failed, "LIF-12"},

		{Recalling, OnRecalled, Cognition, "HND-8"},
		{Recalling, OnEnough, Execution, "HND-10"},
		{Recalling, OnKeep, Saving, "SES-5"},
		{Recalling, OnTimeout, Failed, "HND-18"},
		{Recalling, OnCancel, Cancelled, "HND-33"},
		{Recalling, OnPark, Parked, "LIF-8"},
		{Recalling, OnAbandon, Failed, "LIF-12"},

		{Execution, OnAnswer, Summarizing, "HND-6"},
		{Execution, OnReport, Embedding, "LIF-4"},
		{Execution, OnKeep, Saving, "SES-3"},
		{Execution, OnFinish, Done, "HND-30"},
		{Execution, OnApproval, Approving, "APR-1"},
		{Execution, OnHold, Held, "APR-5"},
		{Execution, OnFail, Failed, "HND-16"},
		{Execution, OnTimeout, Failed, "HND-18"},
		{Execution, OnCancel, Cancelled, "HND-33"},
		{Execution, OnAbort, Stopping, "HND-19"},
		{Execution, OnPark, Parked, "LIF-8"},
		{Execution, OnAbandon, Failed, "LIF-12"},

		{Approving, OnDecided, Queued, "APR-2"},
		{Approving, OnCancel, Cancelled, "HND-34"},
		{Approving, OnPark, Parked, "APR-7"},

		{Held, OnResolved, Queued, "APR-6"},
		{Held, OnCancel, Cancelled, "HND-34"},
		{Held, OnPark, Parked, "APR-7"},

		{Saving, OnAgain, Saving, "SES-8"},
		{Saving, OnSaved, Summarizing, "HND-12"},
		{Saving, OnFinish, Done, "HND-30"},
		{Saving, OnSkip, Done, "HND-20"},
		{Saving, OnFail, Failed, "SES-5"},
		{Saving, OnCancel, Cancelled, "SES-5"},
		{Saving, OnPark, Parked, "LIF-8"},

		{Summarizing, OnSummarized, Embedding, "HND-12"},
		{Summarizing, OnSkip, Done, "HND-20"},
		{Summarizing, OnYield, Queued, "HND-29"},
		{Summarizing, OnPark, Parked, "LIF-8"},
		{Summarizing, OnAbandon, Failed, "LIF-12"},

		{Embedding, OnEmbedded, Storing, "HND-13"},
		{Embedding, OnSkip, Done, "HND-20"},
		{Embedding, OnPark, Parked, "LIF-8"},
		{Embedding, OnAbandon, Failed, "LIF-12"},

		{Storing, OnAgain, Storing, "HND-23"},
		{Storing, OnStored, Done, "HND-14"},
		{Storing, OnSkip, Done, "HND-20"},
		{Storing, OnPark, Parked, "LIF-8"},
		{Storing, OnAbandon, Failed, "LIF-12"},

		{Stopping, OnStopped, Failed, "HND-19"},
		{Stopping, OnCancel, Cancelled, "HND-33"},
		{Stopping, OnKeep, Saving, "SES-5"},
		{Stopping, OnPark, Parked, "LIF-8"},
	},
}

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

// Handle is one accepted piece of work on its way through [HandleTable]. Only
// unfinished handles are kept.
type Handle struct {
	ID      HandleID   `json:"id"`
	Kind    Kind       `json:"kind"`
	Request RequestKey `json:"request,omitzero"` // user only
	Session string     `json:"session,omitempty"`
	Origin  Origin     `json:"origin,omitzero"`
	Input   string     `json:"input"`
	Images  [][]byte   `json:"images,omitempty"`
	Context []Message  `json:"context,omitempty"` // the caller's own history
	Command string     `json:"command,omitempty"` // user only: the command that it is
	About   string     `json:"about,omitempty"`   // event only: what another must be about to join it
	Joined  int        `json:"joined,omitempty"`  // event only: how many did
	Parent  HandleID   `json:"parent,omitempty"`  // subagent only
	Label   string     `json:"label,omitempty"`   // subagent only
	Home    string     `json:"home,omitempty"`    // subagent only: the session that is told of its end

	State  State        `json:"state"`
	Resume State        `json:"resume,omitempty"` // the phase to go on in; empty: begin
	Rounds int          `json:"rounds,omitempty"` // cognition rounds that ended in a need
	Need   string       `json:"need,omitempty"`   // the last need
	Talk   Conversation `json:"talk,omitzero"`    // all messages of the finished inferences
	Inf    Inference    `json:"inf,omitzero"`     // the running or last inference
	Await  Await        `json:"await,omitzero"`   // the one call in flight

	Timer TimerID `json:"timer,omitempty"`
	Armed Millis  `json:"armed,omitempty"` // when Timer was armed
	Left  Millis  `json:"left,omitempty"`  // what was left of the time then; 0: all
	Wait  TimerID `json:"wait,omitempty"`  // the timer of a wait inside the phase

	Loaded    bool      `json:"loaded,omitempty"`    // Sess is the session's, to be written back
	Sess      Session   `json:"sess,omitzero"`       // the working copy
	TurnAt    int       `json:"turn_at,omitempty"`   // where the question stands in the conversation
	Turn      []Message `json:"turn,omitempty"`      // the turn's own messages, as they were
	Closing   []Message `json:"closing,omitempty"`   // what the turn ends with beyond them
	Condensed bool      `json:"condensed,omitempty"` // the conversation was compressed
	Rebased   bool      `json:"rebased,omitempty"`   // Sess.History is what somebody else wrote meanwhile
	Uses      int       `json:"uses,omitempty"`      // tool calls begun
	Used      []string  `json:"used,omitempty"`      // the tools that the turn ran, each once
	Notes     []string  `json:"notes,omitempty"`     // entries for HISTORY.md
	Learnt    string    `json:"learnt,omitempty"`    // what Sess.Memory has that MEMORY.md lacked when it was loaded; empty: nothing
	Tries     int       `json:"tries,omitempty"`     // loads or saves that failed

	Stop    bool    `json:"stop,omitempty"`    // to end at the next checkpoint
	Replied bool    `json:"replied,omitempty"` // whoever waits has been told
	Outcome Outcome `json:"outcome,omitempty"` // empty: undecided
	Failure string  `json:"failure,omitempty"` // why there is no answer
	Crashes int     `json:"crashes,omitempty"` // crashes in which it was active
	Poison  bool    `json:"poison,omitempty"`  // parked until a person lets it go on
	Doubt   string  `json:"doubt,omitempty"`   // why it is doubted
	Place   int     `json:"place,omitempty"`   // what its client heard of its place, plus one

	Answer      string `json:"answer,omitempty"`
	Turns       int    `json:"turns,omitempty"` // memory only: the turns gathered
	Summary     string `json:"summary,omitempty"`
	Vector      []byte `json:"vector,omitempty"`
	VectorModel string `json:"vector_model,omitempty"`
	StoreTries  int    `json:"store_tries,omitempty"` // stores that failed
}

// CallKind is what kind of answer a call waits for.
type CallKind string

// The kinds of call.
const (
	CallBrain  CallKind = "brain"
	CallTool   CallKind = "tool"
	CallStop   CallKind = "stop" // an aborted tool: only its stop is awaited
	CallRecall CallKind = "recall"
	CallEmbed  CallKind = "embed"
	CallStore  CallKind = "store"
	CallLoad   CallKind = "load"  // a session
	CallSave   CallKind = "save"  // a session
	CallSkill  CallKind = "skill" // a skill's text
)

// Await is a call in flight; the zero value is none.
type Await struct {
	Call CallID   `json:"call,omitempty"`
	Kind CallKind `json:"kind,omitempty"`
}

// timeout is the bound on all of a handle's time.
func (h *Handle) timeout(l Limits) Millis {
	switch h.Kind {
	case KindInit:
		return l.InitTimeout
	case KindFarewell:
		return l.ShutdownTimeout
	case KindSubagent:
		return l.SubagentTimeout
	default:
		return l.HandleTimeout
	}
}

// purpose is what the handle's answering inferences are for.
func (h *Handle) purpose() Purpose {
	switch h.Kind {
	case KindInit:
		return PurposeInit
	case KindFarewell:
		return PurposeFarewell
	case KindSubagent:
		return PurposeSubagent
	default:
		return PurposeAnswer
	}
}

// toolset is what the handle's answering inferences offer.
func (h *Handle) toolset() Toolset {
	if h.Kind == KindSubagent {
		return SubagentTools
	}
	return AllTools
}

// waiting reports whether the handle holds no place among those that run. One that
// waits for a person keeps its session.
func (h *Handle) waiting() bool {
	return h.State == Queued || h.State == Parked || h.asksPerson()
}

// asksPerson reports whether the handle waits for a person.
func (h *Handle) asksPerson() bool { return h.State == Approving || h.State == Held }

// attended reports whether there is a person behind the handle.
func (h *Handle) attended() bool { return h.Kind == KindUser || h.Kind == KindSystem }

// mayWait reports whether the handle may wait for a person (APR-4). The start and the
// end of an epoch never do.
func (h *Handle) mayWait(unattended bool) bool {
	return h.attended() || unattended && h.Kind != KindInit && h.Kind != KindFarewell
}

// decided reports whether it is settled what the handle's client is told, so that
// neither a cancel nor a time-out changes it.
func (h *Handle) decided() bool { return h.Outcome != "" }

// answers reports whether the running inference is one that answers, so that its
// messages are the handle's own.
func (h *Handle) answers() bool { return h.Inf.Purpose == h.purpose() }

// talk returns the handle's conversation as it stands.
func (h *Handle) talk() Conversation {
	if h.Inf.State != "" && h.answers() {
		return h.Inf.Talk
	}
	return h.Talk
}
