package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/misfit"
)

// The methods of tasks. Result is only in 2025-11-25, Update only since 2026-07-28.
const (
	MethodGet    = "tasks/get"
	MethodResult = "tasks/result"
	MethodCancel = "tasks/cancel"
	MethodUpdate = "tasks/update"
)

// Extension is the name that tasks have since 2026-07-28.
const Extension = "io.modelcontextprotocol/tasks"

// RelatedTask is the key, in a message's metadata, of the task to which it belongs.
const RelatedTask = "io.modelcontextprotocol/related-task"

// newer is the first version of the protocol in which tasks are an extension.
const newer = "2026-07-28"

// Status is the status of a task.
type Status string

// A task is being worked on, waits for its requestor, or has ended in one of three ways. In
// 2025-11-25 it is also failed if the tool itself failed.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether a task will not change any more.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Task is a task as its server reports it, in either form.
type Task struct {
	ID      string
	Status  Status
	Message string        // the server's remark
	Poll    time.Duration // the interval at which to ask; 0: it does not say
	Created time.Time     // only of a server's own
	Updated time.Time     // only of a server's own

	Asks   map[string]Ask  // since 2026-07-28: what its server wants to know, by keys
	Result json.RawMessage // since 2026-07-28: of a completed task
	Error  *jsonrpc.Error  // since 2026-07-28: of a failed task
}

// Ask is a server's request within an answer.
type Ask struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// UnmarshalJSON reads both forms.
func (t *Task) UnmarshalJSON(b []byte) error {
	var w struct {
		TaskID         string          `json:"taskId"`
		Status         Status          `json:"status"`
		StatusMessage  string          `json:"statusMessage"`
		PollInterval   float64         `json:"pollInterval"`
		PollIntervalMs float64         `json:"pollIntervalMs"`
		InputRequests  map[string]Ask  `json:"inputRequests"`
		Result         json.RawMessage `json:"result"`
		Error          *jsonrpc.Error  `json:"error"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return misfit.Worded(err)
	}
	*t = Task{
		ID: w.TaskID, Status: w.Status, Message: w.StatusMessage, Asks: w.InputRequests, Result: w.Result, Error: w.Error,
		Poll: time.Duration(max(w.PollInterval, w.PollIntervalMs)) * time.Millisecond,
	}
	return nil
}

// Outcome is a server's answer to a call: a result, a task or asks.
type Outcome struct {
	Result *sdk.CallToolResult
	Task   *Task
	Asks   map[string]Ask // since 2026-07-28: what it wants to know first
	State  string         // with Asks: to be sent back with the answers
}

// outcome is an [Outcome] as the library reads it.
type outcome struct {
	sdk.ResultBase
	Outcome
}

// Unusable is the error for an answer that cannot be used. Its server and the connection go on.
type Unusable struct{ Err error }

func (u *Unusable) Error() string { return u.Err.Error() }

// Unwrap returns the reason.
func (u *Unusable) Unwrap() error { return u.Err }

// UnmarshalJSON finds out which of the three the answer is.
func (o *outcome) UnmarshalJSON(b []byte) error {
	if err := o.read(b); err != nil {
		return &Unusable{fmt.Errorf("its answer cannot be read: %w", misfit.Worded(err))}
	}
	return nil
}

func (o *outcome) read(b []byte) error {
	var w struct {
		Meta          sdk.Meta       `json:"_meta"`
		ResultType    string         `json:"resultType"`
		Task          *Task          `json:"task"`
		InputRequests map[string]Ask `json:"inputRequests"`
		RequestState  string         `json:"requestState"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	o.Meta = w.Meta
	switch {
	case w.Task != nil && w.Task.ID != "":
		o.Task = w.Task
		return nil
	case w.ResultType == "task":
		o.Task = &Task{}
		return json.Unmarshal(b, o.Task)
	case w.ResultType == "input_required":
		o.Asks, o.State = w.InputRequests, w.RequestState
		return nil
	}
	var err error
	o.Result, err = Result(b)
	return err
}

// told is a [Task] as the library reads it.
type told struct {
	sdk.ResultBase
	Task
}

// UnmarshalJSON reads only the task.
func (t *told) UnmarshalJSON(b []byte) error { return t.Task.UnmarshalJSON(b) }
