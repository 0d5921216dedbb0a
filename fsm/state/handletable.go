package state

import "shelly/fsm"

// Handle states. A handle is one accepted piece of work.
const (
	Queued      fsm.State = "queued"
	Idling      fsm.State = "idling"
	Loading     fsm.State = "loading"
	Cognition   fsm.State = "cognition"
	Recalling   fsm.State = "recalling"
	Execution   fsm.State = "execution"
	Summarizing fsm.State = "summarizing"
	Embedding   fsm.State = "embedding"
	Storing     fsm.State = "storing"
	Stopping    fsm.State = "stopping"
	Parked      fsm.State = "parked"
	Compacting  fsm.State = "compacting"
	Approving   fsm.State = "waiting_approval"
	Held        fsm.State = "held"
	Postponed   fsm.State = "postponed"
	Saving      fsm.State = "saving"
	Done        fsm.State = "done"
	Failed      fsm.State = "failed"
	Cancelled   fsm.State = "cancelled"
)

// Handle events.
const (
	OnStart      Event = "start"      // its turn has come
	OnIdle       Event = "idle"       // it starts once nobody has come for a while
	OnAgain      Event = "again"      // a load or save has failed, and is tried again
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
	OnApproval   Event = "approval"   // a tool waits for a person's approval
	OnDecided    Event = "decided"    // the person has decided, or is out of time
	OnHold       Event = "hold"       // a tool's outcome is unknown, and a person is asked
	OnResolved   Event = "resolved"   // the person has answered, or is out of time
	OnPostpone   Event = "postpone"   // the model is out of reach, and nobody waits for the answer
	OnAnswer     Event = "answer"     // the answer is final, memory is next
	OnKeep       Event = "keep"       // the turn goes to its session, whatever came of it
	OnReport     Event = "report"     // the initial inference has its report
	OnSaved      Event = "saved"      // the session is saved, memory is next
	OnSummarized Event = "summarized" // a summary, or its stand-in
	OnEmbedded   Event = "embedded"   // a vector, or none
	OnStored     Event = "stored"     // stored, or given up
	OnFinish     Event = "finish"     // nothing is left to do
	OnSkip       Event = "skip"       // the time is up: the rest is skipped
	OnYield      Event = "yield"      // a memory handle, or an initial inference beside others, gives way
	OnFail       Event = "fail"       // there is no answer
	OnTimeout    Event = "timeout"    // the time is up before there is an answer
	OnCancel     Event = "cancel"     // its client has taken it back
	OnAbort      Event = "abort"      // given up while a tool runs
	OnStopped    Event = "stopped"    // the tool has stopped, or its time to do so is up
	OnHalted     Event = "halted"     // one of several tools has stopped
	OnPark       Event = "park"       // kept for the next boot
	OnResume     Event = "resume"     // back in the queue
	OnAbandon    Event = "abandon"    // an initial inference or farewell that is not kept
)

// Waits reports whether a handle in a state holds no place among those that run.
func Waits(s fsm.State) bool {
	switch s {
	case Queued, Idling, Parked, Approving, Held, Postponed:
		return true
	default:
		return false
	}
}

// HandleTable is the table of one handle.
var HandleTable = Table{
	Name:    "handle",
	Initial: Queued,
	Final:   []fsm.State{Done, Failed, Cancelled},
	Rows: []Row{
		{Queued, OnStart, Loading, "HND-2"},
		{Queued, OnCompact, Compacting, "HND-24"},
		{Queued, OnAsk, Cognition, "HND-24"},
		{Queued, OnRecall, Recalling, "HND-24"},
		{Queued, OnAct, Execution, "HND-24"},
		{Queued, OnSave, Saving, "HND-24"},
		{Queued, OnSummarize, Summarizing, "HND-24"},
		{Queued, OnIdle, Idling, "HND-66"},
		{Queued, OnEmbed, Embedding, "HND-24"},
		{Queued, OnStore, Storing, "HND-24"},
		{Queued, OnFinish, Done, "HND-67"},
		{Queued, OnPark, Parked, "LIF-6"},
		{Queued, OnCancel, Cancelled, "HND-34"},
		{Parked, OnResume, Queued, "LIF-11"},
		{Parked, OnCancel, Cancelled, "HND-34"},

		{Idling, OnSummarize, Summarizing, "HND-66"},
		{Idling, OnStart, Loading, "LIF-17"},
		{Idling, OnAct, Execution, "LIF-17"},
		{Idling, OnYield, Queued, "HND-66"},
		{Idling, OnPark, Parked, "LIF-6"},

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

		{Compacting, OnAgain, Compacting, "CTX-13"},
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
		{Cognition, OnPostpone, Postponed, "HND-69"},
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
		{Execution, OnPostpone, Postponed, "HND-69"},
		{Execution, OnFail, Failed, "HND-16"},
		{Execution, OnTimeout, Failed, "HND-18"},
		{Execution, OnCancel, Cancelled, "HND-33"},
		{Execution, OnAbort, Stopping, "HND-19"},
		{Execution, OnYield, Queued, "LIF-17"},
		{Execution, OnPark, Parked, "LIF-8"},
		{Execution, OnAbandon, Failed, "LIF-12"},

		{Approving, OnDecided, Queued, "APR-2"},
		{Approving, OnCancel, Cancelled, "HND-34"},
		{Approving, OnPark, Parked, "APR-7"},

		{Held, OnResolved, Queued, "APR-6"},
		{Held, OnCancel, Cancelled, "HND-34"},
		{Held, OnPark, Parked, "APR-7"},

		{Postponed, OnResume, Queued, "HND-69"},
		{Postponed, OnCancel, Cancelled, "HND-34"},
		{Postponed, OnPark, Parked, "LIF-16"},

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

		{Stopping, OnHalted, Stopping, "INF-48"},
		{Stopping, OnStopped, Failed, "HND-19"},
		{Stopping, OnCancel, Cancelled, "HND-33"},
		{Stopping, OnKeep, Saving, "SES-5"},
		{Stopping, OnPark, Parked, "LIF-8"},
	},
}
