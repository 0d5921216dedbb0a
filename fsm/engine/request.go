package engine

import (
	"cmp"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Acceptance says how a request was received.
type Acceptance struct {
	Request Request
	New     bool // appended now; false: the sender had asked before
}

// Accept admits a request once it is durable (JRN-9). The same id with the same
// body is answered from the record, with another body it is ErrConflict, and so it
// is if the body was forgotten; all without a write (JRN-10). ErrBusy, ErrStopping and ErrNoSpace mean that nothing
// has happened.
func (e *Engine) Accept(at fsm.Millis, in fsm.Requested) (Acceptance, error) {
	met := e.Meet(nil, at, in)[0]
	return met.Acceptance, met.Err
}

// Met is how one of several requests was received, as [Engine.Accept] returns it.
type Met struct {
	Acceptance
	Err error
}

// Meet takes a turn with inputs, for which there is space, and then accepts each request,
// all in one write, so that they share a sync. If the turn ends the engine, each Met says
// so, and so does [Engine.Err].
func (e *Engine) Meet(inputs []fsm.Input, at fsm.Millis, asked ...fsm.Requested) []Met {
	met := make([]Met, len(asked))
	t := e.begin()
	err := e.dead
	if err == nil {
		err = t.step(inputs...)
	}
	for i := range asked {
		if err == nil {
			err = t.meet(at, asked[i], &met[i])
		}
	}
	if err == nil && len(t.steps) > 0 {
		err = t.end()
	}
	for i := range met {
		switch m := &met[i]; {
		case err != nil:
			*m = Met{Err: err}
		case m.New:
			known, _ := t.requests.find(m.Request.Key) // the step has noted it
			m.Request = *known
		}
	}
	return met
}

// meet takes a request into the turn if it is new. An error that it returns ends the
// engine.
func (e *taking) meet(at fsm.Millis, in fsm.Requested, met *Met) error {
	asked, err := newRequest(at, in)
	if err != nil {
		met.Err = err
		return nil
	}
	known, ok, err := e.requests.look(in.Request)
	switch {
	case err != nil:
		met.Err = err
	case ok && known.Forgotten:
		met.Err = ErrForgotten
	case ok && known.sameBody(asked):
		met.Request = known
	case ok:
		met.Err = ErrConflict
	default:
		if met.Err = e.ready(func() bool { return e.answersAtOnce(at, in) }); met.Err == nil {
			met.Acceptance = Acceptance{Request: asked, New: true}
			e.requests.absent = &in.Request
			return e.step(fsm.Input{At: at, Fact: in})
		}
	}
	return nil
}

// answersAtOnce reports whether a request has its answer in its own step, like a command
// (SES-15): it takes no place, and a /stop must get through when the queue is full.
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
	joins := func() bool { return e.machine.View().JoinedBy(in) >= 0 } // then it takes no place either
	if err := e.ready(joins); err != nil {
		return err
	}
	if e.crowdedByEvents() && !joins() {
		return ErrBusy
	}
	return e.turn([]fsm.Input{{At: at, Fact: in}})
}

// crowdedByEvents reports whether the events that wait have all the places that they may take: the
// rest is for requests (COM-104).
func (e *Engine) crowdedByEvents() bool {
	s := e.machine.View()
	most, n := s.Config.Limits.MaxQueue, 0
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Kind == fsm.KindEvent && h.Waiting() {
			n++
		}
	}
	return n >= most-most/reservedPart
}

// reservedPart is the part of the queue's places that events leave to requests.
const reservedPart = 4

// Ready returns nil when a request or event would be accepted now. While a lack of space
// delays the boot, the machine is as the last process left it, and ErrNoSpace says more
// than ErrStopping (JRN-22).
func (e *Engine) Ready() error { return e.ready(func() bool { return false }) }

// ready is Ready for what may take no place (SES-15, HND-38), which takesNone reports. It
// is called only if there is no place.
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

// requestBook collects the request records that a turn changes.
type requestBook struct {
	journal Journal
	changed []Request
	absent  *fsm.RequestKey // a request that the journal is known not to have, if any
}

// newRequest returns the record of a request that has just arrived.
func newRequest(at fsm.Millis, in fsm.Requested) (Request, error) {
	body, err := bodyHash(in)
	return Request{
		Key: in.Request, Session: in.Session, Origin: in.Origin, Text: in.Text, Body: body, Accepted: at,
	}, err
}

// note records an admitted request and each terminal reply of the step at an index. handles
// is the number of the last handle before the step: a command may be answered without one.
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
	known, ok, err := b.look(key)
	if err != nil || !ok {
		return nil, err
	}
	b.changed = append(b.changed, known)
	return &b.changed[len(b.changed)-1], nil
}

// look returns a request's record as the turn has it, or false.
func (b *requestBook) look(key fsm.RequestKey) (Request, bool, error) {
	for i := range b.changed {
		if b.changed[i].Key == key {
			return b.changed[i], true, nil
		}
	}
	if b.absent != nil && key == *b.absent {
		return Request{}, false, nil
	}
	known, ok, err := b.journal.Request(key)
	if err != nil {
		return Request{}, false, fmt.Errorf("look up request %q: %w", key.ID, err)
	}
	return known, ok, nil
}
