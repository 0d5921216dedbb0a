package state

import (
	"encoding/json"
	"slices"

	"shelly/fsm"
)

// Inference states.
const (
	Thinking   fsm.State = "thinking"
	Acting     fsm.State = "acting"
	BackingOff fsm.State = "backing_off"
	Retrying   fsm.State = "retrying"
	Probing    fsm.State = "probing"
	Condensing fsm.State = "condensing"
	Completed  fsm.State = "completed"
	Exhausted  fsm.State = "exhausted"
	Broken     fsm.State = "broken"
	Aborted    fsm.State = "aborted"
)

// Inference events.
const (
	OnToolsAsked Event = "tools_asked" // stop reason tool_use
	OnRan        Event = "ran"         // a call has its result, and others may follow
	OnResults    Event = "results"     // every call has its result
	OnUnusable   Event = "unusable"    // the answer is unusable, and the model is asked again
	OnEndTurn    Event = "end_turn"    // stop reason end_turn
	OnMaxTokens  Event = "max_tokens"  // stop reason max_tokens
	OnError      Event = "error"       // the model failed for good, or its answers are empty
	OnLimit      Event = "limit"       // a cap is reached
	OnBackOff    Event = "back_off"    // the model failed, and is asked again later
	OnRetry      Event = "retry"       // the wait is over
	OnToolFailed Event = "tool_failed" // a tool failed, and is started again later
	OnUnknown    Event = "unknown"     // a call has an unknown outcome, and its tool can be asked
	OnNever      Event = "never"       // the call did nothing, and is started again
	OnWorking    Event = "working"     // the call is still being worked on, and is waited for again
	OnUnsure     Event = "unsure"      // its tool cannot say either
	OnRefit      Event = "refit"       // the prompt was longer than estimated, and is sent again, shorter
	OnCondense   Event = "condense"    // the conversation is too long
	OnCondensed  Event = "condensed"   // it is shorter
	OnGiveUp     Event = "give_up"     // its caller has given up
)

// InferenceTable is the table of one inference, the smallest unit: it asks the
// model, runs the tools it asks for, and asks again.
var InferenceTable = Table{
	Name:    "inference",
	Initial: Thinking,
	Final:   []fsm.State{Completed, Exhausted, Broken, Aborted},
	Rows: []Row{
		{Thinking, OnToolsAsked, Acting, "INF-2"},
		{Thinking, OnEndTurn, Completed, "INF-3"},
		{Thinking, OnMaxTokens, Broken, "INF-5"},
		{Thinking, OnError, Broken, "INF-6"},
		{Thinking, OnLimit, Exhausted, "INF-7"},
		{Thinking, OnBackOff, BackingOff, "INF-15"},
		{Thinking, OnUnusable, Thinking, "INF-20"},
		{Thinking, OnCondense, Condensing, "CTX-3"},
		{Thinking, OnRefit, Thinking, "CTX-12"},
		{Thinking, OnGiveUp, Aborted, "INF-11"},
		{Acting, OnRan, Acting, "INF-4"},
		{Acting, OnResults, Thinking, "INF-4"},
		{Acting, OnToolFailed, Retrying, "INF-16"},
		{Acting, OnLimit, Exhausted, "INF-17"},
		{Acting, OnGiveUp, Aborted, "INF-11"},
		{Acting, OnUnknown, Probing, "INF-52"},
		{Probing, OnRan, Acting, "INF-53"},
		{Probing, OnUnsure, Acting, "INF-53"},
		{Probing, OnNever, Acting, "INF-54"},
		{Probing, OnWorking, Acting, "INF-56"},
		{Probing, OnGiveUp, Aborted, "INF-55"},
		{BackingOff, OnRetry, Thinking, "INF-15"},
		{BackingOff, OnGiveUp, Aborted, "INF-11"},
		{Retrying, OnRetry, Acting, "INF-16"},
		{Retrying, OnGiveUp, Aborted, "INF-11"},
		{Condensing, OnCondensed, Thinking, "CTX-5"},
		{Condensing, OnRefit, Condensing, "CTX-12"},
		{Condensing, OnGiveUp, Aborted, "INF-11"},
	},
}

// Inference is one run of the inference loop. It does not know who asked for it or why: it
// has messages, and ends with a result or a reason (INF-14). Its fields are grouped like
// those of a [Handle].
type Inference struct {
	Begun
	Counters
	Calling
	Cutting
	Round
	Concluded
}

