package telemetry

import (
	"reflect"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// Work is a handle: a request, or work that shelly gives itself. Times are in milliseconds.
type Work struct {
	ID      fsm.HandleID
	Kind    fsm.Kind
	Request fsm.RequestKey // of a user's request
	Session string
	Parent  fsm.HandleID // of a subagent
	Since   fsm.Millis   // when it was accepted; of a resumed one, when this process began
	Resumed bool         // an earlier process had accepted it
	Outcome fsm.Outcome  // empty: it has not ended
	Replied bool         // the reply was sent
	Calls   int          // model calls that have ended
	Tokens  fsm.Tokens   // that they used

	calls  []*Call // under way
	gaveUp bool    // the call that ended last was one of the model, and was given up (HND-67)
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

// The words of a result, besides why the model stopped or failed.
const (
	resultOK      = "ok"
	resultFailed  = "failed"
	resultStopped = "stopped" // it was given up or stopped
)

// Result returns in one word what came of a call that has ended.
func (c *Call) Result() string {
	if a, ok := c.Answer.(fsm.BrainAnswered); ok {
		return string(a.Stop)
	}
	if a, ok := c.Answer.(fsm.BrainFailed); ok {
		return string(a.Class)
	}
	if failed(c.Answer) {
		return resultFailed
	}
	if _, stopped := c.Answer.(fsm.ToolStopped); stopped || c.Answer == nil {
		return resultStopped
	}
	return resultOK
}

// failed reports whether an answer, other than the model's, is a failure. Whatever kind of answer may be
// one says why in a field of this name. A vector that is made later, or never, because things are set up
// so is no failure (MEM-11).
func failed(a fsm.Answer) bool {
	if a, ok := a.(fsm.ToolAnswered); ok {
		return a.Failed
	}
	if a == nil {
		return false
	}
	why := reflect.Indirect(reflect.ValueOf(a)).FieldByName("Error")
	return why.IsValid() && !slices.Contains([]string{"", engine.ErrSpared.Error(), engine.ErrNoEmbedder.Error()}, why.String())
}

// tokens returns what the model's server has counted.
func (c *Call) tokens() fsm.Tokens {
	a, _ := c.Answer.(fsm.BrainAnswered)
	return a.Tokens
}

// workOf returns the work of a handle that was accepted at a time.
func workOf(h *state.Handle, at fsm.Millis) *Work {
	return &Work{ID: h.ID, Kind: h.Kind, Request: h.Request, Session: h.Session, Parent: h.Parent, Since: at}
}

// endedWork returns the work of a handle that ended in the step that admitted it, as far as that
// step shows.
func endedWork(m state.Move, in fsm.Input) *Work {
	w := &Work{ID: m.Handle, Kind: m.Kind, Since: in.At}
	if r, ok := in.Fact.(fsm.Requested); ok {
		w.Request = r.Request
		w.Session, _ = fsm.Belongs(r.Session, r.Origin)
	}
	return w
}
