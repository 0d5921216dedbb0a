package telemetry

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Work is a handle: a request, or what shelly does by itself. Times are in milliseconds.
type Work struct {
	ID      fsm.HandleID
	Kind    fsm.Kind
	Request fsm.RequestKey // of a user's request
	Session string
	Parent  fsm.HandleID // of a subagent
	Since   fsm.Millis   // when it was accepted; of a resumed one, when this process began
	Resumed bool         // an earlier process had accepted it
	Outcome fsm.Outcome  // empty: it goes on
	Replied bool         // whoever waits was told
	Calls   int          // of the model, that have ended
	Tokens  fsm.Tokens   // what they took

	calls []*Call // that are under way
}

// Call is a call of the machine: of the model, of a tool, of the memory and so on.
type Call struct {
	fsm.Call
	Kind  fsm.CallKind
	Since fsm.Millis
	Until fsm.Millis
	// Answer is what came of it; nil: it was given up.
	Answer fsm.Answer
	Work   *Work
}

// The words of a result beside why the model stopped or failed.
const (
	resultOK      = "ok"
	resultFailed  = "failed"
	resultStopped = "stopped" // it was given up, or was told to stop
)

// Result says in one word what came of a call that has ended.
func (c *Call) Result() string {
	if a, ok := c.Answer.(fsm.BrainAnswered); ok {
		return string(a.Stop)
	}
	if a, ok := c.Answer.(fsm.BrainFailed); ok {
		return string(a.Class)
	}
	if a, ok := c.Answer.(fsm.ToolAnswered); ok && a.Failed {
		return resultFailed
	}
	if _, stopped := c.Answer.(fsm.ToolStopped); stopped || c.Answer == nil {
		return resultStopped
	}
	return resultOK
}

// tokens are what the model's server has counted.
func (c *Call) tokens() fsm.Tokens {
	a, _ := c.Answer.(fsm.BrainAnswered)
	return a.Tokens
}

// newWork is a handle as the machine has it, or as far as the step that brought it says.
func newWork(id fsm.HandleID, v *state.Snapshot, f fsm.Fact, at fsm.Millis) *Work {
	w := &Work{ID: id, Since: at}
	for i := range v.Handles {
		if h := &v.Handles[i]; h.ID == id {
			w.Kind, w.Request, w.Session, w.Parent = h.Kind, h.Request, h.Session, h.Parent
			return w
		}
	}
	if r, ok := f.(fsm.Requested); ok { // it has ended already
		w.Kind, w.Request = fsm.KindUser, r.Request
		w.Session, _ = fsm.Belongs(r.Session, r.Origin)
	}
	return w
}

// outcomes are what the final states of a handle say of one that nobody waits for.
var outcomes = map[fsm.State]fsm.Outcome{
	state.Done: fsm.OutcomeAnswered, state.Failed: fsm.OutcomeFailed, state.Cancelled: fsm.OutcomeCancelled,
}
