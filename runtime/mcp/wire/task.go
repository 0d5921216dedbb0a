package wire

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The methods of tasks. Result is of 2025-11-25 alone, Update of 2026-07-28.
const (
	MethodGet    = "tasks/get"
	MethodResult = "tasks/result"
	MethodList   = "tasks/list"
	MethodCancel = "tasks/cancel"
	MethodUpdate = "tasks/update"
)

// Extension is the name that tasks have since 2026-07-28.
const Extension = "io.modelcontextprotocol/tasks"

// RelatedTask is the key, in what goes with a message, of the task that it belongs to.
const RelatedTask = "io.modelcontextprotocol/related-task"

// newer is the first version of the protocol in which tasks are an extension.
const newer = "2026-07-28"

// Status says how far a task is.
type Status string

// A task is worked on, waits for its requestor, or has ended in one of three ways. Of
// 2025-11-25 failed is also what a tool's own failure is.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether a task will not change any more.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Task is a task as its server tells of it, in either form.
type Task struct {
	ID      string
	Status  Status
	Message string        // what the server says of it
	Poll    time.Duration // how often to ask; 0: it does not say
	Created time.Time     // only of a server's own
	Updated time.Time     // only of a server's own

	Asks   map[string]Ask  // since 2026-07-28: what its server wants to know, by keys
	Result json.RawMessage // since 2026-07-28: of a completed task
	Error  *jsonrpc.Error  // since 2026-07-28: of a failed task
}

// Ask is a request of a server within an answer.
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
		return err
	}
	*t = Task{
		ID: w.TaskID, Status: w.Status, Message: w.StatusMessage, Asks: w.InputRequests, Result: w.Result, Error: w.Error,
		Poll: time.Duration(max(w.PollInterval, w.PollIntervalMs)) * time.Millisecond,
	}
	return nil
}

// Outcome is what a server answers to a call: one of the three.
type Outcome struct {
	Result *sdk.CallToolResult
	Task   *Task
	Asks   map[string]Ask // it wants to know this first, since 2026-07-28; and
	State  string         // with the answers it gets this back
}

// outcome is that as the library reads it.
type outcome struct {
	sdk.ResultBase
	Outcome
}

// UnmarshalJSON tells what the answer is.
func (o *outcome) UnmarshalJSON(b []byte) error {
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
	o.Result = &sdk.CallToolResult{}
	return json.Unmarshal(b, o.Result)
}

// told is a task as the library reads it.
type told struct {
	sdk.ResultBase
	Task
}

// UnmarshalJSON reads the task alone.
func (t *told) UnmarshalJSON(b []byte) error { return t.Task.UnmarshalJSON(b) }
