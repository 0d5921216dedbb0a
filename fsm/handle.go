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
	Done        State = "done"
	Failed      State = "failed"
)

// Handle events.
const (
	OnStart      Event = "start"      // its turn has come
	OnAsk        Event = "ask"        // ask the cognition question, or go on with it
	OnRecall     Event = "recall"     // go on with a recall
	OnAct        Event = "act"        // infer without the question
	OnSummarize  Event = "summarize"  // go on with the summary
	OnEmbed      Event = "embed"      // go on with the embedding
	OnStore      Event = "store"      // go on with the store
	OnNeed       Event = "need"       // the answer describes an information need
	OnRecalled   Event = "recalled"   // memory has answered, rounds are left
	OnEnough     Event = "enough"     // memory has answered, no round is left
	OnAnswer     Event = "answer"     // the answer is final
	OnReport     Event = "report"     // the initial inference has its report
	OnSummarized Event = "summarized" // a summary, or its stand-in
	OnEmbedded   Event = "embedded"   // a vector, or none
	OnStored     Event = "stored"     // stored, or given up
	OnSkip       Event = "skip"       // the time is up: the rest of memory is skipped
	OnFail       Event = "fail"       // the inference failed
	OnTimeout    Event = "timeout"    // the time is up before there is an answer
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
	Final:   []State{Done, Failed},
	Rows: []Row{
		{Queued, OnStart, Loading, "HND-2"},
		{Queued, OnPark, Parked, "LIF-6"},
		{Parked, OnResume, Queued, "LIF-11"},

		{Loading, OnAsk, Cognition, "HND-4"},
		{Loading, OnAct, Execution, "LIF-3"},
		{Loading, OnRecall, Recalling, "HND-24"},
		{Loading, OnSummarize, Summarizing, "HND-24"},
		{Loading, OnEmbed, Embedding, "HND-24"},
		{Loading, OnStore, Storing, "HND-24"},

		{Cognition, OnAnswer, Summarizing, "HND-6"},
		{Cognition, OnNeed, Recalling, "HND-7"},
		{Cognition, OnFail, Failed, "HND-16"},
		{Cognition, OnTimeout, Failed, "HND-18"},
		{Cognition, OnAbort, Stopping, "HND-19"},
		{Cognition, OnPark, Parked, "LIF-8"},
		{Cognition, OnAbandon, Failed, "LIF-12"},

		{Recalling, OnRecalled, Cognition, "HND-8"},
		{Recalling, OnEnough, Execution, "HND-10"},
		{Recalling, OnTimeout, Failed, "HND-18"},
		{Recalling, OnPark, Parked, "LIF-8"},
		{Recalling, OnAbandon, Failed, "LIF-12"},

		{Execution, OnAnswer, Summarizing, "HND-6"},
		{Execution, OnReport, Embedding, "LIF-4"},
		{Execution, OnFail, Failed, "HND-16"},
		{Execution, OnTimeout, Failed, "HND-18"},
		{Execution, OnAbort, Stopping, "HND-19"},
		{Execution, OnPark, Parked, "LIF-8"},
		{Execution, OnAbandon, Failed, "LIF-12"},

		{Summarizing, OnSummarized, Embedding, "HND-12"},
		{Summarizing, OnSkip, Done, "HND-20"},
		{Summarizing, OnPark, Parked, "LIF-8"},
		{Summarizing, OnAbandon, Failed, "LIF-12"},

		{Embedding, OnEmbedded, Storing, "HND-13"},
		{Embedding, OnSkip, Done, "HND-20"},
		{Embedding, OnPark, Parked, "LIF-8"},
		{Embedding, OnAbandon, Failed, "LIF-12"},

		{Storing, OnStored, Done, "HND-14"},
		{Storing, OnSkip, Done, "HND-20"},
		{Storing, OnPark, Parked, "LIF-8"},
		{Storing, OnAbandon, Failed, "LIF-12"},

		{Stopping, OnStopped, Failed, "HND-19"},
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
)

// Handle is one accepted piece of work on its way through [HandleTable]. Only
// unfinished handles are kept.
type Handle struct {
	ID      HandleID   `json:"id"`
	Kind    Kind       `json:"kind"`
	Request RequestKey `json:"request,omitzero"` // user only
	Session string     `json:"session,omitempty"`
	Input   string     `json:"input"`

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

	Answer      string `json:"answer,omitempty"`
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
	default:
		return PurposeAnswer
	}
}

// waiting reports whether the handle holds no slot.
func (h *Handle) waiting() bool { return h.State == Queued || h.State == Parked }