// Begun is what an inference begins with. State is set only by taking a row; Talk grows
// with what is said.
type Begun struct {
	State   fsm.State        `json:"state,omitempty"`
	Purpose fsm.Purpose      `json:"purpose,omitempty"`
	Tools   fsm.Toolset      `json:"tools,omitempty"` // its caller wants these offered
	Talk    fsm.Conversation `json:"talk,omitzero"`
}

// Counters bound an inference. They only grow, except Empty and Waits, which a usable
// answer resets.
type Counters struct {
	Rounds      int  `json:"rounds,omitempty"`      // rounds that ran tools
	Iterations  int  `json:"iterations,omitempty"`  // answers of the model
	Ran         int  `json:"ran,omitempty"`         // tool calls begun
	Empty       int  `json:"empty,omitempty"`       // unusable answers in a row
	Waits       int  `json:"waits,omitempty"`       // waits since the last answer
	Compactions int  `json:"compactions,omitempty"` // compactions begun
	Refits      int  `json:"refits,omitempty"`      // times that the prompt was longer than estimated
	Unthinking  bool `json:"unthinking,omitempty"`  // the model has thought too long, and must not think any more
}

// Calling belongs to thinking and condensing: the model call in flight, or the last one,
// from which speeds are learnt once it is answered.
type Calling struct {
	Stage  fsm.Stage `json:"stage,omitempty"`  // the stage that the model call in flight has reached
	Prompt int       `json:"prompt,omitempty"` // tokens of that call's prompt, as estimated
	Anew   int       `json:"anew,omitempty"`   // how many of them should not be cached
}

// Cutting belongs to condensing. It is set as that begins; Appended is cleared when the
// summary has arrived.
type Cutting struct {
	Cut      int  `json:"cut,omitempty"`      // condensing: the messages that leave
	Appended bool `json:"appended,omitempty"` // condensing: the summary is asked for after the conversation (CTX-20)
}

// Round belongs to acting, retrying and probing: the calls of one answer. Thinking sets
// Calls; each call clears what the one before has left, and the last call clears Calls.
// What an inference that ends in a round leaves here shows which calls have no result
// (SES-5). Capped and Seen are of the whole inference.
type Round struct {
	Calls   []fsm.ToolCall  `json:"calls,omitempty"`   // of the last answer
	Next    int             `json:"next,omitempty"`    // the call that runs
	Effects fsm.ToolEffects `json:"effects,omitempty"` // of that call
	Attempt int             `json:"attempt,omitempty"` // its starts; 0: not begun
	Began   fsm.Millis      `json:"began,omitempty"`   // its first start
	Nothing bool            `json:"nothing,omitempty"` // its last attempt says that nothing happened
	Probed  bool            `json:"probed,omitempty"`  // its tool was asked in this epoch what became of it, and could not tell
	Works   bool            `json:"works,omitempty"`   // its tool has said in this epoch that it is still being worked on, and it is waited for
	Asked   bool            `json:"asked,omitempty"`   // a person was asked about it, and it has not been started since
	Why     string          `json:"why,omitempty"`     // why the tool itself wants a person to approve it
	Cleared bool            `json:"cleared,omitempty"` // a person lets it run, until it has its result (APR-20)
	Told    string          `json:"told,omitempty"`    // what a person said instead of its result
	Shows   fsm.Part        `json:"shows,omitzero"`    // the part of a kept result that its result shows

	Contained string   `json:"contained,omitempty"` // what contained its processes (TOL-43)
	Batch     []Read   `json:"batch,omitempty"`     // the calls from Next on that run together; none: one runs
	Capped    bool     `json:"capped,omitempty"`    // max_tool_calls was reached in this answer
	Seen      []uint64 `json:"seen,omitempty"`      // the last calls with their results, hashed
}

// Concluded is the result of an inference. Said grows along the way; the others are written
// by its last row.
type Concluded struct {
	Said    string      `json:"said,omitempty"` // the texts of the answers so far
	Outcome fsm.Outcome `json:"outcome,omitempty"`
	Result  string      `json:"result,omitempty"` // the text, or why there is none
}

// Running reports whether the inference has begun and has not ended.
func (inf *Inference) Running() bool {
	return inf.State != "" && !slices.Contains(InferenceTable.Final, inf.State)
}

// InRound reports whether the calls of an answer are not over.
func (inf *Inference) InRound() bool {
	return inf.State == Acting || inf.State == Retrying || inf.State == Probing
}

// UnmarshalJSON reads an inference, whose state may have a former name (INF-30).
func (inf *Inference) UnmarshalJSON(data []byte) error {
	type plain Inference
	if err := json.Unmarshal(data, (*plain)(inf)); err != nil {
		return err
	}
	inf.State = fsm.InferenceState(inf.State)
	return nil
}
