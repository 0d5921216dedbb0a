package fsm

// Switches are a profile's choices between ways to behave. The zero value of each
// is what the profile shelly does.
type Switches struct {
	NoCognition    bool         `json:"no_cognition,omitempty"`                             // handles go to execution at once: no question, no recall
	History        HistoryMode  `json:"history,omitempty" of:"none|answers|all|sent"`       // what a session keeps of a turn
	Overflow       OverflowMode `json:"overflow,omitempty" of:"keep|summarize|consolidate"` // what becomes of a history over max_history
	Compress       bool         `json:"compress,omitempty"`                                 // conversations stay within context_tokens
	Remember       RememberMode `json:"remember,omitempty" of:"each|idle|off"`              // when a handle is written to memory
	SideCalls      SideMode     `json:"side_calls,omitempty" of:"alone|appended"`           // how a session's turns are put to the model for their summary
	OwnMemory      bool         `json:"own_memory,omitempty"`                               // a recall brings entries of its own session alone
	TellTime       bool         `json:"tell_time,omitempty"`                                // each input begins with the time
	SpareModel     bool         `json:"spare_model,omitempty"`                              // no embedding evicts the chat model from the server
	ReplyFirst     bool         `json:"reply_first,omitempty"`                              // the reply goes out before history and memory are written
	Cancel         CancelMode   `json:"cancel,omitempty" of:"refused|checkpoint|immediate"` // what a request to cancel does
	AtLimit        EndMode      `json:"at_limit,omitempty" of:"error|notice|state"`         // what an exhausted inference becomes
	AtLength       EndMode      `json:"at_length,omitempty" of:"error|notice|state"`        // what an answer cut at its token limit becomes
	HoldUnknown    bool         `json:"hold_unknown,omitempty"`                             // an unknown outcome waits for a person
	Unattended     bool         `json:"unattended,omitempty"`                               // approvals wait even if the handle has no person to ask
	Alternate      bool         `json:"alternate,omitempty"`                                // users and events take turns
	Coalesce       bool         `json:"coalesce,omitempty"`                                 // an event joins a waiting one of the same subject
	Commands       bool         `json:"commands,omitempty"`                                 // /new, /help, /status and /stop mean something
	AutoLoadSkills bool         `json:"auto_load_skills,omitempty"`                         // the skill tools are offered
	TextCalls      bool         `json:"text_calls,omitempty"`                               // a call written as text is not an answer
	Reading        ReadingMode  `json:"reading,omitempty" of:"plain|careful"`               // how the model's answers are read
	StopAtCalls    bool         `json:"stop_at_calls,omitempty"`                            // the last call that max_tool_calls allows ends the inference
	EmptyAnswers   bool         `json:"empty_answers,omitempty"`                            // an answer with neither text nor calls is the answer
	NoFarewell     bool         `json:"no_farewell,omitempty"`                              // a shutdown asks the model nothing
	InitBeside     bool         `json:"init_beside,omitempty"`                              // the first initial inference runs while requests are served
	Progress       bool         `json:"progress,omitempty"`                                 // the deadlines of model calls follow their progress
	KeepTexts      bool         `json:"keep_texts,omitempty"`                               // long results are kept whole, and can be read on in
	ReadAhead      bool         `json:"read_ahead,omitempty"`                               // at a start, and while a person writes, the model reads what the next question comes after
}

// HistoryMode is what a session keeps of a turn.
type HistoryMode string

// A session keeps nothing, the user's message and the final answer, every message, or every
// message as it was sent to the model.
const (
	HistoryNone    HistoryMode = ""
	HistoryAnswers HistoryMode = "answers"
	HistoryAll     HistoryMode = "all"
	HistorySent    HistoryMode = "sent"
)

// OverflowMode is what becomes of a history that is longer than max_history.
type OverflowMode string

// Nothing; the overflow's summary is put after MEMORY.md; or the history is
// consolidated into an entry of HISTORY.md and a new MEMORY.md.
const (
	OverflowKeep        OverflowMode = ""
	OverflowSummarize   OverflowMode = "summarize"
	OverflowConsolidate OverflowMode = "consolidate"
)

// RememberMode is when a handle is written to memory.
type RememberMode string

// Each handle separately; a session's turns together once nothing else waits; never.
const (
	RememberEach RememberMode = ""
	RememberIdle RememberMode = "idle"
	RememberOff  RememberMode = "off"
)

// SideMode is how a call that is about a conversation, but not part of it, is put.
type SideMode string

// Separately, with the messages that it is about; or after the conversation as the
// model knows it, under the same system prompt and tools, so that the model's server
// need not read it again.
const (
	SideAlone    SideMode = ""
	SideAppended SideMode = "appended"
)

// CancelMode is what a request to cancel does.
type CancelMode string

// Nothing; an end before the next model call or tool; or an end at once.
const (
	CancelRefused    CancelMode = ""
	CancelCheckpoint CancelMode = "checkpoint"
	CancelImmediate  CancelMode = "immediate"
)

// ReadingMode is how the model's answers are read.
type ReadingMode string

// As the first edition read them; or with care. With care means: needs and calls are
// recognized in the forms that small models write; calls as text count only if the model
// writes its calls so, in its own words, and need a person's approval if they have effects;
// equal calls without effects run once.
const (
	ReadingPlain   ReadingMode = ""
	ReadingCareful ReadingMode = "careful"
)

// EndMode is what an inference that reached a limit becomes.
type EndMode string

// An error; the text so far with a notice after it; or the notice alone, as a
// state of its own.
const (
	EndError  EndMode = ""
	EndNotice EndMode = "notice"
	EndState  EndMode = "state"
)
