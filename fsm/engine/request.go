package engine

import (
	"cmp"
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Acceptance says how a request was met.
type Acceptance struct {
	Request Request
	New     bool // appended now; false: the sender had asked before
}

// Accept admits a request once it is durable (JRN-9). The same id with the same
// body is answered from the record, with another body it is ErrConflict; both
// without a write (JRN-10). ErrBusy, ErrStopping and ErrNoSpace mean that nothing
// has happened.
func (e *Engine) Accept(at fsm.Millis, in fsm.Requested) (Acceptance, error) {
	if e.dead != nil {
		return Acceptance{}, e.dead
	}
	asked, err := newRequest(at, in)
	if err != nil {
		return Acceptance{}, err
	}
	known, ok, err := e.journal.Request(in.Request)
	switch {
	case err != nil:
		return Acceptance{}, fmt.Errorf("look up request %q: %w", in.Request.ID, err)
	case ok && known.sameBody(asked):
		return Acceptance{Request: known}, nil
	case ok:
		return Acceptance{}, ErrConflict
	}
	if err := e.ready(func() bool { return e.answersAtOnce(at, in) }); err != nil {
		return Acceptance{}, err
	}
	if err := e.turn([]fsm.Input{{At: at, Fact: in}}); err != nil {
		return Acceptance{}, err
	}
	known, ok, err = e.journal.Request(in.Request)
	if err == nil && !ok {
		err = errors.New("the accepted request is not in the journal")
	}
	return Acceptance{Request: known, New: true}, err
}

// answersAtOnce reports whether a request has its answer in its own step, as a
// command has (SES-15): it takes no place, and whoever stops what fills the queue
// must get through.
func (e *Engine) answersAtOnce(at fsm.Millis, in fsm.Requested) bool {
	for _, effect := range e.machine.Clone().Step(fsm.Input{At: at, Fact: in}) {
		if r, ok := effect.(fsm.Reply); ok && r.Request == in.Request {
			return r.Outcome == fsm.OutcomeAnswered
		}
	}
	return false
}

// Raise admits an event once it is durable. ErrBusy, ErrStopping and ErrNoSpace mean
// that nothing has happened.
func (e *Engine) Raise(at fsm.Millis, in fsm.EventRaised) error {
	if e.dead != nil {
		return e.dead
	}
	if err := e.ready(func() bool { return e.joins(at, in) }); err != nil {
		return err
	}
	return e.turn([]fsm.Input{{At: at, Fact: in}})
}

// joins reports whether an event would join one that waits (HND-38): it takes no
// place either.
func (e *Engine) joins(at fsm.Millis, in fsm.EventRaised) bool {
	m := e.machine.Clone()
	m.Step(fsm.Input{At: at, Fact: in})
	return m.View().Ignored.Joined > e.machine.View().Ignored.Joined
}

// Ready returns nil when a request or event would be accepted now. Before the boot,
// which too little space delays, the machine is as the last process left it, and
// ErrNoSpace says more of it than ErrStopping (JRN-22).
func (e *Engine) Ready() error { return e.ready(func() bool { return false }) }

// ready is Ready for what may take no place (SES-15, HND-38), which is asked only where there is none.
func (e *Engine) ready(takesNone func() bool) error {
	if !e.booted {
		return cmp.Or(e.journal.Space(), ErrStopping)
	}
	view := e.machine.View()
	if view.Lifecycle != state.Initializing && view.Lifecycle != state.Serving {
		return ErrStopping
	}
	if view.Waiting() >= view.Config.Limits.MaxQueue && !takesNone() {
		return ErrBusy
	}
	return e.journal.Space()
}

// requestBook gathers the request records that a turn changes.
type requestBook struct {
	journal Journal
	changed []Request
}

// newRequest is the record of a request that has just come.
func newRequest(at fsm.Millis, in fsm.Requested) (Request, error) {
	body, err := bodyHash(in)
	return Request{
		Key: in.Request, Session: in.Session, Origin: in.Origin, Text: in.Text, Body: body, Accepted: at,
	}, err
}

// note records an admitted request and each terminal reply of the step at an index. Handles is the number
// of the last handle before the step: a command may be answered without one.
func (b *requestBook) note(index uint64, in fsm.Input, effects []fsm.Effect, handles fsm.HandleID, after *state.Snapshot) error {
	if r, ok := in.Fact.(fsm.Requested); ok {
		known, err := b.find(r.Request)
		if err != nil {
			return err
		}
		if known == nil {
			fresh, err := newRequest(in.At, r)
			if err != nil {
				return err
			}
			fresh.Index = index
			if after.LastHandle > handles {
				fresh.Handle = handles + 1
			}
			b.changed = append(b.changed, fresh)
		}
	}
	for _, e := range effects {
		reply, ok := e.(fsm.Reply)
		if !ok {
			continue
		}
		known, err := b.find(reply.Request)
		if err != nil {
			return err
		}
		if known == nil {
			return fmt.Errorf("a reply to the unknown request %q", reply.Request.ID)
		}
		known.Done, known.Replied = true, after.Now
		known.Reply, known.IsError, known.Outcome = reply.Text, reply.IsError, reply.Outcome
	}
	return nil
}

// find returns the turn's copy of a request's record, or nil.
func (b *requestBook) find(key fsm.RequestKey) (*Request, error) {
	for i := range b.changed {
		if b.changed[i].Key == key {
			return &b.changed[i], nil
		}
	}
	known, ok, err := b.journal.Request(key)
	if err != nil {
		return nil, fmt.Errorf("look up request %q: %w", key.ID, err)
	}
	if !ok {
		return nil, nil
	}
	b.changed = append(b.changed, known)
	return &b.changed[len(b.changed)-1], nil
}
