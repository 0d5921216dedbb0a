package engine

import (
	"errors"
	"fmt"

	"shelly/fsm"
)

// Acceptance says how a request was met.
type Acceptance struct {
	Request Request
	New     bool // appended now; otherwise the sender had asked before
}

// Accept admits a request once it is durable (JRN-9). The same id with the same
// body is answered from the record, with another body it is ErrConflict; both
// without a write (JRN-10). ErrBusy, ErrStopping and ErrNoSpace mean that nothing
// has happened.
func (e *Engine) Accept(in fsm.Requested) (Acceptance, error) {
	if e.dead != nil {
		return Acceptance{}, e.dead
	}
	known, ok, err := e.journal.Request(in.Request)
	switch {
	case err != nil:
		return Acceptance{}, fmt.Errorf("look up request %q: %w", in.Request.ID, err)
	case ok && known.Text == in.Text && known.Session == in.Session:
		return Acceptance{Request: known}, nil
	case ok:
		return Acceptance{}, ErrConflict
	}
	if err := e.Ready(); err != nil {
		return Acceptance{}, err
	}
	if err := e.Turn(in); err != nil {
		return Acceptance{}, err
	}
	known, ok, err = e.journal.Request(in.Request)
	if err == nil && !ok {
		err = errors.New("the accepted request is not in the journal")
	}
	return Acceptance{Request: known, New: true}, err
}

// Ready returns nil when a request or event would be accepted now (JRN-14).
func (e *Engine) Ready() error {
	view := e.machine.View()
	if view.Lifecycle != fsm.Initializing && view.Lifecycle != fsm.Serving {
		return ErrStopping
	}
	if e.machine.Waiting() >= view.Config.Limits.MaxQueue {
		return ErrBusy
	}
	return e.journal.Space()
}

// requestBook gathers the request records that a turn changes.
type requestBook struct {
	journal Journal
	changed []Request
}

// note records an admitted request and each terminal reply.
func (b *requestBook) note(in fsm.Input, effects []fsm.Effect, after *fsm.Snapshot) error {
	if r, ok := in.(fsm.Requested); ok {
		known, err := b.find(r.Request)
		if err != nil {
			return err
		}
		if known == nil {
			b.changed = append(b.changed, Request{
				Key: r.Request, Handle: after.LastHandle, Session: r.Session, Text: r.Text, Accepted: r.At,
			})
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
		known.Done, known.Reply, known.IsError, known.Replied = true, reply.Text, reply.IsError, after.Now
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
