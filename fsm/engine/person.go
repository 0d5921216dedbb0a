package engine

import (
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/state"
)

// Cancel asks to cancel an unfinished request, and reports whether that changed anything:
// it does not if the request is unknown, done or answered already, or if the profile
// refuses to cancel. The reply says how the request ends. ErrNoSpace means what it does for
// [Engine.Turn], here and in Decide and Resolve.
func (e *Engine) Cancel(at fsm.Millis, in fsm.CancelRequested) (bool, error) {
	for _, h := range e.machine.View().Handles {
		if h.IsMeant(in) {
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

// Grant returns the grant for every session that a decision would give now, or false if it
// gives none: the call does not wait for it, or its scope is smaller. The keeper of such
// grants writes it before the decision (APR-14).
func (e *Engine) Grant(at fsm.Millis, in fsm.Decided) (fsm.Grant, bool) {
	s := e.machine.View()
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.ID != in.Handle || h.State != state.Approving || h.PersonKey() != in.Key || in.Grant != fsm.GrantAlways {
			continue
		}
		c := h.Inf.Calls[h.Inf.Next]
		decl, known := s.Config.Declared(h.Inf.Tools, c.Name)
		g, given := grant.Of(in, h.Session, &decl, c, at)
		return g, known && given
	}
	return fsm.Grant{}, false
}

// Revoke takes a grant back, and reports whether there was one. The keeper of grants for
// every session has removed it before (APR-17).
func (e *Engine) Revoke(at fsm.Millis, in fsm.Revoked) (bool, error) {
	s := e.machine.View()
	is := func(g fsm.Grant) bool { return grant.ID(&g) == in.Grant }
	if !slices.ContainsFunc(s.Grants, is) && !slices.ContainsFunc(s.Config.Grants, is) {
		return false, e.dead
	}
	return e.told(fsm.Input{At: at, Fact: in})
}

// Typing says that a person has begun to write, and reports whether anything is read ahead for
// that (HND-72). If not, nothing is written.
func (e *Engine) Typing(at fsm.Millis, in fsm.Typing) (bool, error) {
	if !e.machine.ReadsFor(in) {
		return false, e.dead
	}
	return e.told(fsm.Input{At: at, Fact: in})
}

// UnfitError says why a person's change was not made. Nothing has happened.
type UnfitError struct{ Why string }

func (e *UnfitError) Error() string { return e.Why }

// Schedule brings a person's change to a schedule (HND-62), and returns the schedule's id.
// It returns false if nothing changed: a run was wanted, and one waits already. An
// *UnfitError, ErrStopping and ErrNoSpace mean that nothing has happened.
func (e *Engine) Schedule(at fsm.Millis, in fsm.ScheduleChanged) (id string, taken bool, err error) {
	if e.dead != nil {
		return "", false, e.dead
	}
	if err := e.Ready(); err != nil && !errors.Is(err, ErrBusy) {
		return "", false, err
	}
	if why := e.machine.Unfit(in, at); why != "" {
		return "", false, &UnfitError{why}
	}
	if taken, err = e.told(fsm.Input{At: at, Fact: in}); err != nil || in.Change != fsm.ScheduleAdd {
		return in.Schedule, taken, err
	}
	all := e.machine.View().Schedules
	return all[len(all)-1].ID, taken, nil
}

// Resolve brings a person's decision about a held handle, and reports whether the handle
// was waiting for it.
func (e *Engine) Resolve(at fsm.Millis, in fsm.Resolved) (bool, error) {
	if !e.handles(in.Handle) {
		return false, e.dead
	}
	return e.told(fsm.Input{At: at, Fact: in})
}

// handles reports whether a handle is unfinished. A word about any other is not written, so
// that repeating it costs nothing.
func (e *Engine) handles(id fsm.HandleID) bool { return e.machine.View().IndexOf(id) >= 0 }

// told takes a turn with one input and reports whether the input was not ignored.
func (e *Engine) told(in fsm.Input) (bool, error) {
	before := e.machine.View().Ignored
	if err := e.Turn(in); err != nil {
		return false, err
	}
	return e.machine.View().Ignored == before, nil
}
