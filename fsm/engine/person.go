package engine

import "shelly/fsm"

// Cancel asks to end an unfinished request, and reports whether that has changed
// anything: it has not where the request is unknown, done or answered already, or
// where the profile refuses to cancel. What the request ends with is its reply.
// ErrNoSpace, also of Decide and Resolve, is as that of [Engine.Turn].
func (e *Engine) Cancel(at fsm.Millis, in fsm.CancelRequested) (bool, error) {
	for _, h := range e.machine.View().Handles {
		if h.Kind == fsm.KindUser && h.Request == in.Request {
			return e.told(fsm.Input{At: at, Fact: in})
		}
	}
	return false, e.dead
}

// Decide brings a person's decision about a tool call, and reports whether the call
// was waiting for it.
func (e *Engine) Decide(at fsm.Millis, in fsm.Decided) (bool, error) {
	if !e.handles(in.Handle) {
		return false, e.dead
	}
	return e.told(fsm.Input{At: at, Fact: in})
}

// Resolve brings a person's word on a handle that is held, and reports whether the
// handle was waiting for it.
func (e *Engine) Resolve(at fsm.Millis, in fsm.Resolved) (bool, error) {
	if !e.handles(in.Handle) {
		return false, e.dead
	}
	return e.told(fsm.Input{At: at, Fact: in})
}

// handles reports whether a handle is unfinished. What is said about another is not
// written: whoever repeats it costs nothing.
func (e *Engine) handles(id fsm.HandleID) bool {
	for _, h := range e.machine.View().Handles {
		if h.ID == id {
			return true
		}
	}
	return false
}

// told takes a turn with one input and reports whether it was more than ignored.
func (e *Engine) told(in fsm.Input) (bool, error) {
	before := e.machine.View().Ignored
	if err := e.Turn(in); err != nil {
		return false, err
	}
	return e.machine.View().Ignored == before, nil
}
